/** A stage on which a person asks for a dream, and its model is the scripted one. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { whenContains } from "./stage/files.js";
import type { ModelRequest } from "./stage/model-request.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { type Step, say } from "./stage/steps.js";

/** Two memories that a model is asked about. */
export const LIKE = {
  ".opencode/memory/knowledge/queue.md": "The worker reads the mail queue once a day.\n",
  ".opencode/memory/knowledge/queue-night.md":
    "The worker reads the mail queue at night, when the load is low.\n",
};

export interface DreamingOptions {
  background?: object;
  files?: Record<string, string>;
  settings?: Record<string, unknown>;
}

/** A host whose small model does this in a dream; `n` counts its requests. */
export async function openDreaming(
  step: (request: ModelRequest, n: number) => Step,
  { background, files = {}, settings = {} }: DreamingOptions = {},
): Promise<Stage> {
  const stage = await openStage({
    options: { dream: settings, ...(background && { background }) },
    // With snapshots, as users have it: without, the host has sent another request before it can be stopped.
    config: { small_model: "mock/m2", snapshot: true },
    files: { "victim.txt": "whole\n", "a.txt": "a\n", "b.txt": "b\n", ...LIKE, ...files },
  });
  let count = 0;
  stage.model.respond((request) => (isDream(request) ? step(request, count++) : undefined));
  return stage;
}

export const isDream = (request: ModelRequest): boolean =>
  request.textOf("user").includes("You tidy the long-term memory");
export const dreamRequests = ({ model }: Stage) => model.requests.filter(isDream);

/** The command's answer is shown, and its turn ends with an error that the host reports. */
export async function command(session: Session, name: string): Promise<void> {
  await session.slash(name);
}

/** A person asks for a dream. */
export async function dream(stage: Stage): Promise<Session> {
  const session = await stage.newSession("dreaming");
  await session.ask("hello");
  await command(session, "dream");
  return session;
}

export const MERGED = [
  {
    keep: "knowledge/queue",
    supersede: ["knowledge/queue-night"],
    content: "The worker reads the mail queue once a day, at night, when the load is low.",
    reason: "both are about when the queue is read",
  },
];
/** The model answers with what it has decided. */
export const answer = (entries: unknown): Step => say(JSON.stringify(entries));

export const LOG = ".opencode/strata/strata.log";

export const whenLogged = (stage: Stage, text: string) => whenContains(stage.project.file(LOG), text, 40_000);

/** Every file of the project but machine state, logs and what the host installs for itself. */
export function readTree(root: string): Map<string, string> {
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
export function findChanged(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

export async function lastShown(session: Session): Promise<string> {
  const texts = (await session.messages()).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : [])),
  );
  return texts.at(-1) ?? "";
}
