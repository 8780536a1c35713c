/** Which tools of `strata mcp` the real OpenCode gets, with the plugin and without it. */
import { expect, test } from "vitest";
import { patiently } from "../../support/patience.js";
import { mcpCommand } from "../stage/mcp-process.js";
import type { ModelRequest } from "../stage/model-request.js";
import { openStage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";

const namesOf = ({ tools }: ModelRequest): string[] => tools.map((tool) => tool.function.name);
const local = (...args: string[]) => ({ type: "local", command: mcpCommand(...args), timeout: 30_000 });

/** The same words without the server and with it. */
async function playBeside(): Promise<Record<"last" | "without", ModelRequest>> {
  await using stage = await openStage();
  stage.model.script(say("hello"));
  await (await stage.newSession("without")).ask("hello");
  const without = stage.model.lastRequest();
  await stage.restart({ config: { mcp: { memory: local() } } });
  stage.model.script(call("memory_recall", { query: "port" }, { id: "recall" }), say("done"));
  await (await stage.newSession("with")).ask("which port?");
  return { last: stage.model.lastRequest(), without };
}

test("in OpenCode with the plugin in the same project, the server adds no tools to a request", async () => {
  const { last, without } = await playBeside();
  expect(last.tools).toEqual(without.tools);
  expect(last.toolResult("recall")).toBe("Nothing found.");
});

test("with --tools all, OpenCode with the plugin gets only tools that the plugin lacks", async () => {
  await using stage = await openStage({
    config: { mcp: { memory: local("--tools", "all") } },
  });
  const session = await stage.newSession("all");
  // The plugin's own tools begin with the server's name too: only one of the server's tells that it is connected.
  await expect
    .poll(
      async () => {
        stage.model.script(say("hello"));
        await session.ask("hello");
        return namesOf(stage.model.lastRequest());
      },
      { timeout: patiently(20_000) },
    )
    .toContain("memory_memory_status");
  stage.model.script(call("memory_memory_status", {}, { id: "status" }), say("done"));
  await session.ask("how is the memory?");
  const last = stage.model.lastRequest();
  const names = namesOf(last);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(["memory_recall", "memory_export_memories", "memory_memory_status"]),
  );
  expect(names).not.toContain("memory_claim_item");
  expect(names).not.toContain("read_mcp_resource");
  expect(last.tools.find((tool) => tool.function.name === "memory_recall")?.function.description).toContain(
    "Also: id, entity",
  );
  expect(last.toolResult("status")).toContain("Memories");
});
