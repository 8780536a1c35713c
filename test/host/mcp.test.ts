/** `strata mcp` as clients use it: a process over standard input, and the real OpenCode as its client. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { repository } from "./repository.js";
import { envOf, mcpCommand, startMcp } from "./stage/mcp-process.js";
import { createProject, type Project } from "./stage/project.js";
import { createShop, expectUnmixed, namesOf, ownCalls, PORT, shopCalls } from "./stage/shop-story.js";
import { openStage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { strata } from "./stage/strata.js";

const RESOURCES = ["list_mcp_resource_templates", "list_mcp_resources", "read_mcp_resource"];
const local = (...args: string[]) => ({ type: "local", command: mcpCommand(...args), timeout: 30_000 });

test("a process serves a client, writes its memories before it ends, and prints nothing to standard error", async () => {
  const project = await createProject();
  const mcp = await startMcp(project);
  expect(await mcp.call("remember", { content: PORT, category: "decision" })).toContain("Kept: decision/");
  expect(await mcp.call("recall", { query: "which port" })).toContain("8080");
  await mcp.close();
  expect(mcp.said()).toBe("");
  expect(project.read(".opencode/memory/MEMORY.md")).toContain("8080");
  expect(strata(project, "list").stdout).toMatch(/^decision\/\S+ +0 d {2}The shop's server/);
  expect(strata(project, "validate", "--strict").stdout).toContain("no problems");
  await project.remove();
});

test("piped requests are answered before the process ends, and an invalid line does not end it", async () => {
  const project = await createProject();
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "pipe", version: "1" },
  };
  const call = { name: "remember", arguments: { content: PORT, category: "decision" } };
  const lines = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    "{ broken",
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: call },
  ].map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  const [command = "", ...args] = mcpCommand();
  const { status, stdout } = spawnSync(command, args, {
    ...{ cwd: project.path, env: envOf(project), encoding: "utf8" },
    input: `${lines.join("\n")}\n`,
  });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(answers[1].result.content[0].text).toContain("Kept: decision/");
  expect(status).toBe(0);
  await project.remove();
});

test("calls of a client that was killed are completed, and the process ends", async () => {
  const project = await createProject();
  const [command = "", ...args] = mcpCommand();
  const child = spawn(command, args, { cwd: project.path, env: envOf(project) });
  child.stdin.on("error", () => {});
  const ended = once(child, "close");
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "dying", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  await once(child.stdout, "data");
  child.stdout.destroy();
  const keep = (content: string) => ({ name: "remember", arguments: { content, category: "decision" } });
  send({ id: 2, method: "tools/call", params: keep(PORT) });
  send({ id: 3, method: "tools/call", params: keep("The shop's certificate ends in May.") });
  await expect.poll(() => strata(project, "list").stdout.split("\n").length, { timeout: 20_000 }).toBe(3);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(project.read(".opencode/memory/MEMORY.md")).toMatch(/8080.*certificate|certificate.*8080/s);
  await project.remove();
});

test("OpenCode uses another project's memories beside its own plugin's, and they do not mix", async () => {
  let shop: Project | undefined;
  await using stage = await openStage({
    plugin: repository,
    config: { mcp: { shop: local("--project", "../project-2") } },
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
      ...RESOURCES,
    ]),
  );
  expectUnmixed(last);
  expect(last.toolResult("rule")).toMatch(/^Waits as candidate \w+/);
  await stage.host.stop();
  expect(strata(shop as Project, "list").stdout).toMatch(
    /^decision\/.*\nknowledge\/shops-certificate-ends-may +0 d {2}The shop's certificate ends in May\.\n$/,
  );
  expect(strata(shop as Project, "list", "--candidates").stdout).toContain(
    "client  Always deploy the shop on Fridays.",
  );
  expect(strata(stage.project, "list").stdout).not.toMatch(/shop|8080/);
});

test("in OpenCode with the plugin in the same project, the server adds no tools to a request, and says why", async () => {
  await using stage = await openStage({ plugin: repository });
  stage.model.script(say("hello"));
  await (await stage.newSession("without")).ask("hello");
  const without = stage.model.lastRequest();
  await stage.restart({ config: { mcp: { memory: local() } } });
  stage.model.script(call("memory_recall", { query: "port" }, { id: "recall" }), say("done"));
  await (await stage.newSession("with")).ask("which port?");
  const last = stage.model.lastRequest();
  expect(last.tools).toEqual(without.tools);
  expect(last.textOf("system")).toContain("are not offered again here");
  expect(last.toolResult("recall")).toBe("Nothing found.");
});

test("with --tools all, OpenCode with the plugin gets only tools that the plugin lacks", async () => {
  await using stage = await openStage({
    plugin: repository,
    config: { mcp: { memory: local("--tools", "all") } },
  });
  stage.model.script(call("memory_memory_status", {}, { id: "status" }), say("done"));
  await (await stage.newSession("all")).ask("how is the memory?");
  const last = stage.model.lastRequest();
  const names = namesOf(last);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(["memory_recall", "memory_export_memories", "memory_memory_status"]),
  );
  expect(names).not.toContain("memory_claim_item");
  expect(names).not.toContain("read_mcp_resource");
  expect(last.tools.find((tool) => tool.function.name === "memory_recall")?.function.description).toContain(
    "Also: entity",
  );
  expect(last.toolResult("status")).toContain("Memories");
});

test("in OpenCode without the plugin, the tools are named as in other memory servers", async () => {
  await using stage = await openStage({ config: { mcp: { memory: local("--tools", "all") } } });
  stage.model.script(
    call("memory_remember", { content: PORT, category: "decision" }, { id: "keep" }),
    call("memory_recall", { query: "which port" }, { id: "recall" }),
    say("done"),
  );
  await (await stage.newSession("names")).ask("keep the port");
  const last = stage.model.lastRequest();
  expect(last.toolResult("keep")).toContain("Kept: decision/");
  expect(last.toolResult("recall")).toContain("8080");
  expect(namesOf(last).filter((name) => name.startsWith("memory_"))).toHaveLength(26);
});
