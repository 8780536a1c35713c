/** Plays the story once: the real OpenCode on a stage of its own, a scripted agent behind it. */
import { existsSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelRequest } from "../host/stage/model-request.js";
import { openStage } from "../host/stage/stage.js";
import { calls, type Step, say } from "../host/stage/steps.js";
import { type Outcome, readOutcomes } from "./outcome.js";
import type { Progress } from "./progress.js";
import { readRepository, takeOverHistory } from "./project-files.js";
import { createStory, type Turn } from "./story.js";

export interface PlayOptions {
  /** The plugins to load. */
  plugin: string[];
  progress: Progress;
}

/** What was sent and seen in one run. */
export interface Run {
  requests: readonly ModelRequest[];
  /** Every tool call, by id, as it was first sent. */
  outcomes: ReadonlyMap<string, Outcome>;
  /** From before the start of the host to the last answer. */
  seconds: number;
  /** Where the project was; it is removed at the end of the run. */
  projectPath: string;
  /** A copy of what the plugin has written in the project, in a temporary folder that stays; none if it wrote nothing. */
  kept: string | undefined;
}

/** Plays all turns. Throws where OpenCode ends one in another way than with the scripted answer. */
export async function play({ plugin, progress }: PlayOptions): Promise<Run> {
  const startedMs = performance.now();
  // npm would ask the registry whether there is a later npm.
  const env = { npm_config_update_notifier: "false" };
  await using stage = await openStage({ files: readRepository(), plugin, mcp: true, env });
  const { model, project } = stage;
  takeOverHistory(project);
  const agent = createAgent((outcome) => progress.result(outcome, project.path));
  model.respond(agent.respond);
  const session = await stage.newSession("demo");
  for (const turn of createStory(project.file)) {
    progress.user(turn.user);
    const before = model.requests.length;
    agent.begin(turn);
    const { info, text } = await session.ask(turn.user);
    if (info.error) throw new Error(`OpenCode ended a turn with an error: ${describeError(info.error)}`);
    if (text !== turn.answer)
      throw new Error(`expected the answer "${turn.answer}", OpenCode gave "${text}"`);
    progress.answer(text, model.requests.slice(before));
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const kept = await keep(project.path);
  return { requests: model.requests, outcomes: agent.seen, seconds, projectPath: project.path, kept };
}

/** What the provider or the host said; the scripted agent's own faults come back this way too. */
function describeError({ name, data }: { name: string; data: object }): string {
  return "message" in data ? `${name}: ${data.message}` : name;
}

interface Agent {
  readonly seen: ReadonlyMap<string, Outcome>;
  /** Takes up the next turn of the story. */
  begin(turn: Turn): void;
  respond(request: ModelRequest): Step;
}

/** Goes through the beats of a turn, one a request, and answers when there is none left. */
function createAgent(report: (outcome: Outcome) => void): Agent {
  const seen = new Map<string, Outcome>();
  let turn: Turn = { user: "", beats: [], answer: "" };
  let next = 0;

  return {
    seen,
    begin(begun) {
      turn = begun;
      next = 0;
    },
    respond(request) {
      for (const [callID, outcome] of readOutcomes(request)) {
        if (seen.has(callID)) continue;
        seen.set(callID, outcome);
        report(outcome);
      }
      while (next < turn.beats.length) {
        const planned = turn.beats[next++]?.(seen) ?? [];
        if (planned.length > 0) return calls(...planned);
      }
      return say(turn.answer);
    },
  };
}

async function keep(projectPath: string): Promise<string | undefined> {
  const written = ["tool-results", "strata"].filter((name) =>
    existsSync(join(projectPath, ".opencode", name)),
  );
  if (written.length === 0) return undefined;
  const kept = join(await mkdtemp(join(tmpdir(), "strata-demo-")), ".opencode");
  for (const name of written) {
    await cp(join(projectPath, ".opencode", name), join(kept, name), { recursive: true });
  }
  return kept;
}
