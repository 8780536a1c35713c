/**
 * A small model judges the candidates that wait: it accepts, drops or ignores each. Without a model, a budget or a valid
 * answer, all of them keep waiting. One question at a time, whatever session it comes from.
 */
import {
  isHandedOver,
  planDraft,
  readLatest,
  type WaitingCandidate,
} from "../../../src/candidates/candidate.js";
import type { Gate } from "../../../src/gate/gate.js";
import type { LayerContext } from "../../../src/layer-context.js";
import { inSlices } from "../../../src/slices.js";
import { type Answer, formatMaterial, type Judged, parseAnswer } from "./extract-answer.js";

export type CandidateContext = Pick<
  LayerContext,
  "candidates" | "clock" | "generation" | "log" | "prompts"
> & {
  gate: Pick<Gate, "save">;
};

/** `texts`: what the user wrote around the newest of them. Rejects with the system's error. */
export type CandidateJudge = (sessionID: string, texts: readonly string[]) => Promise<void>;

const LAYER = "auto-memory";
const PURPOSE = "memory extraction";
const ANSWER_CHARACTERS = 12_000;
const MOST_JUDGED = 20;

export function createCandidateJudge(context: CandidateContext): CandidateJudge {
  const { candidates, clock, gate, generation, log, prompts } = context;

  return async (sessionID, texts) => {
    if (!(await generation.status()).isAllowed) return;
    const open = await listOpen(sessionID);
    if (open.length === 0) return;
    const answer = await ask(sessionID, texts, open);
    if (!answer) return;
    // The user may have kept, dropped or taken back some of them meanwhile.
    const waiting = new Set((await candidates.list()).map(({ id }) => id));
    for (const [place, one] of open.entries()) if (waiting.has(one.id)) await follow(answer, place, one);
    await candidates.noteJudged(open.map(({ id }) => id));
  };

  /** This session's first: the model is given the text around them. */
  async function listOpen(sessionID: string): Promise<WaitingCandidate[]> {
    const open = (await candidates.list()).filter((one) => !one.isJudged && !isHandedOver(one));
    const isOurs = (one: WaitingCandidate): boolean => readLatest(one)?.session === sessionID;
    return [...open.filter(isOurs), ...open.filter((one) => !isOurs(one))].slice(0, MOST_JUDGED);
  }

  async function follow({ accepted, dropped }: Answer, place: number, one: WaitingCandidate): Promise<void> {
    const verdict = accepted.get(place);
    const draft = verdict && planDraft(one, verdict);
    if (draft) {
      const cause = {
        operation: "extract",
        ...(draft.provenance.session !== undefined && { session: draft.provenance.session }),
        reason: "the user said it and a model accepted it",
      };
      const written = await gate.save(draft, readLatest(one)?.saidMs ?? clock.now(), cause);
      if (written.kind === "refused") log.info(LAYER, `not remembered: ${written.why}`);
    }
    if (draft || dropped.has(place)) await candidates.settle([one.id]);
  }

  async function ask(
    sessionID: string,
    texts: readonly string[],
    open: readonly WaitingCandidate[],
  ): Promise<Answer | undefined> {
    const sentences = open.map((one): Judged => ({ type: one.type, text: readLatest(one)?.text ?? "" }));
    const task = await prompts.read("memory-extraction");
    const material = await inSlices(clock, formatMaterial(texts, sentences));
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
    const answer = parseAnswer(result.text, sentences);
    const faults = answer?.faults ?? ["it is not a JSON object with a list of memories"];
    if (faults.length > 0)
      log.warn(LAYER, `the model's judgement is not used for ${sessionID}: ${faults.join("; ")}`);
    return answer;
  }
}
