/** `strata mcp` as clients use it: a process over standard input. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { envOf, mcpCommand, startMcp } from "./stage/mcp-process.js";
import { createProject } from "./stage/project.js";
import { strata } from "./stage/strata.js";

const PORT = "The shop's server listens on port 8080, because 3000 is taken.";

test("a process serves a client, writes its memories before it ends, and prints nothing to standard error", async () => {
  const project = await createProject();
  const mcp = await startMcp(project);
  expect(await mcp.call("remember", { content: PORT, category: "decision" })).toContain("Kept: decision/");
  expect(await mcp.call("recall", { query: "which port" })).toContain("8080");
  await mcp.close();
  expect(mcp.said()).toBe("");
  expect(project.read(".opencode/memory/MEMORY.md")).toContain("8080");
  expect(strata(project, "list").stdout).toMatch(/^decision\/\S+ +0 d {2}The shop's server/);
  expect(strata(project, "check").stdout).toContain("no problems");
  await project.remove();
});

test("piped requests are answered before the process ends, and an invalid or endless line does not end it", async () => {
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
    // As OpenCode's and most other clients write it, and with the id at the head.
    { method: "tools/call", params: { ...call, endless: "x".repeat(12_000_000) }, jsonrpc: "2.0", id: 3 },
    { jsonrpc: "2.0", id: "4", method: "tools/call", params: { ...call, endless: "x".repeat(9_000_000) } },
    `[${"x".repeat(9_000_000)}]`,
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
  const [refused, answered] = [0, 1].map((is) => answers.filter(({ error }) => (error ? 0 : 1) === is));
  expect(answered?.map(({ id }) => id)).toEqual([1, 2]);
  expect(refused?.map(({ id, error }) => [id, error.message.split(",")[0]])).toEqual(
    [3, "4", null].map((id) => [id, "expected a line of at most 8000000 bytes"]),
  );
  expect(answered?.[1].result.content[0].text).toContain("Kept: decision/");
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
