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
import type { Gate } from "../../../src/memory/gate/gate.js";
import { LAYER } from "../injection/boot.js";
import type { Question } from "./agent-question.js";

export type AgentJudge = NonNullable<ReturnType<typeof createAgentJudge>>;

/** A message waits no longer for what is being read; the question then comes with the next one. */
const READ_WITHIN_MS = 30;

/** `undefined` where the settings leave judging to others. */
export function createAgentJudge(context: LayerContext & { gate: Gate }) {
  const { background, candidates, clock, config, generation, log } = context;
  const { judge } = config.autoMemory;
  if (judge !== "agent" && judge !== "auto") return undefined;
  let reading: Promise<void> | undefined;
  /** What was asked is being written; what is read meanwhile may not say so. */
  let noting: Promise<void> = Promise.resolve();
  let questions: typeof import("./agent-question.js") | undefined;
  let open: readonly WaitingCandidate[] = [];
  candidates.onChange(prepare);

  return {
    prepare,

    /** What to ask behind the newest message or result. Reads nothing; waits a moment for what is being read. */
    async plan(request: ContextRequest): Promise<Question | undefined> {
      if (reading) await waitAtMost(clock, READ_WITHIN_MS, () => reading);
      if (!questions || open.length === 0) return undefined;
      // What was read may be older than an undo: only words that are still said are quoted.
      const said = new Set(request.history.messages.map(({ info }) => info.id));
      const own = open.filter((one) => {
        const latest = readLatest(one);
        return latest?.session === request.sessionID && said.has(latest.message);
      });
      return own.length === 0 ? undefined : questions.planQuestion(own, questions.readAsked(request));
    },

    /** The question is recorded: its candidates are not asked about again. Returns at once. */
    noteAsked(session: string, letters: Question["letters"]): void {
      if (letters.size === 0) return;
      open = open.filter(({ id }) => !letters.has(id));
      const noted = new Map([...letters].map(([id, letter]) => [id, { session, letter }]));
      noting = inBackground("note what was asked", () => candidates.noteAsked(noted));
    },

    /** Keeps what the letters stand for; returns what became of each. Rejects with what is open if one is unknown. */
    async keep(letters: string, sessionID: string): Promise<string> {
      const { keepAsked } = await import("./agent-question.js");
      await noting;
      return keepAsked(context, letters, sessionID);
    },
  };

  function prepare(): void {
    reading ??= inBackground("read what the agent may be asked", read).finally(() => {
      reading = undefined;
    });
  }

  async function read(): Promise<void> {
    await noting;
    const waiting = judge === "auto" && (await generation.status()).isAllowed ? [] : await candidates.list();
    if (waiting.length > 0) questions ??= await import("./agent-question.js");
    open = questions ? waiting.filter(questions.isAskable) : [];
  }

  function inBackground(what: string, work: () => Promise<void>): Promise<void> {
    return background.add(work).catch((thrown) => log.error(LAYER, `cannot ${what}: ${formatError(thrown)}`));
  }
}
