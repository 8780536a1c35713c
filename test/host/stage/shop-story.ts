/** A session that uses the memories of another project, the MCP server `shop`, beside those of its own project. */
import { expect } from "vitest";
import type { ModelRequest } from "./model-request.js";
import { createNextProject, type Project } from "./project.js";
import { call } from "./steps.js";
import { strata } from "./strata.js";

export const PORT = "The shop's server listens on port 8080, because 3000 is taken.";

/** The number of its folder beside the others, `project-999`. */
const SHOP = 999;

export const namesOf = ({ tools }: ModelRequest): string[] => tools.map((tool) => tool.function.name);

/** The other project, with one memory. */
export async function createShop(project: Project): Promise<Project> {
  const shop = await createNextProject(project, { "README.md": "shop\n" }, SHOP);
  strata(shop, "remember", "--type", "decision", PORT);
  return shop;
}

/** Calls that read and write the shop's memories, then those of the session's own project. */
export const shopCalls = [
  call("shop_recall", { query: "which port" }, { id: "recall" }),
  call("shop_remember", { content: "The shop's certificate ends in May.", category: "fact" }, { id: "keep" }),
];
export const ownCalls = [
  call("memory_remember", { content: "This project has no server.", type: "knowledge" }, { id: "own" }),
  call("memory_recall", { query: "port 8080 certificate server" }, { id: "recall own" }),
];

/** Both kinds of calls had results, each from its own project. */
export function expectUnmixed(last: ModelRequest): void {
  expect(last.toolResult("recall")).toContain(PORT);
  expect(last.toolResult("keep")).toContain("Kept: knowledge/");
  expect(last.toolResult("own")).toContain("Kept: knowledge/this-project");
  expect(last.toolResult("recall own")).not.toMatch(/8080|certificate/);
}
