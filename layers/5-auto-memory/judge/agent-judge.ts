/**
 * The judge "agent": where no small model may be asked, the running agent is, without a request of its own. At the end of
 * the context it finds a few of the user's sentences by letter, and keeps those that are worth it with `memory_keep`.
 *
 *     behind the turn     reads what waits
 *     with a message      a question, recorded as it is shown; then its letters are noted with the candidates
 *     memory_keep         candidates → proof → gate → memories in the user's own words
 *
 * What the agent does not keep stays a candidate, for the user and for a small model.
 */
import { formatError } from "../../../src/base/error.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { waitAtMost } from "../../../src/io/clock.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { readLatest, type WaitingCandidate } from "../../../src/memory/candidates/candidate.js";
import { LAYER } from "../injection/boot.js";
import type { Keeper } from "../tools/remember.js";
import type { KeepContext, Question } from "./agent-question.js";

export interface AgentJudge extends Keeper {
  /** Starts reading what waits; returns at once. */
  prepare(): void;
  /** What to ask behind the newest message or result. Reads nothing; waits a moment for what is being read. */
  plan(request: ContextRequest): Promise<Question | undefined>;
  /** The question is recorded: its candidates are not asked about again. Returns at once. */
  noteAsked(sessionID: string, letters: Question["letters"]): void;
}

export type AgentJudgeContext = KeepContext &
  Pick<LayerContext, "background" | "candidates" | "clock" | "config" | "generation" | "log">;

/** A message waits no longer for what is being read; the question then comes with the next one. */
const READ_WITHIN_MS = 30;

/** `undefined` where the settings leave judging to others. */
export function createAgentJudge(context: AgentJudgeContext): AgentJudge | undefined {
  const { background, candidates, clock, config, generation, log } = context;
  const { judge } = config.autoMemory;
  if (judge !== "agent" && judge !== "auto") return undefined;
  let reading: Promise<void> | undefined;
  let questions: typeof import("./agent-question.js") | undefined;
  let open: readonly WaitingCandidate[] = [];
  /** By id. What is on disk may not say so yet. */
  const asked = new Map<string, NonNullable<WaitingCandidate["asked"]>>();
  candidates.onChange(prepare);

  return {
    prepare,

    async plan(request) {
      if (reading) await waitAtMost(clock, READ_WITHIN_MS, () => reading);
      if (!questions || open.length === 0) return undefined;
      // What was read may be older than an undo: only words that are still said are quoted.
      const said = new Set(request.history.messages.map(({ info }) => info.id));
      const own = open.filter((one) => {
        const latest = readLatest(one);
        return !asked.has(one.id) && latest?.session === request.sessionID && said.has(latest.message);
      });
      return own.length === 0 ? undefined : questions.planQuestion(own, questions.readAsked(request));
    },

    noteAsked(sessionID, letters) {
      if (letters.size === 0) return;
      const noted = new Map([...letters].map(([id, letter]) => [id, { session: sessionID, letter }]));
      for (const [id, one] of noted) asked.set(id, one);
      void inBackground("note what was asked", () => candidates.noteAsked(noted));
    },

    async keep(letters, sessionID) {
      const { keepAsked } = await import("./agent-question.js");
      return keepAsked(context, { asked, letters, sessionID });
    },
  };

  function prepare(): void {
    reading ??= inBackground("read what the agent may be asked", read).finally(() => {
      reading = undefined;
    });
  }

  async function read(): Promise<void> {
    if (judge === "auto" && (await generation.status()).isAllowed) open = [];
    else {
      questions = await import("./agent-question.js");
      open = (await candidates.list()).filter(questions.isAskable);
    }
  }

  function inBackground(what: string, work: () => Promise<void>): Promise<void> {
    return background.add(work).catch((thrown) => log.error(LAYER, `cannot ${what}: ${formatError(thrown)}`));
  }
}
