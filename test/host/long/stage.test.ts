/**
 * Tests of the bench that the other host tests stand on: that the real host takes part as the bench says,
 * that it comes back after a crash, and that nothing is left behind. No plugin of ours is loaded.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { patiently } from "../../support/patience.js";
import { openEventStream } from "../stage/event-stream.js";
import { whenRemoved } from "../stage/files.js";
import { firstDifference } from "../stage/model-request.js";
import { startOpenCode } from "../stage/opencode.js";
import { createProject } from "../stage/project.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, calls, fail, hangUp, reporting, say, stall } from "../stage/steps.js";
import { findStrays } from "../stage/strays.js";

const echoTool = `
  import { tool } from "@opencode-ai/plugin";
  export default tool({
    description: "Says it again",
    args: { text: tool.schema.string() },
    execute: async ({ text }) => "echo: " + text,
  });
`;

describe("with a host that runs", () => {
  let stage: Stage;

  beforeAll(async () => {
    const files = { "names.txt": "ada\ngrace\n", ".opencode/tool/echo.ts": echoTool };
    stage = await openStage({ plugin: [], files, mcp: true });
  });
  afterAll(() => stage.close());

  test("a turn ends with what the model says", async () => {
    const session = await stage.newSession("talk");
    stage.model.script(say("good morning"));
    const answer = await session.ask("hello");
    expect(answer.text).toBe("good morning");
    expect(stage.model.lastRequest()).toMatchObject({ sessionID: session.id, parentSessionID: undefined });
    expect((await session.messages()).map(({ info }) => info.role)).toEqual(["user", "assistant"]);
  });

  test("a tool is run by the host, and its result comes with the next request", async () => {
    const session = await stage.newSession("read");
    stage.model.script(
      call("read", { filePath: stage.project.file("names.txt") }, { id: "reading" }),
      say("read"),
    );
    await session.ask("read the names");
    expect(stage.model.lastRequest().toolResult("reading")).toContain("2: grace");
  });

  test("parallel calls come back in their order: a search, an MCP tool, a custom tool", async () => {
    const session = await stage.newSession("parallel");
    stage.model.script(
      calls(
        call("grep", { pattern: "gr.ce" }),
        call("mcp_blob", { bytes: 3_001 }),
        call("echo", { text: "hi" }),
      ),
      say("all done"),
    );
    await session.ask("do three things");
    const [found, blob, echo, ...more] = stage.model.lastRequest().toolResults();
    expect(found?.text).toContain("Line 2: grace");
    expect(blob?.text).toHaveLength(3_001);
    expect(echo?.text).toBe("echo: hi");
    expect(more).toEqual([]);
  });

  test("the MCP tools answer by seed, on one line, in JSON, and with an error", async () => {
    const session = await stage.newSession("mcp");
    const blob = (seed: number) => call("mcp_blob", { bytes: 500, seed });
    const others = [
      call("mcp_oneline", { bytes: 5_000 }),
      call("mcp_json"),
      call("mcp_fail", { message: "no luck" }),
    ];
    stage.model.script(calls(blob(1), blob(1), blob(2), ...others), say("done"));
    await session.ask("use them all");
    const [one, same, other, line, json, failed] = stage.model
      .lastRequest()
      .toolResults()
      .map(({ text }) => text);
    expect(one).toBe(same);
    expect(one).not.toBe(other);
    expect(line).toMatch(/^\d{5000}$/);
    expect(JSON.parse(json ?? "")).toHaveLength(100);
    expect(failed).toContain("no luck");
    const parts = (await session.messages()).flatMap((message) => message.parts);
    expect(parts.find((part) => part.type === "tool" && part.tool === "mcp_fail")).toMatchObject({
      state: { status: "error" },
    });
  });

  test("a refused request fails that turn with the provider's message, and only that turn", async () => {
    const session = await stage.newSession("refusal");
    stage.model.script(fail(400, "not today"), say("now I can"));
    expect((await session.ask("please")).info.error).toMatchObject({ data: { message: "not today" } });
    expect((await session.ask("again")).text).toBe("now I can");
  });

  test("an answer that breaks off is asked for again by the host", async () => {
    const session = await stage.newSession("hang up");
    stage.model.script(hangUp("I will"), say("I have"));
    expect((await session.ask("will you?")).text).toBe("I have");
  });

  test("a stalled answer lasts until the turn is aborted", async () => {
    const session = await stage.newSession("stall");
    stage.model.script(stall());
    const turn = session.ask("are you there?");
    await stage.model.waitForRequest((request) => request.sessionID === session.id);
    await session.abort();
    expect((await turn).info.error?.name).toBe("MessageAbortedError");
  });

  test("a session without a title gets one, which uses up no step", async () => {
    const session = await stage.newSession();
    const events = await stage.events();
    stage.model.script(say("first step"));
    expect((await session.ask("hello")).text).toBe("first step");
    await events.waitFor(
      (event) => event.type === "session.updated" && event.properties.info.title === "A title",
    );
  });

  test("what the prompt cache held reaches the host as tokens read from the cache", async () => {
    const session = await stage.newSession("cache");
    await session.ask("one");
    const before = stage.model.lastRequest();
    const { tokens } = (await session.ask("two")).info;
    const after = stage.model.lastRequest();
    expect(firstDifference(before, after)).toBeUndefined();
    expect(after.cachedTokens).toBe(before.promptTokens);
    expect(tokens.cache.read).toBe(after.cachedTokens);
    expect(tokens.input).toBe(after.promptTokens - after.cachedTokens);
  });

  test("a fork begins with its parent's bytes, and another model has nothing cached", async () => {
    const session = await stage.newSession("parent");
    await session.ask("remember this");
    const parent = stage.model.lastRequest();
    const fork = await session.fork();
    await fork.ask("and now?");
    expect(stage.model.lastRequest().sessionID).toBe(fork.id);
    expect(firstDifference(parent, stage.model.lastRequest())).toBeUndefined();
    expect(stage.model.lastRequest().cachedTokens).toBe(parent.promptTokens);
    await fork.ask("and you?", { model: "m2" });
    expect(stage.model.lastRequest()).toMatchObject({ body: { model: "m2" }, cachedTokens: 0 });
  });

  test("a window that is reported full makes the host compact, as an ordinary request", async () => {
    const session = await stage.newSession("full");
    stage.model.script(
      reporting(say("that was a lot"), { promptTokens: 195_000 }),
      say("a summary"),
      say("going on"),
    );
    expect((await session.ask("work")).text).toBe("going on");
    const messages = await session.messages();
    expect(messages.some(({ info }) => info.role === "assistant" && info.summary)).toBe(true);
  });

  test("events are seen from the subscription on", async () => {
    const events = await stage.events();
    const session = await stage.newSession("events");
    await session.ask("hello");
    await events.waitFor(
      (event) => event.type === "session.idle" && event.properties.sessionID === session.id,
    );
    await expect(events.waitFor(() => false, 1)).rejects.toThrow("session.idle");
  });
});

describe("across starts", () => {
  test("a session outlives the host's sudden death, and the next host takes changed configuration", async () => {
    await using stage = await openStage({ plugin: [], files: { "a.txt": "one" } });
    const { id } = await stage.newSession("survivor");
    await stage.session(id).ask("before");
    const before = stage.model.lastRequest();
    const events = await stage.events();
    const meanwhile = () => stage.project.write("b.txt", "two");
    await stage.restart({ kill: true, config: { username: "Ada" }, meanwhile });
    await events.ended;
    expect(stage.read("b.txt")).toBe("two");

    await stage.session(id).ask("after");
    expect(firstDifference(before, stage.model.lastRequest())).toBeUndefined();
    expect((await stage.session(id).messages()).map(({ info }) => info.role)).toHaveLength(4);
    expect(await stage.host.api("GET", "/config")).toMatchObject({ username: "Ada" });
  });

  test("a plugin is loaded with its options, and no start installs anything", async () => {
    const plugin = `export default {
      id: "probe",
      server: async (_, options) => ({
        "experimental.chat.system.transform": async (_, output) => void output.system.push(options.motto),
      }),
    };`;
    const files = { "probe.js": plugin, ".opencode/tool/echo.ts": echoTool };
    await using stage = await openStage({ files, plugin: "./probe.js", options: { motto: "festina lente" } });
    await (await stage.newSession("plugin")).ask("hello");
    expect(stage.model.lastRequest().textOf("system")).toContain("festina lente");
    expect(stage.model.lastRequest().tools.map((tool) => tool.function.name)).toContain("echo");
    expect(stage.host.log()).not.toContain("install failed");
    expect(existsSync(`${stage.project.folders.home}/.npm`)).toBe(false);
  });

  test("a host that cannot start says why, in its own words", async () => {
    const project = await createProject();
    const missing = startOpenCode({ project, binary: project.file("no-such-program") });
    await expect(missing).rejects.toThrow("could not be started");
    const wrong = startOpenCode({ project, binary: process.execPath });
    await expect(wrong).rejects.toThrow(/ended \(exit code 1\) before it listened[\s\S]*Cannot find module/);
    await project.remove();
  });
});

describe("afterwards", () => {
  test("a stage that is closed in the middle of a command leaves no process and no file", async () => {
    const stage = await openStage({ plugin: [], mcp: true });
    const session = await stage.newSession("busy");
    const events = await stage.events();
    stage.model.script(call("bash", { command: "echo started; sleep 600", description: "Waits" }));
    const turn = session.ask("wait").catch((error: Error) => error.message);
    await events.waitFor(
      ({ type, properties }) =>
        type === "message.part.updated" && JSON.stringify(properties).includes("started\\n"),
    );
    expect(findStrays(stage.project.root).length).toBeGreaterThan(1);

    await stage.close();
    await turn;
    expect(findStrays(stage.project.root)).toEqual([]);
    expect(existsSync(stage.project.root)).toBe(false);
  });

  test("a test process that is killed takes its host and its files with it", async () => {
    const story = `
      import { openStage } from "${fileURLToPath(new URL("../stage/stage.ts", import.meta.url))}";
      const { host, project } = await openStage({ plugin: [] });
      process.stdout.write(JSON.stringify({ url: host.url, root: project.root }) + "\\n");
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", story]);
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const { url, root } = JSON.parse(value) as { url: string; root: string };
    const events = await openEventStream(`${url}/event`);
    const removed = whenRemoved(root);
    child.kill("SIGKILL");
    await events.ended;
    await removed;
    // A killed process remains until the system has ended it.
    await expect.poll(() => findStrays(root), { timeout: patiently(10_000) }).toEqual([]);
  });
});
