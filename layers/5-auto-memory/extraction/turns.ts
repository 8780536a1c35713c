/** What a session has brought since the cursor: the user's messages, read for what may matter later, and the commands. Pure. */

import { cut, toLine } from "../../../src/base/text.js";
import { isToolPart, type Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import {
  type Judgement,
  planDraft,
  readLatest,
  readSessions,
  type Saying,
} from "../../../src/memory/candidates/candidate.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import { type MemoryDraft, type MemoryType, usersTypes } from "../../../src/memory/memory.js";
import type { Cause } from "../../../src/memory/store/ledger.js";
import type { MemoryStore, Written } from "../../../src/memory/store/store.js";
import { readOwnTexts, readTime } from "../../../src/messages/call.js";
import { compareStatements } from "../../../src/text/compare.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";
import { findWhen, formatTitle } from "../words/describe.js";
import { findMark } from "../words/marked.js";
import { formatStatement, readStatements, type Statement } from "../words/statements.js";
import { findCore, LEAST_WORTH, weighShape } from "../words/worth.js";

export interface SaidTurn {
  messageID: string;
  saidMs: number;
  /** In the user's words, secrets taken out. */
  text: string;
  statements: readonly Statement[];
  /** Those that say themselves that they last; of the agent's own turn only what it has left out. */
  marked: readonly { statement: Statement; type: MemoryType }[];
  /** Probability that the message holds something to know; 0 where the agent has saved something itself. */
  worth: number;
  context?: string;
}

/** A message of more than 20,000 characters is somebody else's text; see `readStatements`. */
const LOOKED_AT = 25_000;

/** `untilMs`: where the cursor goes once all of it is written. */
export function planUnread(
  messages: readonly Message[],
  sinceMs: number,
  isTheirs: (text: string) => boolean,
) {
  const turns: SaidTurn[] = [];
  let untilMs = sinceMs;
  for (const [index, message] of messages.entries()) {
    const atMs = readTime(message.info);
    if (atMs === undefined || message.info.role !== "user" || atMs <= sinceMs) continue;
    untilMs = Math.max(untilMs, atMs);
    const whole = readOwnTexts(message.parts).filter(isTheirs).join("\n\n");
    const { text } = redactSecrets(cut(whole, LOOKED_AT));
    if (text !== "") turns.push(readTurn(messages, index, { atMs, text }));
  }
  return { turns, untilMs };
}

function readTurn(
  messages: readonly Message[],
  index: number,
  { atMs, text }: { atMs: number; text: string },
): SaidTurn {
  const { id } = (messages[index] as Message).info;
  const last = messages.findLastIndex(({ info }, at) => at < index && info.role === "user");
  const before = messages.slice(last + 1, index).filter(({ info }) => info.summary !== true);
  const asked = before.flatMap(({ parts }) => readOwnTexts(parts)).at(-1);
  const statements = readStatements({ id, text, ...(asked !== undefined && { asked }) });
  const saved = readSaved(messages, index);
  const marked = statements.flatMap((statement) => {
    const type = findMark(statement, statements);
    const isOpen = type !== undefined && (saved === undefined || isLeftOut(statement, type, saved));
    return isOpen ? [{ statement, type }] : [];
  });
  const worth = saved === undefined ? weighShape({ statements, characters: text.length }) : 0;
  const context = describeBefore(before, asked);
  const turn = { messageID: id, saidMs: atMs, text, statements, marked, worth };
  return context === undefined ? turn : { ...turn, context };
}

const LONGEST_ASKED = 140;
const MOST_CALLS = 3;

/** "the agent had asked: Shall I add retries?; had called edit src/http.ts, bash npm test" */
function describeBefore(before: readonly Message[], asked: string | undefined): string | undefined {
  const calls = before.flatMap(({ parts }) => parts.filter(isToolPart));
  const done = calls.slice(-MOST_CALLS).map(({ state, tool }) => {
    const { command, filePath, path } = state?.input ?? {};
    const what = [filePath, path, command].find((one) => typeof one === "string");
    return what === undefined ? tool : `${tool} ${toLine(String(what), 50)}`;
  });
  const line = asked?.trim().split("\n").at(-1)?.trim() ?? "";
  const verb = /[?？]\W*$/.test(line) ? "asked" : "said";
  const notes = [
    ...(line === "" ? [] : [`the agent had ${verb}: ${toLine(line, LONGEST_ASKED)}`]),
    ...(done.length === 0 ? [] : [`had called ${done.join(", ")}`]),
  ];
  return notes.length === 0 ? undefined : notes.join("; ");
}

/** Calls by which the agent itself saves something of this turn; what it keeps by letter was said before. */
const SAVING_TOOLS = new Set(["memory_remember", "memory_update"]);

interface Saved {
  content: string;
  /** As the user's word, so that the user's sentence was kept and not the agent's. */
  isUsers: boolean;
}

/** What the agent has saved in its answers to this message, before the user's next one; `undefined` for nothing. */
function readSaved(messages: readonly Message[], asked: number): readonly Saved[] | undefined {
  const next = messages.findIndex(({ info }, index) => index > asked && info.role === "user");
  const answers = messages.slice(asked + 1, next === -1 ? undefined : next);
  const calls = answers
    .flatMap(({ parts }) => parts.filter(isToolPart))
    .filter(({ state, tool }) => SAVING_TOOLS.has(tool) && state?.status === "completed");
  if (calls.length === 0) return undefined;
  return calls.flatMap(({ state }) => {
    const { content, type } = state.input ?? {};
    const isUsers = usersTypes.has(type as MemoryType);
    return typeof content === "string" ? [{ content, isUsers }] : [];
  });
}

/** A rule of the user's is not made up for by what the agent has noted about it. */
function isLeftOut({ text }: Statement, type: MemoryType, saved: readonly Saved[]): boolean {
  return saved.every(({ content, isUsers }) => {
    const relation = compareStatements(text, content);
    return usersTypes.has(type) ? !isUsers || relation !== "same" : relation === "other";
  });
}

/*
 * What becomes of the messages that were read, before any judge:
 *
 *     marked by the user ("from now on …")   a memory at once, in the user's words
 *     said in five sessions                   a rule, with its count
 *     of a shape that may hold something      a candidate, for a judge
 *     anything else                           left out, and noted why for `strata candidates why`
 */

interface Kept {
  turn: SaidTurn;
  draft: MemoryDraft;
  written: Written;
}

interface TurnKeeperContext extends Pick<LayerContext, "candidates" | "clock" | "log"> {
  gate: Pick<Gate, "save">;
  memories: Pick<MemoryStore, "list">;
}

const LAYER = "auto-memory";
/** In so many sessions a sentence becomes a candidate, whatever its message is worth. */
const REPEATED = 3;
/** Kept with a candidate, for the judge; the rest of a longer message is in the session. */
const MOST_CHARACTERS = 12_000;

/**
 * Takes in what is new of a session's turns, in order: what was kept, and those of these messages that wait now. Rejects
 * with the store's error; what comes twice changes nothing.
 */
export function createTurnKeeper(context: TurnKeeperContext) {
  const { candidates, clock, memories } = context;
  return async (
    turns: readonly SaidTurn[],
    cause: Pick<Cause, "operation" | "run"> & { session: string },
  ) => {
    const { session } = cause;
    const known = turns.length === 0 ? new Set<string>() : await listKnown(memories);
    const isKnown = (id: string, text: string): boolean => known.has(nameOf(id, text));
    const kept: Kept[] = [];
    const leftOut: SaidTurn[] = [];
    const found: { saying: Saying; turn: SaidTurn; before: readonly Saying[] }[] = [];
    for (const turn of turns) {
      const { marked, messageID } = turn;
      for (const { statement, type } of marked) {
        if (isKnown(messageID, statement.text)) continue;
        const draft = planMarked(statement, { turn, type, session });
        kept.push(await save(context, draft, turn, { ...cause, reason: "the user marked it as lasting" }));
      }
      const rest = { ...turn, statements: listUnmarked(turn) };
      const repeated = await findRepeated(context, rest, session);
      const core = repeated?.demand ?? rest.statements[findCore(rest.statements)];
      const isCandidate = repeated !== undefined || (turn.worth >= LEAST_WORTH && core?.isQuestion === false);
      if (isCandidate && core && !isKnown(messageID, core.text))
        found.push({ saying: planSaying(rest, core, session), turn, before: repeated?.before ?? [] });
      else if (marked.length === 0) leftOut.push(turn);
    }
    const agreed = await candidates.offer(
      found.map(({ before, saying, turn: { worth } }) => {
        return { type: "knowledge", when: findWhen(saying.text), worth, said: [...before, saying] };
      }),
    );
    for (const one of agreed) {
      const draft = planDraft(one, { how: "repeated", type: "directive" });
      const turn = turns.find(({ messageID }) => messageID === readLatest(one)?.message);
      const reason = `the user said it in ${readSessions(one).length} sessions`;
      if (draft && turn) kept.push(await save(context, draft, turn, { ...cause, reason }));
      await candidates.settle([one.id]);
    }
    const base = { atMs: clock.now(), session };
    await candidates.note([
      ...kept.map((one) => ({ ...base, ...describeKept(one) })),
      ...leftOut.map((one) => ({ ...base, ...describeLeftOut(one) })),
    ]);
    const offered = new Set(found.map(({ turn }) => turn.messageID));
    const all = found.length === 0 ? [] : await candidates.list();
    return { kept, waiting: all.filter((one) => offered.has(readLatest(one)?.message ?? "")) };
  };
}

async function save({ gate, log }: TurnKeeperContext, draft: MemoryDraft, turn: SaidTurn, cause: Cause) {
  // A past conversation's memory is as old as what was said.
  const { saidMs } = turn;
  const written = await gate.save(draft, saidMs, { ...cause, ...(cause.run !== undefined && { saidMs }) });
  if (written.kind === "refused") log.info(LAYER, `not remembered: ${written.why}`);
  else log.debug(LAYER, `${written.memory.id}: ${written.kind}`);
  return { draft, turn, written };
}

/** Sentences that have a memory of the user's already; an archived one does not come back. */
async function listKnown(memories: Pick<MemoryStore, "list">): Promise<ReadonlySet<string>> {
  const own = (await memories.list({ archived: true })).filter(({ isForeign }) => !isForeign);
  return new Set(own.map(({ provenance }) => nameOf(provenance.message, provenance.evidence)));
}

const nameOf = (message = "", evidence = ""): string => `${message} ${evidence}`;

/** What is a memory already is neither judged nor counted. */
export const listUnmarked = ({ marked, statements }: SaidTurn): Statement[] =>
  statements.filter((one) => !marked.some(({ statement }) => statement === one));

/** A longer message is a task; nobody repeats all of it. */
const MOST_DEMANDS = 12;

/** The statement that was said in most sessions, if in enough, with when it was said before. */
async function findRepeated(
  { candidates }: TurnKeeperContext,
  { messageID, saidMs, statements }: SaidTurn,
  session: string,
): Promise<{ demand: Statement; before: readonly Saying[] } | undefined> {
  const demands = statements.filter(({ isQuestion }) => !isQuestion);
  if (demands.length === 0 || demands.length > MOST_DEMANDS) return undefined;
  const texts = demands.map(({ text }) => text);
  const heard = await candidates.countRepeats(texts, { session, message: messageID, saidMs });
  const most = Math.max(...heard.map(({ length }) => length));
  const at = heard.findIndex(({ length }) => length === most);
  const demand = demands[at];
  if (!demand || most < REPEATED) return undefined;
  const before = (heard[at] ?? []).slice(0, -1).map(({ message, saidMs, session }): Saying => {
    return { message, saidMs, session, text: demand.text, title: formatTitle(demand.text) };
  });
  return { demand, before };
}

function planMarked(
  statement: Statement,
  { session, turn, type }: { turn: SaidTurn; type: MemoryType; session: string },
): MemoryDraft {
  const [content, evidence] = [formatStatement(statement), statement.text];
  const provenance = { by: "user", session, message: turn.messageID, evidence, how: "marked" } as const;
  return { type, title: formatTitle(evidence), content, when: findWhen(content), provenance };
}

function planSaying({ context, messageID, saidMs, statements }: SaidTurn, core: Statement, session: string) {
  const { heading, text } = core;
  let left = MOST_CHARACTERS;
  // The first ones, and in any case the one that stands for them.
  const stored = statements.filter((one) => {
    left -= one.text.length;
    return left >= 0 || one === core;
  });
  return {
    ...{ session, message: messageID, saidMs, title: formatTitle(text), text },
    ...(heading !== undefined && { heading }),
    statements: stored.map(({ heading, isQuestion, text }) => ({
      text,
      ...(heading !== undefined && { heading }),
      ...(isQuestion && { isQuestion }),
    })),
    place: stored.indexOf(core),
    ...(context !== undefined && { context }),
  };
}

type Described = Omit<Judgement, "atMs" | "session">;

function describeKept({ turn: { messageID: message, text }, written }: Kept): Described {
  if (written.kind === "refused") return { message, text, by: "marks", outcome: "refused", why: written.why };
  const { id, provenance } = written.memory;
  const base = { message, text, outcome: "kept", id } as const;
  if (provenance.how === "repeated") return { ...base, by: "repetition", why: "said again and again" };
  return { ...base, by: "marks", why: "it says that it lasts" };
}

function describeLeftOut({ messageID: message, statements, text, worth }: SaidTurn): Described {
  const reasons: readonly [boolean, string][] = [
    [statements.length === 0, "nothing in it was typed by you: code, logs, quotations"],
    [statements.every(({ isQuestion }) => isQuestion), "it only asks"],
    [worth === 0, "the agent has kept something of that turn itself"],
  ];
  const [, why = "its shape seldom holds something to know later"] = reasons.find(([isSo]) => isSo) ?? [];
  return { message, text, by: "shape", outcome: "left out", why };
}
