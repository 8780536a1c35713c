/** The real OpenCode as a client of `strata mcp`. */
import { expect, test } from "vitest";
import { mcpCommand } from "./stage/mcp-process.js";
import type { ModelRequest } from "./stage/model-request.js";
import { createNextProject, type Project } from "./stage/project.js";
import { openStage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { strata } from "./stage/strata.js";
import { HOST } from "./stage/which-host.js";

const RESOURCES = ["list_mcp_resource_templates", "list_mcp_resources", "read_mcp_resource"];
const local = (...args: string[]) => ({ type: "local", command: mcpCommand(...args), timeout: 30_000 });

test("OpenCode uses another project's memories beside its own plugin's, and they do not mix", async () => {
  let shop: Project | undefined;
  await using stage = await openStage({
    config: { mcp: { shop: local("--project", "../project-999") } },
    async prepare(project) {
      shop = await createShop(project);
    },
  });
  stage.model.script(
    ...shopCalls,
    call(
      "shop_remember",
      { content: "Always deploy the shop on Fridays.", category: "directive" },
      { id: "rule" },
    ),
    ...ownCalls,
    say("done"),
  );
  await (await stage.newSession("two projects")).ask("look it up");
  const last = stage.model.lastRequest();
  expect(namesOf(last)).toEqual(
    expect.arrayContaining([
      "memory_recall",
      "memory_remember",
      "shop_recall",
      "shop_remember",
      ...(HOST === 1 ? RESOURCES : []),
    ]),
  );
  expectUnmixed(last);
  expect(last.toolResult("rule")).toMatch(/^Waits as candidate \w+/);
  await stage.host.stop();
  expect(strata(shop as Project, "list").stdout).toMatch(
    /^decision\/.*\nknowledge\/shops-certificate-ends-may +0 d {2}The shop's certificate ends in May\.\n$/,
  );
  expect(strata(shop as Project, "candidates").stdout).toContain(
    "client  Always deploy the shop on Fridays.",
  );
  expect(strata(stage.project, "list").stdout).not.toMatch(/shop|8080/);
});

/** A session that uses the memories of another project, the MCP server `shop`, beside those of its own project. */

const PORT = "The shop's server listens on port 8080, because 3000 is taken.";

/** The number of its folder beside the others, `project-999`. */
const SHOP = 999;

const namesOf = ({ tools }: ModelRequest): string[] => tools.map((tool) => tool.function.name);

/** The other project, with one memory. */
async function createShop(project: Project): Promise<Project> {
  const shop = await createNextProject(project, { "README.md": "shop\n" }, SHOP);
  strata(shop, "remember", "--type", "decision", PORT);
  return shop;
}

/** Calls that read and write the shop's memories, then those of the session's own project. */
const shopCalls = [
  call("shop_recall", { query: "which port" }, { id: "recall" }),
  call("shop_remember", { content: "The shop's certificate ends in May.", category: "fact" }, { id: "keep" }),
];
const ownCalls = [
  call("memory_remember", { content: "This project has no server.", type: "knowledge" }, { id: "own" }),
  call("memory_recall", { query: "port 8080 certificate server" }, { id: "recall own" }),
];

/** Both kinds of calls had results, each from its own project. */
function expectUnmixed(last: ModelRequest): void {
  expect(last.toolResult("recall")).toContain(PORT);
  expect(last.toolResult("keep")).toContain("Kept: knowledge/");
  expect(last.toolResult("own")).toContain("Kept: knowledge/this-project");
  expect(last.toolResult("recall own")).not.toMatch(/8080|certificate/);
}
