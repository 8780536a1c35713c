/**
 * The judge "model": the user's small model reads the candidates that wait, in batches, when the session is quiet, when
 * it is compacted, and at the next start what an ended session has left. Code proves each verdict before it is kept.
 *
 *     waiting candidates → a batch → one question → verdicts → proof → gate → memory, with quote, judge and reason
 *
 * Without a model, a budget or a valid answer all of them keep waiting. Asked in vain twice, a candidate waits for the
 * user alone.
 */
import {
  isHandedOver,
  readLatest,
  readSessions,
  type SaidStatement,
  type WaitingCandidate,
} from "../../../src/candidates/candidate.js";
import type { Judgement } from "../../../src/candidates/judgements.js";
import type { Gate } from "../../../src/gate/gate.js";
import type { LayerContext } from "../../../src/layer-context.js";
import { type MemoryDraft, usersTypes } from "../../../src/memory/memory.js";
import type { MemoryStore } from "../../../src/memory/store.js";
import { JUDGING } from "../../../src/record/savings.js";
import { findWhen } from "../when.js";
import { formatTitle } from "../words/title.js";
import { type Answer, type Batch, formatBatch, parseAnswer, type Verdict } from "./batch.js";
import { planBatches } from "./plan-batches.js";
import { prove } from "./prove.js";
import type { Work } from "./work.js";

export type ModelJudgeContext = Pick<LayerContext, "candidates" | "clock" | "log" | "prompts"> & {
  generation: Pick<LayerContext["generation"], "generate" | "status">;
  gate: Pick<Gate, "save">;
  memories: Pick<MemoryStore, "list">;
};

export interface JudgeRequest {
  /** For the host: under which session the question runs. */
  sessionID: string;
  /** What the work of the session showed since it was last asked. */
  work?: readonly Work[];
  operation?: string;
  run?: string;
}

export interface Judged {
  /** Ids of memories that were written. */
  kept: readonly string[];
  /** Number of candidates that a model has answered about. */
  answered: number;
  /** Why the model was not asked, or gave no answer. */
  why?: string;
}

/** Rejects with the system's error. */
export type ModelJudge = (request: JudgeRequest) => Promise<Judged>;

const LAYER = "auto-memory";
const ANSWER_CHARACTERS = 12_000;
/** Memories that a message may repeat or replace. */
const MOST_MEMORIES = 40;

