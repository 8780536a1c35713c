/** Which candidates the running agent is asked about, in which words, and what it keeps of them by letter. */
import { StrataError } from "../../../src/base/error.js";
import { cut, shortenPath, withoutMark } from "../../../src/base/text.js";
import { listExtended } from "../../../src/context/additions.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Message } from "../../../src/io/message.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import {
  findQuestion,
  isHandedOver,
  isOnlyKeeping,
  isRepeated,
  type Judgement,
  planDraft,
  QUESTION_HEAD,
  readLatest,
  type Saying,
  type WaitingCandidate,
} from "../../../src/memory/candidates/candidate.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import { type MemoryType, memoryTypes, readTypeName } from "../../../src/memory/memory.js";
import { readTime } from "../../../src/messages/call.js";
import { countReportedTokens } from "../../../src/messages/history.js";
import { toSafeLine } from "../../../src/text/secrets/secrets.js";
import { boundTokens, LAYER } from "../injection/boot.js";
import { formatStatement } from "../words/statements.js";
import { prove } from "./prove.js";

export interface Question {
  /** By id: those of the question, and those of earlier ones that are not noted as asked yet. */
  letters: ReadonlyMap<string, string>;
  /** `undefined` if there is nothing new to ask. */
  text?: string;
}

/** In tokens, of a whole question. */
export const MOST_TOKENS = 80;
/** What a question of three has beside the quotes. */
const WORDS_TOKENS = 30;
const MOST_ASKED = 3;
const MESSAGES_BETWEEN = 5;
/** Of a session's tokens, so that all of judging stays below one percent of its price. */
const MOST_SHARE = 0.005;
const LONGEST_QUOTE = 240;
const TASK = "Call memory_keep with their letters together with your next call.";

export const isAskable = (one: WaitingCandidate): boolean =>
  one.asked === undefined && !one.isJudged && !isHandedOver(one);

type View = Pick<ContextRequest, "find" | "history">;

/** The questions that a session was asked, those of cut history too, and whether another is due: not too soon, and as long as it costs next to nothing. */
export function readAsked(view: View): { before: readonly string[]; isDue: boolean } {
  const { messages } = view.history;
  const users = [...messages.entries()].filter(([, { info }]) => info.role === "user");
  const [from] = users.at(-MESSAGES_BETWEEN) ?? [0];
  return {
    before: listQuestions(view, 0),
    isDue: listQuestions(view, from).length === 0 && isCheap(messages),
  };
}

const listQuestions = (view: View, from: number): string[] =>
  listExtended(view, LAYER, from).flatMap(({ text }) => findQuestion(text) ?? []);

/** An agent may call `memory_keep` by itself, in a request that does nothing else. */
function isCheap(messages: readonly Message[]): boolean {
  const sum = (some: readonly Message[]): number =>
    some.reduce((total, { info }) => total + countReportedTokens(info.tokens), 0);
  return sum(messages.filter(isOnlyKeeping)) <= MOST_SHARE * sum(messages);
}

/**
 * The next question of a session about its candidates. Pure.
 *
 * @param before its questions so far
 */
export function planQuestion(
  candidates: readonly WaitingCandidate[],
  { before, isDue }: { before: readonly string[]; isDue: boolean },
): Question {
  const quoted = before.flatMap(readQuotes);
  const open = candidates.filter((one) => isAskable(one) && readLine(one) !== "");
  // Asked, and the process ended before it was noted.
  const noted = new Map(
    open.flatMap((one) => {
      const same = quoted.find(({ quote }) => quote !== "" && readLine(one).startsWith(quote));
      return same ? [[one.id, same.letter] as const] : [];
    }),
  );
  const best = open
    .filter(({ id }) => !noted.has(id))
    .sort((a, b) => Number(isRepeated(b)) - Number(isRepeated(a)) || b.worth - a.worth)
    .slice(0, MOST_ASKED);
  if (best.length === 0 || !isDue) return { letters: noted };
  const used = Math.max(-1, ...quoted.map(({ letter }) => readLetter(letter)));
  const letters = new Map(best.map(({ id }, place) => [id, formatLetter(used + 1 + place)]));
  const mostTokens = (MOST_TOKENS - WORDS_TOKENS) / best.length;
  const items = best.map((one) => `${letters.get(one.id)} "${quoteWithin(one, mostTokens)}"`);
  const text = [QUESTION_HEAD, ...items, TASK].join(" ");
  return { letters: new Map([...noted, ...letters]), text };
}

/** The user's words, on one line; they cannot end their quotation, nor speak as the plugin. */
function readLine(one: WaitingCandidate): string {
  const latest = readLatest(one);
  if (!latest) return "";
  return withoutMark(toSafeLine(formatStatement(latest), LONGEST_QUOTE)).replace(/["“”„‟«»＂]/g, "'");
}

function quoteWithin(one: WaitingCandidate, mostTokens: number): string {
  const line = readLine(one);
  if (boundTokens(line) <= mostTokens) return line;
  let { length } = line;
  while (length > 0 && boundTokens(`${line.slice(0, length)}…`) > mostTokens) length--;
  return `${cut(line, length).trimEnd()}…`;
}

const readQuotes = (question: string) =>
  [...question.matchAll(/ ([a-z]{1,2}) "([^"]*?)…?"/g)].map(([, letter = "", quote = ""]) => {
    return { letter, quote };
  });

