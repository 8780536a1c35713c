/** The built package in the real OpenCode: how it is loaded, configured, and switched off. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pathIn } from "../support/messages.js";
import { repository } from "./repository.js";
import { whenContains } from "./stage/files.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { HOST } from "./stage/which-host.js";

const log = (stage: Stage): string => stage.read(".opencode/strata/strata.log");
const OWN_TOOLS = [
  "lease",
  "memory_keep",
  "memory_recall",
  "memory_remember",
  "memory_update",
  "send_message",
];
if (HOST === 1) OWN_TOOLS.unshift("fork");
const LAYERS = [
  "toolResults",
  "microCompact",
  "sessionMemory",
  "autoCompact",
  "autoMemory",
  "crossAgent",
  "errors",
  "dream",
];
const big = call("mcp_blob", { bytes: 80_000 }, { id: "big" });

test("a host that calls both entries moves a result once, shows each tool once, writes each line once, and nothing to the terminal", async () => {
  await using stage = await openStage({ mcp: true });
  stage.model.script(big, say("done"));
  const session = await stage.newSession("once");
  await session.ask("go");
  const { tools } = stage.model.lastRequest();
  const names = tools.map(({ function: { name } }) => name);
  for (const name of OWN_TOOLS) expect(names.filter((one) => one === name)).toEqual([name]);
  const path = `.opencode/strata/savings/${session.id}.jsonl`;
  await whenContains(stage.project.file(path), '"spilled"');
  expect(stage.read(path).match(/"event":"spilled"/g)).toHaveLength(1);
  expect(stage.read(path).match(/"event":"answer"/g)?.length).toBeLessThanOrEqual(2);
  expect(log(stage)).not.toContain("host          OpenCode 2");
  const started = / INFO {2}strata +opencode-strata 0\.1\.0, instance \w+, layers: tool-results/g;
  expect(log(stage).match(started)).toHaveLength(1);
  const moved =
    stage
      .read(path)
      .split("\n")
      .find((line) => line.includes('"spilled"')) ?? "";
  expect(JSON.parse(moved)).toMatchObject({
    ...{ v: 1, layer: "tool-results", session: session.id, tool: "mcp_blob", callID: "big" },
    ...{ bytes: expect.any(Number), tokensFreed: expect.any(Number) },
    file: expect.stringContaining(".opencode/tool-results/"),
  });
  // Neither to standard output nor to the terminal, which is the host's screen.
  expect(stage.host.log()).not.toMatch(/service=strata|\[Strata\]/);
});

test("options beside the plugin's name are stronger than the memory key, which is read although the host strips it", async () => {
  const memory = { toolResults: { threshold: 5_000 }, log: { level: "debug" } };
  await using stage = await openStage({ mcp: true, config: { memory } });
  stage.model.script(call("mcp_blob", { bytes: 7_000 }, { id: "small" }), say("done"));
  await (await stage.newSession("memory key")).ask("go");
  expect(stage.model.lastRequest().toolResult("small")).toContain("[Strata]");
  await stage.restart({ config: { plugin: [[repository, { toolResults: { threshold: 90_000 } }]] } });
  stage.model.script(call("mcp_blob", { bytes: 7_000 }, { id: "small" }), say("done"));
  await (await stage.newSession("options")).ask("go");
  expect(stage.model.lastRequest().toolResult("small")).not.toContain("[Strata]");
});

test("a wrong setting is one line in the log and one toast that name file, key, value and what is allowed; the host starts", async () => {
  await using stage = await openStage({
    options: { toolResults: { threshold: "30kb" }, colour: "red" },
  });
  const events = await stage.events();
  const session = await stage.newSession("wrong");
  expect((await session.ask("hello")).text).toBe("ok");
  const toast = JSON.stringify(await events.waitFor((event) => event.type === "tui.toast.show"));
  const { configFile: file } = stage.project;
  const sentence = 'toolResults.threshold is "30kb", expected a whole number from 4096 to 10000000';
  expect(JSON.parse(toast).properties.message).toContain(sentence);
  expect(toast).toContain("2 settings are wrong");
  expect(log(stage)).toContain(`WARN  config        ${sentence}`);
  expect(log(stage)).toContain(`WARN  config        colour is not a setting. It is ignored. (${file})`);
});

test("the plugin with nothing to do changes no byte of a message and only adds its own tools, and switched off it changes nothing", async () => {
  const play = async (plugin: string[], options: Record<string, unknown>) => {
    await using stage = await openStage({ plugin, options, files: { "a.txt": "one\n" } });
    stage.model.script(call("read", { filePath: stage.project.file("a.txt") }, { id: "r" }), say("done"));
    const session = await stage.newSession("off");
    await session.ask("go");
    const inProject = (text: string) =>
      text
        .replaceAll(stage.project.path, "PROJECT")
        .replaceAll(stage.project.root, "ROOT")
        .replaceAll(session.id, "SESSION");
    return stage.model.requests.map(({ messageBytes, tools }) => ({
      messages: messageBytes.map(inProject),
      tools: tools.map((tool) => inProject(JSON.stringify(tool))),
    }));
  };
  const bare = await play([], {});
  const idle = await play([repository], {});
  expect(idle.map(({ messages }) => messages)).toEqual(bare.map(({ messages }) => messages));
  for (const [index, { tools }] of idle.entries()) {
    const added = tools.filter((tool) => !bare[index]?.tools.includes(tool));
    expect(tools.filter((tool) => !added.includes(tool))).toEqual(bare[index]?.tools);
    expect(added.map((tool) => JSON.parse(tool).function.name).sort()).toEqual(OWN_TOOLS);
  }
  const off = Object.fromEntries(LAYERS.map((layer) => [layer, { enabled: false }]));
  expect(await play([repository], off)).toEqual(bare);
});

test("an old session whose files were swept away gets them back when somebody goes on with it", async () => {
  await using stage = await openStage({ mcp: true });
  stage.model.script(big, say("done"));
  const session = await stage.newSession("swept");
  await session.ask("go");
  const path = pathIn(stage.model.lastRequest().toolResult("big"));
  const whole = readFileSync(path, "utf8");
  await stage.restart({
    meanwhile: ({ remove: _, file }) =>
      import("node:fs").then(({ rmSync }) => rmSync(file(path.slice(file("").length)))),
  });
  await stage.session(session.id).ask("go on");
  // Behind the request: the agent cannot ask for it before the model has answered.
  await whenContains(stage.project.file(".opencode/strata/strata.log"), "was missing and has been restored");
  expect(readFileSync(path, "utf8")).toBe(whole);
});
