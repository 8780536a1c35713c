/** Dreams in the real OpenCode: when they come, what is made of a model's answer, and what becomes of one without. */

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { patiently } from "../../support/patience.js";
import { startBeside } from "../stage/beside.js";
import { whenContains } from "../stage/files.js";
import type { ModelRequest } from "../stage/model-request.js";
import type { Session } from "../stage/session.js";
import { openStage, type Stage } from "../stage/stage.js";
import { type Step, say, stall } from "../stage/steps.js";

test("a dream's model gets one prompt without tools, what it merges rightly is written, and an undo restores every byte", async () => {
  await using stage = await openDreaming(() => answer(MERGED));
  const before = readTree(stage.project.path);
  const session = await dream(stage);
  await whenLogged(stage, "1 merged, 1 superseded, with a model");
  const [request, ...others] = dreamRequests(stage);
  expect(others).toEqual([]);
  expect(request?.tools).toEqual([]);
  expect(request?.textOf("user")).toContain('"id": "knowledge/queue-night"');
  const changed = (): string[] =>
    findChanged(before, readTree(stage.project.path)).map((name) =>
      name.replace(/\/[\w-]+\.jsonl$/, "/LEDGER"),
    );
  // The overview is written a moment later.
  await expect
    .poll(changed, { timeout: patiently(10_000) })
    .toEqual([
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
  expect(await session.slash("memory-undo")).toContain("Taken back: dream of");
  for (const name of Object.keys(LIKE)) expect(stage.read(name)).toBe(before.get(name));
  expect(stage.read(".opencode/memory/DREAMS.md")).toMatch(/^## .* · taken back /m);
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

test("two hosts in a project never dream at once", async () => {
  await using stage = await openDreaming(() => stall());
  await dream(stage);
  await stage.model.waitForRequest(isDream);
  const beside = await startBeside(stage.project);
  try {
    const session = await beside.host.newSession("b");
    await session.ask("hello");
    expect(await session.slash("dream")).toContain("another dream is running in this project");
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
  await using stage = await openStage({ alone: true, files: { ...files, ...LIKE } });
  await (await stage.newSession("quiet")).ask("hello");
  await whenLogged(stage, "1 merged, 1 superseded");
  expect(stage.model.requests).toHaveLength(1);
  expect(stage.read(LOG)).toContain('no model used: background.enabled is "auto"');
  expect(stage.read(".opencode/memory/DREAMS.md")).toContain("takes in knowledge/f");
});

/** A stage on which a person asks for a dream, and its model is the scripted one. */

/** Two memories that a model is asked about. */
const LIKE = {
  ".opencode/memory/knowledge/queue.md": "The worker reads the mail queue once a day.\n",
  ".opencode/memory/knowledge/queue-night.md":
    "The worker reads the mail queue at night, when the load is low.\n",
};

interface DreamingOptions {
  background?: object;
  files?: Record<string, string>;
  settings?: Record<string, unknown>;
}

/** A host whose small model does this in a dream; `n` counts its requests. */
async function openDreaming(
  step: (request: ModelRequest, n: number) => Step,
  { background, files = {}, settings = {} }: DreamingOptions = {},
): Promise<Stage> {
  const stage = await openStage({
    // On a machine that knows other projects, memories from before the first look are not the user's.
    alone: true,
    options: { dream: settings, ...(background && { background }) },
    // With snapshots, as users have it: without, the host has sent another request before it can be stopped.
    config: { small_model: "mock/m2", snapshot: true },
    files: { "victim.txt": "whole\n", "a.txt": "a\n", "b.txt": "b\n", ...LIKE, ...files },
  });
  let count = 0;
  stage.model.respond((request) => (isDream(request) ? step(request, count++) : undefined));
  return stage;
}

const isDream = (request: ModelRequest): boolean =>
  request.textOf("user").includes("You tidy the long-term memory");
const dreamRequests = ({ model }: Stage) => model.requests.filter(isDream);

/** A person asks for a dream. */
async function dream(stage: Stage): Promise<Session> {
  const session = await stage.newSession("dreaming");
  await session.ask("hello");
  await session.slash("dream");
  return session;
}

const MERGED = [
  {
    keep: "knowledge/queue",
    supersede: ["knowledge/queue-night"],
    content: "The worker reads the mail queue once a day, at night, when the load is low.",
    reason: "both are about when the queue is read",
  },
];
/** The model answers with what it has decided. */
const answer = (entries: unknown): Step => say(JSON.stringify(entries));

const LOG = ".opencode/strata/strata.log";

const whenLogged = (stage: Stage, text: string) => whenContains(stage.project.file(LOG), text, 40_000);

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
