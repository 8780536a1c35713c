/**
 * A small model judges candidates: it accepts, drops or ignores each. Ignored candidates keep waiting; without a model, a
 * budget or a valid answer, all of them do.
 */
import type { LayerContext } from "../../../src/layer-context.js";
import { inSlices } from "../../../src/slices.js";
import type { Signal } from "../signals/find-signals.js";
import type { Candidate } from "./candidates.js";
import { type Answer, formatMaterial, parseAnswer } from "./extract-answer.js";
import type { SaidTurn } from "./extract-turns.js";
import { draftOf, type SaidDraft } from "./said-drafts.js";

export type CandidateContext = Pick<LayerContext, "clock" | "generation" | "log" | "prompts"> & {
  /** Where candidates wait; without it they are dropped. */
  candidates?: { offer(found: readonly Candidate[]): Promise<void> };
};

/** Drafts of the candidates that the model accepts. Makes no model call if `isQuiet`. */
export type CandidateJudge = (
  sessionID: string,
  turns: readonly SaidTurn[],
  isQuiet: boolean,
) => Promise<SaidDraft[]>;

const LAYER = "auto-memory";
const PURPOSE = "memory extraction";
const ANSWER_CHARACTERS = 12_000;

export function createCandidateJudge(context: CandidateContext): CandidateJudge {
  const { clock, generation, log, prompts } = context;

  return async (sessionID, turns, isQuiet) => {
    const found = turns.flatMap((turn) => turn.candidates.map((signal) => ({ signal, turn })));
    if (found.length === 0) return [];
    const answer = isQuiet ? undefined : await ask(sessionID, turns);
    const left = found.filter((_, place) => !answer?.worded.has(place) && !answer?.ignored.has(place));
    await context.candidates?.offer(left.map(({ signal, turn }) => toCandidate(signal, turn, sessionID)));
    return found.flatMap(({ signal, turn }, place) => {
      const worded = answer?.worded.get(place);
      if (!worded) return [];
      const draft = draftOf({ worded, signal, turn, sessionID, how: "model" });
      return [{ draft, saidMs: turn.saidMs }];
    });
  };

  async function ask(sessionID: string, turns: readonly SaidTurn[]): Promise<Answer | undefined> {
    if (!(await generation.status()).isAllowed) return undefined;
    const having = turns.filter(({ candidates }) => candidates.length > 0);
    const candidates = having.flatMap(({ candidates }) => candidates);
    const task = await prompts.read("memory-extraction");
    const texts = having.map(({ text }) => text);
    const material = await inSlices(clock, formatMaterial(texts, candidates));
    const result = await generation.generate({
      purpose: PURPOSE,
      sessionID,
      prompt: `${task}\n\n${material}\n`,
      maxCharacters: ANSWER_CHARACTERS,
    });
    if (result.kind !== "text") {
      log.debug(LAYER, `candidates are not judged: ${result.why}`);
      return undefined;
    }
    const answer = parseAnswer(result.text, candidates);
    if (answer.faults.length > 0)
      log.warn(LAYER, `the model's judgement is not used for ${sessionID}: ${answer.faults.join("; ")}`);
    return answer;
  }
}

export function toCandidate(
  { chance, text, type, when }: Signal,
  { messageID, saidMs }: SaidTurn,
  session: string,
): Candidate {
  return { type, text, when, chance, said: [{ session, message: messageID, saidMs }] };
}
