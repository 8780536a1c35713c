/**
 * The judge "model": the user's small model reads the candidates that wait, in batches, when the session is quiet, when
 * it is compacted, and at the next start what an ended session has left. Code proves each verdict before it is kept.
 *
 *     waiting candidates → a batch → one question → verdicts → proof → gate → memory, with quote, judge and reason
 *
 * Without a model, a budget or a valid answer all of them keep waiting. Asked in vain twice, a candidate waits for the
 * user alone.
 */

import { toCode, toLine } from "../../../src/base/text.js";
import { JUDGING } from "../../../src/costs/savings.js";
import { isToolPart, type Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import {
  isHandedOver,
  type Judgement,
  readLatest,
  readSessions,
  type SaidStatement,
  type WaitingCandidate,
} from "../../../src/memory/candidates/candidate.js";
import type { ModelAnswer } from "../../../src/memory/candidates/candidate-store.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import { type Memory, type MemoryDraft, usersTypes } from "../../../src/memory/memory.js";
import type { MemoryStore } from "../../../src/memory/store/store.js";
import { readAgreed } from "../said/find-said.js";
import { findWhen, formatTitle } from "../words/describe.js";
import type { UsersMessage } from "../words/statements.js";
import { prove } from "./prove.js";
import { type Answer, type Batch, formatBatch, parseAnswer, planBatches, type Verdict } from "./verdicts.js";

export type ModelJudgeContext = Pick<LayerContext, "candidates" | "clock" | "log" | "prompts"> & {
  generation: Pick<LayerContext["generation"], "generate" | "status">;
  gate: Pick<Gate, "save">;
  memories: Pick<MemoryStore, "list">;
};

interface JudgeRequest {
  sessionID: string;
  /** What the work of the session showed since it was last asked. */
  work?: readonly Work[];
  operation?: string;
  run?: string;
}

interface Judged {
  kept: readonly string[];
  /** Number of candidates that a model has answered about. */
  answered: number;
  /** Why the model was not asked, or gave no answer. */
  why?: string;
}

export type ModelJudge = ReturnType<typeof createModelJudge>;

const LAYER = "auto-memory";
const ANSWER_CHARACTERS = 12_000;
const MOST_MEMORIES = 40;

/**
 * From top to bottom: may a model be asked? → batches of what waits → `ask` about one → `carryOut` its verdicts → what is
 * decided waits no longer, what the model is unsure of waits for the user, and why is noted for `strata candidates why`.
 */
export function createModelJudge(context: ModelJudgeContext) {
  const { candidates, generation } = context;

  return async (request: JudgeRequest): Promise<Judged> => {
    const { isAllowed, why } = await generation.status();
    if (!isAllowed) return { kept: [], answered: 0, ...(why !== undefined && { why }) };
    const open = (await candidates.list()).filter((one) => !one.isJudged && !isHandedOver(one));
    const batches = planBatches(open.map((one) => ({ one, statements: readStored(one) })));
    const kept: string[] = [];
    let answered = 0;
    for (const [index, batch] of batches.entries()) {
      const some = batch.map(({ one }) => one);
      // What the work showed is judged with what was said about it, never for itself.
      const done = await judge(some, { ...request, work: index === 0 ? (request.work ?? []) : [] });
      if (done.why !== undefined) return { kept, answered, why: done.why };
      kept.push(...done.kept);
      answered += done.answered;
    }
    return { kept, answered };
  };

  async function judge(some: readonly WaitingCandidate[], request: Asking["request"]) {
    const all = await context.memories.list();
    const isKnown = ({ isForeign, status }: Memory): boolean => !isForeign && status === "active";
    const asking: Asking = { known: all.filter(isKnown).slice(0, MOST_MEMORIES), request, some };
    const asked = await ask(context, asking);
    const inVain = new Map(some.map(({ id }) => [id, "unusable" as const]));
    if (asked.why !== undefined) {
      // What was refused was not asked.
      if (asked.isFailure) await candidates.noteAnswers(inVain);
      return { why: asked.why };
    }
    const { answers, notes } = await carryOut(context, asked, asking).catch(async (thrown) => {
      await candidates.noteAnswers(inVain);
      throw thrown;
    });
    await candidates.noteAnswers(answers);
    await candidates.note(notes);
    return {
      kept: notes.flatMap(({ id, outcome }) => (outcome === "kept" && id !== undefined ? [id] : [])),
      answered: [...answers.values()].filter((answer) => answer !== "unusable").length,
    };
  }
}

interface Asking {
  some: readonly WaitingCandidate[];
  known: readonly Memory[];
  request: JudgeRequest & { work: readonly Work[] };
}

/** The answer, or why there is none; a failure counts as a try. */
async function ask({ generation, log, prompts }: ModelJudgeContext, { known, request, some }: Asking) {
  const messages = some.map((one) => {
    const { context } = readLatest(one) ?? {};
    const sessions = readSessions(one).length;
    return { statements: readStored(one), sessions, ...(context !== undefined && { context }) };
  });
  const batch: Batch = { messages, work: request.work.map(({ line }) => line), memories: known };
  const task = await prompts.read("memory-judge");
  const result = await generation.generate({
    purpose: JUDGING,
    sessionID: request.sessionID,
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
  if (!answer || (answer.verdicts.length === 0 && faults.length > 0))
    return { why: "nothing of the model's answer could be used", isFailure: true };
  return { answer, judgeName: (await generation.status()).model ?? "a small model" };
}

/**
 * Does what the verdicts say, as far as it can be proved. `answers`: by id; of those that are unsure the user decides, and
 * those about which a part of the answer could not be used are asked about once more.
 */
async function carryOut(
  context: ModelJudgeContext,
  { answer, judgeName }: { answer: Answer; judgeName: string },
  asking: Asking,
) {
  // The user may have kept, dropped or taken back some of them meanwhile.
  const waiting = new Set((await context.candidates.list()).map(({ id }) => id));
  const notes: Judgement[] = [];
  const answers = new Map<string, ModelAnswer>(asking.some.map(({ id }) => [id, "settled"]));
  for (const [at, one] of asking.some.entries()) {
    if (!waiting.has(one.id)) continue;
    const isUnusable = answer.unusable.has(at);
    const verdicts = answer.verdicts.filter(({ of }) => of.kind === "message" && of.at === at);
    if (isUnusable) notes.push(describe(one, "waiting", `what ${judgeName} said of it could not be used`));
    else if (verdicts.length === 0) notes.push(describe(one, "left out", `${judgeName} kept nothing of it`));
    const judged: Judgement[] = [];
    for (const verdict of verdicts)
      judged.push(
        verdict.isSure
          ? await keep(context, one, { judgeName, verdict, ...asking })
          : describe(one, "waiting", `${judgeName} is not sure: ${verdict.why}`),
      );
    notes.push(...judged);
    if (judged.some(({ outcome }) => outcome === "waiting")) answers.set(one.id, "unsure");
    else if (isUnusable) answers.set(one.id, "unusable");
  }
  for (const verdict of answer.verdicts)
    if (verdict.of.kind === "work") notes.push(...(await offerWork(context, verdict.of.at, verdict, asking)));
  return { notes, answers };
}

/** A memory of what the verdict quotes, if the proof and the gate let it through. */
async function keep(
  { clock, gate, log }: ModelJudgeContext,
  one: WaitingCandidate,
  { judgeName, known, request, verdict }: Asking & { judgeName: string; verdict: Verdict },
): Promise<Judgement> {
  const { context = "", message = "", saidMs = 0, session = "" } = readLatest(one) ?? {};
  const statements = readStored(one);
  const quote = verdict.of.kind === "message" ? statements.slice(verdict.of.from, verdict.of.to + 1) : [];
  const around = statements.map(({ text }) => text).join("\n");
  const proved = prove(verdict, { quote, around, context });
  const base = { ...describe(one, "waiting", ""), atMs: clock.now() };
  if (typeof proved === "string") return { ...base, outcome: "refused", why: proved };
  const { content, evidence, isGlobal, isProved, title, type } = proved;
  if (!isProved) return { ...base, why: `${judgeName} wrote more than you said: ${verdict.says}` };
  const why = `${judgeName}${verdict.why === "" ? "" : `: ${verdict.why}`}`;
  const draft: MemoryDraft = {
    type,
    title,
    content,
    when: findWhen(content),
    ...(isGlobal && { scope: "global" as const }),
    provenance: { by: "user", session, message, evidence, how: "model", why },
  };
  const { operation = "extract", run } = request;
  const cause = { operation, session, reason: `judged by ${why}`, ...(run !== undefined && { run, saidMs }) };
  const replaced = verdict.replaces === undefined ? undefined : known[verdict.replaces];
  const written = await gate.save(draft, saidMs, cause, replaced ? [replaced.id] : []);
  if (written.kind === "refused") {
    log.info(LAYER, `not remembered: ${written.why}`);
    return { ...base, outcome: "refused", why: written.why };
  }
  return { ...base, text: evidence, outcome: "kept", why, id: written.memory.id };
}

/** What the session proved is the agent's word, and waits for the user; it makes no rule. */
async function offerWork(
  { candidates, clock }: ModelJudgeContext,
  at: number,
  { says, type, why }: Verdict,
  { request: { sessionID: session, work } }: Asking,
): Promise<Judgement[]> {
  const seen = work[at];
  if (!seen || usersTypes.has(type)) return [];
  const { atMs: saidMs, line: context, message } = seen;
  const said = { session, message, saidMs, title: formatTitle(says), text: says, context };
  const handed = { ...said, isHandedOver: true as const };
  await candidates.offer([{ type, when: findWhen(says), worth: 0, said: [handed] }]);
  const judged = { by: "model", outcome: "waiting", why: `from the work: ${why}` } as const;
  return [{ atMs: clock.now(), session, message, text: says, ...judged }];
}

function readStored(one: WaitingCandidate): readonly SaidStatement[] {
  const latest = readLatest(one);
  return latest?.statements ?? (latest ? [latest] : []);
}

function describe(one: WaitingCandidate, outcome: Judgement["outcome"], why: string): Judgement {
  const { message = "", saidMs = 0, session = "", text = "" } = readLatest(one) ?? {};
  const whole = readStored(one).map((statement) => statement.text);
  return { atMs: saidMs, session, message, text: whole.join(" ") || text, by: "model", outcome, why };
}

/* What a session's work showed: a command that worked after failures, a proposal that the user agreed to. Pure. */

export interface Work {
  /** For a judge: "`npm test -- --run` worked after 2 failures". */
  line: string;
  message: string;
  atMs: number;
}

const MOST_FOUND = 8;
const LONGEST_COMMAND = 160;

export function findWork(messages: readonly Message[], said: readonly UsersMessage[]): Work[] {
  return [...findMended(messages), ...findAgreements(said)].slice(-MOST_FOUND);
}

/** Commands that worked after others that begin alike had failed. */
function findMended(messages: readonly Message[]): Work[] {
  const failed = new Map<string, number>();
  const parts = messages.flatMap(({ info, parts }) => parts.map((part) => ({ part, message: info.id })));
  return parts.flatMap(({ message, part }): Work[] => {
    if (!isToolPart(part) || part.tool !== "bash") return [];
    const { input, metadata, status, time } = part.state ?? {};
    const command: unknown = input?.command;
    if (typeof command !== "string" || time?.end === undefined || !isTelling(command)) return [];
    const hasSucceeded = status === "completed" && metadata?.exit === 0;
    const [program = ""] = command.trim().split(/\s/);
    const failures = failed.get(program) ?? 0;
    failed.set(program, hasSucceeded ? 0 : failures + 1);
    if (!hasSucceeded || failures === 0) return [];
    const after = failures === 1 ? "a failure" : `${failures} failures`;
    const line = `${toCode(command, LONGEST_COMMAND)} worked after ${after}`;
    return [{ line, message, atMs: time.end }];
  });
}

/** With what is done around it; a longer one is a script. */
const LONGEST_WRITTEN = 1_000;

/** Looking around, moving files, and what is in everybody's fingers: nothing to remember. */
const TRIVIAL =
  /^(ls|ll|cat|cd|pwd|echo|printf|grep|rg|ag|find|fd|head|tail|less|more|sed|awk|wc|sort|uniq|cut|which|type|whoami|mkdir|rm|rmdir|cp|mv|touch|ln|chmod|sleep|ps|kill|pkill|true|false|test|\[|date|env|export|set|source|history|man|tree|stat|file|du|df|diff|xxd|jq|python3? -c|node -e|git (status|diff|log|show|add|branch|stash|commit|checkout|switch|pull|push|fetch|rev-parse|blame|restore|reset|rm|mv|merge|rebase|config|remote|ls-files|grep|tag|cherry-pick))\b/;

/** Does the command do something, apart from what is done around it? `cd x && npm test | tail -5` does. */
export function isTelling(command: string): boolean {
  if (command.length > LONGEST_WRITTEN || /\n|<<|\$\(/.test(command)) return false;
  const bare = command.trim().replace(/^(cd \S+|export \S+|source \S+) *(&&|;) */, "");
  return bare !== "" && !TRIVIAL.test(bare);
}

/** Questions of the agent's that the user said yes to. */
function findAgreements(said: readonly UsersMessage[]): Work[] {
  return said.flatMap((message): Work[] => {
    const question = readAgreed(message);
    if (question === undefined) return [];
    const line = `the agent asked "${question}", the user said "${toLine(message.text, 40)}"`;
    return [{ line, message: message.id, atMs: message.atMs ?? 0 }];
  });
}
