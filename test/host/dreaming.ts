/** A stage on which a person asks for a dream, and its model is the scripted one. */
import { repository } from "./repository.js";
import type { ModelRequest } from "./stage/model-request.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import type { Step } from "./stage/steps.js";

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
    plugin: repository,
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
  request.textOf("system").includes("You tidy the long-term memory");
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