const LETTERS = 26;
const CODE_OF_A = 97;

/** a … z, aa … zz. */
function formatLetter(place: number): string {
  const letter = String.fromCharCode(CODE_OF_A + (place % LETTERS));
  return place < LETTERS ? letter : `${formatLetter(Math.floor(place / LETTERS) - 1)}${letter}`;
}

const readLetter = (letter: string): number =>
  [...letter].reduce((sum, one) => (sum + 1) * LETTERS + one.charCodeAt(0) - CODE_OF_A, -1);

/* What the agent wants to keep, by letter. */

type KeepContext = Pick<LayerContext, "candidates" | "clock" | "folders" | "host"> & { gate: Gate };

const QUOTE_TOKENS = 20;

/**
 * One line for each. Rejects, and keeps nothing, if a letter or type is unknown.
 *
 * @param letters "a c", or with types: "a directive, c decision"
 */
export async function keepAsked(context: KeepContext, letters: string, sessionID: string): Promise<string> {
  const { candidates } = context;
  const wanted = readWanted(letters);
  const open = await findOpen(context, sessionID, [...wanted.keys()]);
  const unknown = [...wanted.keys()].filter((letter) => !open.has(letter));
  if (unknown.length > 0 || wanted.size === 0) {
    const items = [...open].map(([letter, one]) => `${letter} "${quoteWithin(one, QUOTE_TOKENS)}"`);
    const what = wanted.size === 0 ? "No letter came" : `Nothing is open under ${unknown.join(", ")}`;
    throw refuse(`${what}. Open: ${items.join(" ") || "none"}.`);
  }
  const lines: string[] = [];
  const notes: Judgement[] = [];
  const kept: string[] = [];
  for (const [letter, type] of wanted) {
    const one = open.get(letter) as WaitingCandidate;
    const { line, note } = await keepOne(context, one, type ?? one.type);
    lines.push(`${letter} ${line}`);
    notes.push(note);
    if (note.outcome === "kept") kept.push(one.id);
  }
  await candidates.settle(kept);
  await candidates.note(notes);
  return lines.join("\n");
}

/** By letter: the type, if one is named. Throws if a type is unknown. */
function readWanted(letters: string): Map<string, MemoryType | undefined> {
  const wanted = new Map<string, MemoryType | undefined>();
  let last: string | undefined;
  for (const [word] of letters.toLowerCase().matchAll(/\p{L}[\p{L}_-]*/gu)) {
    if (word.length <= 2) {
      last = word;
      wanted.set(word, undefined);
      continue;
    }
    const type = memoryTypes.find((one) => one === (readTypeName(word) ?? word));
    if (!type || last === undefined)
      throw refuse(`"${word}" is no letter and no type; types: ${memoryTypes.join(", ")}.`);
    wanted.set(last, type);
  }
  return wanted;
}

/** What this session was asked, by letter; a fork also has the questions in the history that it begins with. */
async function findOpen({ candidates, host }: KeepContext, sessionID: string, wanted: readonly string[]) {
  const all = (await candidates.list()).flatMap((one) =>
    one.asked && !isHandedOver(one) ? [{ one, ...one.asked }] : [],
  );
  const toMap = (some: typeof all) => new Map(some.map(({ letter, one }) => [letter, one]));
  const own = all.filter(({ session }) => session === sessionID);
  const open = toMap(own);
  if (wanted.every((letter) => open.has(letter))) return open;
  const times = new Set((await host.readMessages(sessionID))?.map(({ info }) => readTime(info)));
  const inherited = all.filter(({ one }) => times.has(readLatest(one)?.saidMs));
  return toMap([...inherited, ...own]);
}

async function keepOne({ clock, folders, gate }: KeepContext, one: WaitingCandidate, type: MemoryType) {
  const latest = readLatest(one) as Saying;
  const { heading, message, saidMs, session, text } = latest;
  const base = { atMs: clock.now(), session, message, text, by: "agent" as const };
  const leave = (why: string) => ({
    line: `was not kept: ${why}.`,
    note: { ...base, outcome: "refused" as const, why },
  });
  const { isQuestion } = latest.statements?.[latest.place ?? 0] ?? {};
  const quote = [{ text, heading, isQuestion }];
  const proved = prove({ type, says: formatStatement(latest), isGlobal: false }, { quote, around: "" });
  if (typeof proved === "string") return leave(`as a ${type}, ${proved}`);
  const draft = planDraft(one, { how: "agent", type });
  if (!draft) return leave("the user has taken it back");
  const cause = { operation: "remember", session, reason: "judged by the agent" };
  const written = await gate.save(draft, saidMs, cause);
  if (written.kind === "refused") return leave(written.why);
  const { id } = written.memory;
  return {
    line: `is kept as ${id} in ${shortenPath(written.path, folders.project)}`,
    note: { ...base, outcome: "kept" as const, why: "asked, it found this worth knowing", id },
  };
}

const refuse = (why: string): StrataError => new StrataError("EMEMORYLETTERS", `Nothing was kept. ${why}`);
