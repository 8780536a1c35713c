/** Dreams in the real OpenCode: what a model may do in one, what is made of it, and what it costs. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { createLiveConfig } from "../../src/host/live-config.js";
import { escapes, STAGED } from "../support/escapes.js";
import { command, dream, dreamRequests, isDream, LIKE, openDreaming } from "./dreaming.js";
import { repository } from "./repository.js";
import { startBeside } from "./stage/beside.js";
import { whenContains } from "./stage/files.js";
import type { ModelRequest } from "./stage/model-request.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, calls, type Step, say, stall } from "./stage/steps.js";

const MERGED = [
  {
    keep: "knowledge/queue",
    supersede: ["knowledge/queue-night"],
    content: "The worker reads the mail queue once a day, at night, when the load is low.",
    reason: "both are about when the queue is read",
  },
];
const LOG = ".opencode/strata/strata.log";

const whenLogged = (stage: Stage, text: string) => whenContains(stage.project.file(LOG), text, 40_000);
const stageEntries = (stage: Stage, entries: unknown): Step =>
  call("write", { filePath: stage.project.file(STAGED), content: JSON.stringify(entries) });

async function lastShown(session: Session): Promise<string> {
  const texts = (await session.messages()).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : [])),
  );
  return texts.at(-1) ?? "";
}

/** Every file of the project but machine state, logs and what the host installs for itself. */
function readTree(root: string): Map<string, string> {
  const tree = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const name = relative(root, path);
      if (/^\.git(\/|$)|node_modules|^\.opencode\/(strata|session-memory|package|bun|\.gitignore)/.test(name))
        continue;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) tree.set(name, readFileSync(path, "utf8"));
    }
  };
  walk(root);
  return tree;
}