export function createModelJudge(context: ModelJudgeContext): ModelJudge {
  const { candidates, clock, gate, generation, log, memories, prompts } = context;

  return async (request) => {
    const { isAllowed, why } = await generation.status();
    if (!isAllowed) return { kept: [], answered: 0, ...(why !== undefined && { why }) };
    const open = (await candidates.list()).filter((one) => !one.isJudged && !isHandedOver(one));
    const batches = planBatches(open.map((one) => ({ one, statements: readStored(one) })));
    // What the work showed is judged with what was said about it, never for itself.
    const kept: string[] = [];
    let answered = 0;
    for (const [index, batch] of batches.entries()) {
      const some = batch.map(({ one }) => one);
      const done = await judge(some, { ...request, work: index === 0 ? (request.work ?? []) : [] });
      if ("why" in done) return { kept, answered, why: done.why };
      kept.push(...done.kept);
      answered += some.length;
    }
    return { kept, answered };
  };

  async function judge(
    some: readonly WaitingCandidate[],
    request: JudgeRequest & { work: readonly Work[] },
  ): Promise<{ kept: string[] } | { why: string }> {
    const { work } = request;
    const known = (await memories.list())
      .filter(({ isForeign, status }) => !isForeign && status === "active")
      .slice(0, MOST_MEMORIES);
    const batch: Batch = {
      messages: some.map((one) => ({
        statements: readStored(one),
        sessions: readSessions(one).length,
        ...contextOf(one),
      })),
      work: work.map(({ line }) => line),
      memories: known,
    };
    const asked = await ask(batch, request.sessionID);
    if ("why" in asked) {
      // What was refused was not asked.
      if (asked.isFailure) await candidates.noteTried(some.map(({ id }) => id));
      return asked;
    }
    const { answer, judgeName } = asked;
    // The user may have kept, dropped or taken back some of them meanwhile.
    const waiting = new Set((await candidates.list()).map(({ id }) => id));
    const notes: Judgement[] = [];
    const kept: string[] = [];
    const spared = new Set<string>();
    const unsure = new Set<string>();
    for (const verdict of answer.verdicts) {
      const one = verdict.of.kind === "message" ? some[verdict.of.at] : undefined;
      if (one && !waiting.has(one.id)) continue;
      const replaces = verdict.replaces === undefined ? [] : [known[verdict.replaces]?.id ?? ""];
      const outcome = !one
        ? await offerWork(work, verdict, request.sessionID)
        : verdict.isSure
          ? await keep(one, verdict, { judgeName, replaces, request })
          : describe(one, { outcome: "waiting", why: `${judgeName} is not sure: ${verdict.why}` });
      if (!outcome) continue;
      if (one && !verdict.isSure) unsure.add(one.id);
      notes.push(outcome);
      if (outcome.outcome === "kept" && outcome.id !== undefined) kept.push(outcome.id);
      if (one) spared.add(one.id);
    }
    for (const one of some)
      if (!spared.has(one.id))
        notes.push(describe(one, { outcome: "left out", why: `${judgeName} kept nothing of it` }));
    const ids = some.map(({ id }) => id);
    await candidates.noteJudged(ids.filter((id) => unsure.has(id)));
    await candidates.settle(ids.filter((id) => !unsure.has(id)));
    await candidates.note(notes);
    return { kept };
  }

  async function ask(
    batch: Batch,
    sessionID: string,
  ): Promise<{ answer: Answer; judgeName: string } | { why: string; isFailure: boolean }> {
    const task = await prompts.read("memory-judge");
    const result = await generation.generate({
      purpose: JUDGING,
      sessionID,
      prompt: `${task.trim()}\n\n${formatBatch(batch)}\n`,
      maxCharacters: ANSWER_CHARACTERS,
    });
    if (result.kind !== "text") {
      log.debug(LAYER, `candidates are not judged: ${result.why}`);
      return { why: result.why, isFailure: result.kind === "failed" };
    }
    const answer = parseAnswer(result.text, batch);
    const faults = answer?.faults ?? ["it is not a JSON list"];
    if (faults.length > 0) log.warn(LAYER, `of the model's judgement is not used: ${faults.join("; ")}`);
    if (!answer) return { why: "the model's answer was not a JSON list", isFailure: true };
    return { answer, judgeName: (await generation.status()).model ?? "a small model" };
  }

  async function keep(
    one: WaitingCandidate,
    verdict: Verdict,
    { judgeName, replaces, request }: { judgeName: string; replaces: string[]; request: JudgeRequest },
  ): Promise<Judgement | undefined> {
    const latest = readLatest(one);
    if (!latest || verdict.of.kind !== "message") return undefined;
    const statements = readStored(one);
    const quote = statements.slice(verdict.of.from, verdict.of.to + 1);
    const around = [...statements.map(({ text }) => text), latest.context ?? ""].join("\n");
    const proved = prove(verdict, { quote, around });
    const { message, session, text } = latest;
    const base = { atMs: clock.now(), session, message, text, by: "model" as const };
    if (typeof proved === "string") return { ...base, outcome: "refused", why: proved };
    const { content, evidence, isGlobal, type } = proved;
    const why = `${judgeName}${verdict.why === "" ? "" : `: ${verdict.why}`}`;
    const draft: MemoryDraft = {
      type,
      title: formatTitle(content),
      content,
      when: findWhen(content),
      ...(isGlobal && { scope: "global" as const }),
      provenance: { by: "user", session, message, evidence, how: "model", why },
    };
    const { operation = "extract", run } = request;
    const cause = { operation, session, reason: `judged by ${why}`, ...(run !== undefined && { run }) };
    const written = await gate.save(draft, latest.saidMs, cause, replaces);
    if (written.kind === "refused") {
      log.info(LAYER, `not remembered: ${written.why}`);
      return { ...base, outcome: "refused", why: written.why };
    }
    return { ...base, text: evidence, outcome: "kept", why, id: written.memory.id };
  }

  /** What the session proved is the agent's word, and waits for the user. */
  async function offerWork(
    work: readonly Work[],
    { of, says, type, why }: Verdict,
    session: string,
  ): Promise<Judgement | undefined> {
    const seen = work[of.at];
    if (of.kind !== "work" || !seen || usersTypes.has(type)) return undefined;
    const saying = {
      session,
      message: seen.message,
      saidMs: seen.atMs,
      title: formatTitle(says),
      text: says,
    };
    const said = [{ ...saying, context: seen.line, isHandedOver: true as const }];
    await candidates.offer([{ type, when: findWhen(says), worth: 0, said }]);
    return {
      ...{ atMs: clock.now(), session, message: seen.message, text: says },
      ...{ by: "model", outcome: "waiting", why: `from the work: ${why}` },
    };
  }
}

function readStored(one: WaitingCandidate): readonly SaidStatement[] {
  const latest = readLatest(one);
  return latest?.statements ?? (latest ? [latest] : []);
}

function contextOf(one: WaitingCandidate): { context?: string } {
  const context = readLatest(one)?.context;
  return context === undefined ? {} : { context };
}

function describe(one: WaitingCandidate, outcome: Pick<Judgement, "outcome" | "why">): Judgement {
  const { message = "", saidMs = 0, session = "", statements, text = "" } = readLatest(one) ?? {};
  return {
    ...{ atMs: saidMs, session, message, text: statements?.map((one) => one.text).join(" ") ?? text },
    ...{ by: "model", ...outcome },
  };
}
