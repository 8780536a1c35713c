import { expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { createLiveConfig } from "../../src/host/1/live-config.js";
import { shortenDescription } from "../../src/host/short-definitions.js";
import { createToolChoices, type ToolChoice } from "../../src/kernel/tool-choices.js";
import { planFolders } from "../../src/project/folders.js";
import {
  type CallLine,
  formatToolCosts,
  type Offered,
  offeredPath,
  planToolCosts,
  readToolCosts,
} from "../../src/status/tool-costs.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

const tool = (name: string, tokens: number, more = {}) => ({ name, called: name, tokens, ...more });
const lines = (count: number, calls: Record<string, number>, from = 0): CallLine[] =>
  Array.from({ length: count }, (_, at) => ({ v: 1, session: `ses_${from + at}`, calls }));
const ONE: Offered = {
  host: 1,
  tools: [tool("bash", 1_300), tool("webfetch", 320), tool("task", 960), tool("memory_recall", 80)],
  // The last has the name that the plugin's own tools begin with.
  servers: ["linear", "my.docs", "memory"],
  own: ["memory_recall"],
};
const TWO: Offered = {
  host: 2,
  tools: [
    ...[tool("read", 250), tool("execute", 2_400), tool("websearch", 110), tool("linear_list", 700)],
    { ...tool("shell", 380), called: "bash" },
    tool("question", 360, { isLeftOut: true }),
  ],
  servers: ["linear", "hidden"],
  own: [],
};

it("calls are added up by tool and by MCP server, whose tools share its name", () => {
  const { rows, sessions, tokens } = planToolCosts(ONE, [
    ...lines(3, { bash: 2, linear_list: 1 }),
    ...lines(3, { my_docs_search: 4, task: 1 }),
  ]);
  const calls = Object.fromEntries(rows.map((row) => [row.name, row.calls]));
  const used = { bash: 6, task: 3, linear: 3, "my.docs": 12 };
  expect(calls).toEqual({ ...used, webfetch: 0, memory_recall: 0, memory: 0 });
  expect([sessions, tokens]).toEqual([3, 2_660]);
  const two = planToolCosts(TWO, lines(1, { bash: 5, linear_list: 1 }));
  const told = two.rows.map(({ calls: count, name, tokens: own }) => `${name} ${own} ${count}`);
  expect(told.slice(0, 4)).toEqual(["hidden undefined 0", "execute 2400 0", "linear 700 1", "shell 380 5"]);
  expect(told.slice(4)).toEqual(["question 360 0", "read 250 0", "websearch 110 0"]);
  expect(two.tokens).toBe(3_840);
});

it("what was not called in the last twenty sessions can be switched off by the lines named, but for what an agent needs and the plugin's own", () => {
  expect(planToolCosts(ONE, lines(4, { read: 1 })).advice).toEqual([]);
  expect(
    planToolCosts(ONE, [...lines(1, { webfetch: 1 }), ...lines(20, { linear_list: 1 }, 1)]).advice,
  ).toEqual([
    'Not called in the last 20 sessions: task, webfetch, 1,280 tokens of each request. To switch off, in opencode.json, behind "*" if it has one: "permission": { "task": "deny", "webfetch": "deny" }',
    'Not called in the last 20 sessions: my.docs, memory. To switch off, in opencode.json: "mcp": { "my.docs": { "enabled": false }, "memory": { "enabled": false } }',
  ]);
  expect(
    planToolCosts(ONE, [...lines(1, { webfetch: 1 }), ...lines(19, { task: 1 }, 1)]).advice,
  ).toHaveLength(1);
  expect(planToolCosts(TWO, lines(6, { bash: 1 })).advice).toEqual([
    'Not called in the last 6 sessions: execute, 2,400 tokens of each request. To switch off, in opencode.json: "permissions": [{ "action": "execute", "resource": "*", "effect": "deny" }]',
    `Not called in the last 6 sessions: linear, websearch, 810 tokens of each request. To switch off, in the plugin's options: "tools": { "leaveOut": ["linear_*","websearch"] }`,
  ]);
});

it("the page names what short definitions save, or would save, and what is not known", () => {
  const short = (isSent: boolean) => ({ shorter: { tokens: 800, isSent } });
  const page = (isSent: boolean) =>
    formatToolCosts(planToolCosts({ ...ONE, tools: [tool("bash", 500, short(isSent))] }, []), {
      fixedTokens: 34_000,
      most: 1,
    });
  expect(page(false)).toContain(
    "Each request begins with 34,000 tokens: 500 for tools, the others for system prompt, rules and the tools of MCP servers.",
  );
  expect(page(false)).toContain(
    'To save 800 tokens in each request, in the plugin\'s options: "tools": { "short": true }',
  );
  expect(page(true)).toContain("tools.short saves 800 tokens in each request.");
  expect(page(true)).toMatch(/linear \(MCP server\) +\? +0\n… and 3 more/);
});

it("calls of the last thirty days are read, whatever stands between them", async () => {
  const folders = planFolders("/project");
  const nowMs = Date.parse("2026-11-26T12:00:00Z");
  const files = createMemoryFiles({
    [offeredPath(folders)]: JSON.stringify({ v: 1, ...ONE }),
    [`${folders.tools}/2026-10-20.jsonl`]: JSON.stringify(lines(1, { task: 9 })[0]),
    [`${folders.tools}/2026-11-01.jsonl`]: `${JSON.stringify(lines(1, { task: 2 })[0])}\nnonsense\n`,
    [`${folders.tools}/2026-11-26.jsonl`]: JSON.stringify(lines(1, { task: 3 })[0]),
  });
  const costs = await readToolCosts(files, folders, nowMs);
  expect(costs?.rows.find(({ name }) => name === "task")?.calls).toBe(5);
  expect(await readToolCosts(createMemoryFiles({}), folders, nowMs)).toBeUndefined();
  const wrong = createMemoryFiles({ [offeredPath(folders)]: '{"v":1,"tools":[{"name":3}]}' });
  expect(await readToolCosts(wrong, folders, nowMs)).toBeUndefined();
});

it("a session has the tools that the settings named when it began, whatever they name later, over starts and full disks", async () => {
  const clock = createFakeClock();
  const files = createMemoryFiles({});
  const open = (tools: ToolChoice, on = files) =>
    createToolChoices({ clock, config: { tools }, files: on, log: createFakeLog(), folder: "/state" });
  const off = { short: false, leaveOut: [] };
  const short = { short: true, leaveOut: [] };
  const less = { short: true, leaveOut: ["websearch"] };
  const first = clock.now();
  expect(await open(off).choose(first)).toMatchObject(off);
  expect(files.contents.size).toBe(0);
  clock.advance(DAY_MS);
  expect(await open(short).choose(first)).toMatchObject(off);
  const second = clock.now();
  expect(await open(short).choose(second)).toMatchObject(short);
  clock.advance(DAY_MS);
  const all = open(less);
  expect(await Promise.all([first, second, clock.now(), undefined].map(all.choose))).toMatchObject([
    ...[off, short, less, less],
  ]);
  clock.advance(DAY_MS);
  const back = open(off);
  expect(await Promise.all([second, clock.now()].map(back.choose))).toMatchObject([short, off]);
  const writeWhole = () => Promise.reject(new Error("ENOSPC"));
  const full = { ...createMemoryFiles({}), writeWhole };
  expect(await open(short, full).choose(clock.now())).toMatchObject(off);
  const filled = open(less, { ...files, writeWhole });
  expect(await Promise.all([second, clock.now()].map(filled.choose))).toMatchObject([short, off]);
});

it("a definition whose text is not known by its hash stays as it is", () => {
  for (const name of ["bash", "edit", "read", "constructor"])
    for (const text of ["", "Performs exact string replacements in files.", "x".repeat(5_000)])
      expect(shortenDescription(name, text)).toBeUndefined();
});

it("OpenCode 1 sends no tool that the last rule denies, and edit is the permission of all that write", () => {
  const live = createLiveConfig();
  live.take(
    {
      tools: { webfetch: false, task: false },
      permission: { "*": "allow", "my_*": "deny", my_own: "allow", edit: "deny", skill: { "*": "ask" } },
      mcp: { a: { type: "local" }, b: { type: "local", enabled: false } },
    },
    { withAgent: false },
  );
  const isOff = ["webfetch", "my_docs", "my_own", "edit", "write", "apply_patch", "skill", "bash"].filter(
    live.isOff,
  );
  expect(isOff).toEqual(["my_docs", "edit", "write", "apply_patch"]);
  expect(live.servers()).toEqual(["a"]);
  live.take({ tools: { "web*": false }, permission: { edit: "ask" } }, { withAgent: false });
  expect(["webfetch", "edit", "bash"].filter(live.isOff)).toEqual(["webfetch"]);
});