/** What is different, by name. */
function findChanged(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

/** How our own check, and the host, say no. */
const REFUSED =
  /is not the file to write|needs (a file|2 files)|characters, 2000 are allowed|is not for a dream|may be run, not|only one plain command|may not be run with|outside of the project|is private|may lead out|has no argument|unavailable tool|Tool execution aborted/;

test("a dream's sandbox has no way out that changes anything, and what is staged properly is taken", async () => {
  const AT_A_TIME = 10;
  const rounds = Math.ceil(escapes.length / AT_A_TIME);
  await using stage = await openDreaming((_, n) => {
    const some = escapes.slice(n * AT_A_TIME, (n + 1) * AT_A_TIME);
    if (n < rounds) return calls(...some.map(({ args, tool }) => call(tool, args)));
    return n === rounds ? stageEntries(stage, MERGED) : say("done");
  });
  const before = readTree(stage.project.path);
  const session = await dream(stage);
  await whenLogged(stage, "1 merged, 1 superseded, with a model");
  expect(dreamRequests(stage)).toHaveLength(rounds + 2);
  const answers = dreamRequests(stage)
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
  expect(answers).toHaveLength(escapes.length + 1);
  for (const [n, attempt] of escapes.entries())
    expect(answers?.[n], JSON.stringify(attempt)).toMatch(REFUSED);
  expect(answers?.at(-1)).toContain("Wrote file successfully");

  const changed = findChanged(before, readTree(stage.project.path));
  expect(changed.map((name) => name.replace(/\/[\w-]+\.jsonl$/, "/LEDGER"))).toEqual([
    ".opencode/memory/.gitattributes",
    ".opencode/memory/.gitignore",
    ".opencode/memory/DREAMS.md",
    ".opencode/memory/MEMORY.md",
    ".opencode/memory/archive/knowledge/queue-night.md",
    ".opencode/memory/knowledge/queue-night.md",
    ".opencode/memory/knowledge/queue.md",
    ".opencode/memory/ledger/LEDGER",
  ]);
  expect(existsSync("/tmp/strata-escape.txt")).toBe(false);
  expect(existsSync(stage.project.file(STAGED))).toBe(false);
  expect(stage.read(".opencode/memory/archive/knowledge/queue-night.md")).toContain(
    "supersededBy: knowledge/queue",
  );

  await command(session, "memory-undo");
  expect(await lastShown(session)).toContain("Taken back: dream of");
  for (const name of Object.keys(LIKE)) expect(stage.read(name)).toBe(before.get(name));
  expect(stage.read(".opencode/memory/DREAMS.md")).toMatch(/^## .* · taken back /m);
});

test("the host's own permissions stop a dream's agent where our check is missing", async () => {
  const config: { agent?: Record<string, object> } = {};
  createLiveConfig().take(config, { withAgents: true });
  const bare = escapes.filter(({ args, tool }) => {
    // What a pattern of commands cannot see is what our own check is for.
    const isLook = /^(ls|cat|head|tail|wc|stat|diff|grep)\b/.test(String(args.command ?? ""));
    return tool !== "bash" || !isLook;
  });
  await using stage = await openStage({
    config: { ...config, permission: { "*": "allow" } },
    files: { "victim.txt": "whole\n", "a.txt": "a\n", "b.txt": "b\n", ...LIKE },
  });
  const before = readTree(stage.project.path);
  const attempts = bare.filter(({ tool }) => !["read", "grep", "glob", "list"].includes(tool));
  stage.model.script(calls(...attempts.map(({ args, tool }) => call(tool, args))), say("done"));
  await (await stage.newSession("bare")).ask("tidy", { agent: "strata-dream" });
  expect(attempts.length).toBeGreaterThan(50);
  expect(findChanged(before, readTree(stage.project.path))).toEqual([]);
});

test("a dream's model that stages nonsense, or deletes everything, changes nothing and is not asked again for a while", async () => {
  const everything = [
    {
      keep: "knowledge/queue",
      supersede: ["decision/kept", "knowledge/queue-night"],
      content: "Nothing.",
      reason: "",
    },
    {
      keep: "knowledge/queue",
      supersede: ["knowledge/queue-night"],
      content: "It is read.",
      reason: "shorter",
    },
  ];
  await using stage = await openDreaming(
    (_, n) => (n === 0 ? stageEntries(stage, everything) : say("done")),
    { files: { ".opencode/memory/decision/kept.md": "We use Postgres, since 2024.\n" } },
  );
  const before = readTree(stage.project.path);
  const session = await dream(stage);
  await whenLogged(stage, "rejected a change of the model: entry 1: decision/kept is not");
  for (const [name, text] of before) if (name.includes("memory/")) expect(stage.read(name)).toBe(text);
  const asked = dreamRequests(stage).length;
  await command(session, "dream");
  expect(await lastShown(session)).toContain("Nothing to change");
  expect(dreamRequests(stage)).toHaveLength(asked);
  expect(stage.read(".opencode/strata/state/dream.json")).toContain('"modelFailures": 1');
});

test("a dream's model that never answers is cut off, its session is removed, and the rules have done their part", async () => {
  await using stage = await openDreaming(() => stall(), {
    settings: { maxRuntime: 3_000 },
    files: { ".opencode/memory/knowledge/queue-again.md": "the worker reads the mail queue once a day\n" },
  });
  await dream(stage);
  await whenLogged(stage, "no answer within 2.4 s");
  await whenLogged(stage, "1 merged, 1 superseded");
  expect(stage.read(".opencode/memory/knowledge/queue-night.md")).toBe(
    LIKE[".opencode/memory/knowledge/queue-night.md"],
  );
  expect(stage.read(".opencode/strata/state/dream.json")).toContain('"modelFailures": 1');
  const sessions = await stage.host.sessions();
  expect(sessions.filter(({ title }) => title.startsWith("[strata]"))).toEqual([]);
});

test("a dream's model that takes more tokens than it may is cut off, and what it took is counted", async () => {
  await using stage = await openDreaming(
    (_, n) => call("bash", { command: `head -n ${n + 1} a.txt`, description: "look" }),
    // What may be spent a day is counted in full, and what one dream may take by what it costs.
    { settings: { maxTokens: 10_000 }, background: { dailyTokens: 1_000_000 } },
  );
  await dream(stage);
  await whenLogged(stage, "it took more than 10000 tokens");
  const folder = ".opencode/strata/state/background";
  const [name = ""] = readdirSync(stage.project.file(folder));
  const lines = stage
    .read(`${folder}/${name}`)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  // What was reserved on the way is given back, with a line of its own each.
  const { cacheRead, input, output } = lines.find(({ kind }) => kind === "spent").tokens;
  const weighed = input + output + 0.1 * cacheRead;
  expect(weighed).toBeGreaterThan(10_000);
  expect(weighed).toBeLessThan(12_000);
  const sum = (pick: (request: ModelRequest) => number) =>
    dreamRequests(stage).reduce((total, request) => total + pick(request), 0);
  expect(cacheRead).toBe(sum(({ cachedTokens }) => cachedTokens));
  expect(input + cacheRead).toBe(sum(({ promptTokens }) => promptTokens));
});

test("a dream that is killed while a model looks leaves memory as it was, and the next instance dreams", async () => {
  let isStalled = true;
  await using stage = await openDreaming((_, n) =>
    isStalled ? stall() : n % 2 === 1 ? stageEntries(stage, MERGED) : say("done"),
  );
  const before = readTree(stage.project.path);
  await dream(stage);
  await stage.model.waitForRequest(isDream);
  expect(existsSync(stage.project.file(".opencode/strata/state/dream.lock"))).toBe(true);
  await stage.restart({ kill: true });
  isStalled = false;
  for (const name of Object.keys(LIKE)) expect(stage.read(name)).toBe(before.get(name));
  await dream(stage);
  await whenLogged(stage, "1 merged, 1 superseded, with a model");
  const sessions = await stage.host.sessions();
  expect(sessions.filter(({ title }) => title.startsWith("[strata]"))).toEqual([]);
});

test("two hosts in a project never dream at once", async () => {
  await using stage = await openDreaming(() => stall(), { settings: { maxRuntime: 30_000 } });
  await dream(stage);
  await stage.model.waitForRequest(isDream);
  const beside = await startBeside(stage.project);
  try {
    const session = await beside.host.newSession("b");
    await session.ask("hello");
    await command(session, "dream");
    expect(await lastShown(session)).toContain("another dream is running in this project");
  } finally {
    await beside.end();
  }
});

test("a dream comes by itself a while after a turn when enough has changed, and without a small model goes by rules alone", async () => {
  const files = Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((n) => [
      `.opencode/memory/knowledge/f${n}.md`,
      `Queue ${n % 5} is read every ${n % 5} hours.\n`,
    ]),
  );
  await using stage = await openStage({ plugin: repository, files: { ...files, ...LIKE } });
  await (await stage.newSession("quiet")).ask("hello");
  await whenLogged(stage, "1 merged, 1 superseded");
  expect(stage.model.requests).toHaveLength(1);
  expect(stage.read(LOG)).toContain('no model used: background.enabled is "auto"');
  expect(stage.read(".opencode/memory/DREAMS.md")).toContain("takes in knowledge/f");
});
