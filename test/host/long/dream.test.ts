/** Dreams in the real OpenCode: when they come, what is made of a model's answer, and what becomes of one without. */
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { patiently } from "../../support/patience.js";
import {
  answer,
  command,
  dream,
  dreamRequests,
  findChanged,
  isDream,
  LIKE,
  LOG,
  lastShown,
  MERGED,
  openDreaming,
  readTree,
  whenLogged,
} from "../dreaming.js";
import { startBeside } from "../stage/beside.js";
import { openStage } from "../stage/stage.js";
import { call, stall } from "../stage/steps.js";

test("a dream's model gets one prompt without tools, what it merges rightly is written, and an undo restores every byte", async () => {
  await using stage = await openDreaming(() => answer(MERGED));
  const before = readTree(stage.project.path);
  const session = await dream(stage);
  await whenLogged(stage, "1 merged, 1 superseded, with a model");
  const [request, ...others] = dreamRequests(stage);
  expect(others).toEqual([]);
  expect(request?.tools).toEqual([]);
  expect(request?.textOf("user")).toContain('"id": "knowledge/queue-night"');
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
  expect(stage.read(".opencode/memory/archive/knowledge/queue-night.md")).toContain(
    "supersededBy: knowledge/queue",
  );
  await command(session, "memory-undo");
  expect(await lastShown(session)).toContain("Taken back: dream of");
  for (const name of Object.keys(LIKE)) expect(stage.read(name)).toBe(before.get(name));
  expect(stage.read(".opencode/memory/DREAMS.md")).toMatch(/^## .* · taken back /m);
});

test("a dream's model that calls a tool runs none: the answer is none, and the rules go on", async () => {
  await using stage = await openDreaming(() => call("bash", { command: "rm victim.txt", description: "x" }));
  await dream(stage);
  await whenLogged(stage, "no model used: ");
  expect(stage.read("victim.txt")).toBe("whole\n");
  expect(dreamRequests(stage)).toHaveLength(1);
});

test("a dream's model that answers nonsense, or deletes everything, changes nothing and is not asked again for a while", async () => {
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
  await using stage = await openDreaming(() => answer(everything), {
    files: { ".opencode/memory/decision/kept.md": "We use Postgres, since 2024.\n" },
  });
  const before = readTree(stage.project.path);
  const session = await dream(stage);
  await whenLogged(stage, "rejected a change of the model: entry 1: decision/kept is not");
  for (const [name, text] of before) if (name.includes("memory/")) expect(stage.read(name)).toBe(text);
  const asked = dreamRequests(stage).length;
  await command(session, "dream");
  expect(await lastShown(session)).toContain("Nothing to change");
  expect(dreamRequests(stage)).toHaveLength(asked);
  expect(stage.read(".opencode/strata/state/dream.json")).toContain('"lastModelFailureMs"');
});

test("a dream's model that never answers is cut off, its session is removed, and the rules have done their part", async () => {
  await using stage = await openDreaming(() => stall(), {
    settings: { maxRuntime: patiently(5_000) },
    files: { ".opencode/memory/knowledge/queue-again.md": "the worker reads the mail queue once a day\n" },
  });
  await dream(stage);
  await whenLogged(stage, "no answer within ");
  await whenLogged(stage, "1 merged, 1 superseded");
  expect(stage.read(".opencode/memory/knowledge/queue-night.md")).toBe(
    LIKE[".opencode/memory/knowledge/queue-night.md"],
  );
  expect(stage.read(".opencode/strata/state/dream.json")).toContain('"lastModelFailureMs"');
  const sessions = await stage.host.sessions();
  expect(sessions.filter(({ title }) => title.startsWith("[strata]"))).toEqual([]);
});

test("a dream that is killed while a model looks leaves memory as it was, and the next instance dreams", async () => {
  let isStalled = true;
  await using stage = await openDreaming(() => (isStalled ? stall() : answer(MERGED)));
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
  await using stage = await openDreaming(() => stall());
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
  await using stage = await openStage({ files: { ...files, ...LIKE } });
  await (await stage.newSession("quiet")).ask("hello");
  await whenLogged(stage, "1 merged, 1 superseded");
  expect(stage.model.requests).toHaveLength(1);
  expect(stage.read(LOG)).toContain('no model used: background.enabled is "auto"');
  expect(stage.read(".opencode/memory/DREAMS.md")).toContain("takes in knowledge/f");
});
