/** Why something that the user said was kept or not: from the judgements, the memories' sources and what waits. */
import { DAY_MS } from "../../base/days.js";
import { formatCount, formatPercent } from "../../base/format.js";
import { foldLetters, toLine } from "../../base/text.js";
import { nameJudge } from "../in-words.js";
import type { Memory } from "../memory.js";
import type { Memories } from "../store/store.js";
import {
  isHandedOver,
  type Judgement,
  readLatest,
  readSessions,
  type WaitingCandidate,
} from "./candidate.js";
import type { Candidates } from "./candidates.js";

/** One thing that was said, and what became of it. */
export interface Reason {
  words: string;
  /** When it was said; of an older record, when it was judged. */
  atMs: number;
  session?: string;
  outcome: Judgement["outcome"] | "dropped";
  /** Who decided. */
  by: string;
  why?: string;
  memory?: string;
  /** Of the memory. */
  file?: string;
  candidate?: string;
}

export interface Reasons {
  asked: string;
  /** Newest first. */
  found: readonly Reason[];
  /** Number of those left out. */
  more: number;
  /** What was looked through. */
  looked: { memories: number; waiting: number; judgements: number };
}

interface ReasonStores {
  candidates: Pick<Candidates, "droppedMs" | "judgements" | "list">;
  memories: Pick<Memories, "list" | "locate">;
}

const MOST_SHOWN = 10;

/** Rejects with the system's error. */
export async function findReasons(words: string, stores: ReasonStores): Promise<Reasons> {
  const memories = await stores.memories.list({ archived: true });
  const waiting = await stores.candidates.list();
  const all = await stores.candidates.judgements();
  const judged = [...new Map(all.map((one) => [nameJudged(one), one])).values()];
  const droppedMs = await stores.candidates.droppedMs(words);
  const matches = createMatch(words);
  const found: Reason[] = [];
  for (const memory of memories) {
    const of = judged.find(({ id, outcome }) => outcome === "kept" && id === memory.id);
    const { content, id, provenance, title } = memory;
    if (!matches(provenance.evidence, content, title, of?.text)) continue;
    const file = await stores.memories.locate(id);
    found.push({ ...explainMemory(memory), ...(file !== undefined && { file }) });
  }
  for (const one of waiting) {
    const said = one.said.flatMap(({ statements = [], text }) => [
      text,
      ...statements.map((each) => each.text),
    ]);
    if (matches(readSurroundings(one).text, ...said)) found.push(explainWaiting(one, judged));
  }
  for (const one of judged.filter(({ text }) => matches(text)))
    found.push(...explainJudged(one, { memories, waiting }));
  if (droppedMs !== undefined)
    found.push({ words, atMs: droppedMs, outcome: "dropped", by: "you", why: "it does not come back" });
  found.sort((a, b) => b.atMs - a.atMs);
  return {
    asked: words,
    found: found.slice(0, MOST_SHOWN),
    more: Math.max(0, found.length - MOST_SHOWN),
    looked: { memories: memories.length, waiting: waiting.length, judgements: judged.length },
  };
}

/** The latest judgement of each counts; of one message there may be several memories. */
const nameJudged = ({ id, message, outcome, session }: Judgement): string =>
  outcome === "kept" && id !== undefined ? id : `${session} ${message}`;

/** So many of the words that were asked for. */
const MOST_WORDS = 0.6;
/** What is shorter stands in too many sentences. */
const SHORTEST_WITHIN = 12;

/** Does one of the texts have these letters in a row, or most of the words? Or is it part of what is asked for? */
function createMatch(asked: string): (...texts: readonly (string | undefined)[]) => boolean {
  const letters = foldLetters(asked);
  const words = readWords(asked);
  return (...texts) =>
    texts.some((text = "") => {
      const folded = foldLetters(text);
      if (letters === "" || folded === "") return false;
      if (folded.includes(letters)) return true;
      if (folded.length >= SHORTEST_WITHIN && letters.includes(folded)) return true;
      const known = readWords(text);
      const shared = [...words].filter((word) => known.has(word)).length;
      return shared > 1 && shared >= MOST_WORDS * words.size;
    });
}

const readWords = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== ""),
  );

function explainMemory(memory: Memory): Reason {
  const { content, created, id, isForeign, provenance, status, supersededBy } = memory;
  const now =
    status === "active"
      ? []
      : [supersededBy === undefined ? `${status} since` : `replaced since by ${supersededBy}`];
  const why = [...(provenance.why === undefined ? [] : [provenance.why]), ...now].join("; ");
  return {
    ...{ words: provenance.evidence ?? content, atMs: Date.parse(created), outcome: "kept", memory: id },
    by: isForeign
      ? "nobody here: it came with the repository"
      : (nameJudge(memory) ?? `the ${provenance.by}`),
    ...(provenance.session !== undefined && { session: provenance.session }),
    ...(why !== "" && { why }),
  };
}

function explainWaiting(one: WaitingCandidate, judged: readonly Judgement[]): Reason {
  const { message, saidMs = 0, session } = readLatest(one) ?? {};
  const of = judged.find((line) => line.message === message && line.session === session);
  const base = {
    ...{ words: readSurroundings(one).text, atMs: saidMs, outcome: "waiting" as const, candidate: one.id },
    ...(session !== undefined && { session }),
  };
  if (of) return { ...base, by: JUDGES[of.by], why: of.why };
  if (one.asked)
    return { ...base, by: JUDGES.agent, why: `asked in session ${one.asked.session}, it kept nothing of it` };
  if (one.isJudged) return { ...base, by: JUDGES.model, why: "asked, it gave no answer that could be used" };
  return { ...base, by: "nobody yet" };
}

const JUDGES: Readonly<Record<Judgement["by"], string>> = {
  shape: "the filter, which looks at the shape of a message and at no word",
  marks: "you, who marked it as lasting",
  model: "a small model",
  agent: "the running agent",
  user: "you",
  repetition: "you, who said it again and again",
};

/** Nothing where a memory or what waits already says it. */
function explainJudged(
  { atMs, by, id, message, outcome, session, text: words, why }: Judgement,
  { memories, waiting }: { memories: readonly Memory[]; waiting: readonly WaitingCandidate[] },
): Reason[] {
  const base = { words, atMs, session, by: JUDGES[by], outcome, why };
  if (outcome === "refused") return [base];
  const isOf = (one: { session?: string; message?: string }): boolean =>
    one.session === session && one.message === message;
  if (outcome === "kept")
    return memories.some((one) => one.id === id)
      ? []
      : [{ ...base, why: `${why}; ${id} is gone since: undone, or its file removed` }];
  if (waiting.some(({ said }) => said.some(isOf)) || memories.some(({ provenance }) => isOf(provenance)))
    return [];
  return outcome === "waiting"
    ? [{ ...base, outcome: "left out", why: `${why}; it waited, and nobody kept it` }]
    : [base];
}

/** Where the answer is read: the commands differ. */
export type Place = "terminal" | "session";

const COMMANDS: Readonly<Record<Place, Record<"keep" | "drop" | "archive" | "remember", string>>> = {
  terminal: {
    keep: "strata candidates keep",
    drop: "strata candidates drop",
    archive: "strata memory archive",
    remember: "strata remember",
  },
  session: { keep: "/keep", drop: "/drop", archive: "/forget", remember: "/remember" },
};

const LONGEST_WORDS = 300;

/** A block for each. */
export function formatReasons({ asked, found, looked, more }: Reasons, place: Place): string {
  if (found.length === 0) return formatNothing(asked, looked);
  const blocks = found.map((one) => {
    const { atMs, by, candidate, file, memory, outcome, session, why, words } = one;
    const result = [outcome, ...(memory === undefined ? [] : [`as ${memory}`])].join(" ");
    const rows: [string, string | undefined][] = [
      [outcome === "dropped" ? "dropped" : "said", formatWhen(atMs, session)],
      ["outcome", candidate === undefined ? result : `${result} as candidate ${candidate}`],
      ["file", file],
      ["judged by", by],
      ["because", why],
      ["to do", planNext(one, place)],
    ];
    const lines = rows.flatMap(([label, text]) =>
      text === undefined ? [] : [`  ${label.padEnd(9)}  ${text}`],
    );
    return [`"${toLine(words, LONGEST_WORDS)}"`, ...lines].join("\n");
  });
  return [...blocks, ...(more > 0 ? [`${formatCount(more)} older ones; more words find fewer.`] : [])].join(
    "\n\n",
  );
}

const formatWhen = (atMs: number, session: string | undefined): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace("T", " ")} UTC${session === undefined ? "" : `, session ${session}`}`;

/** What the user can do about it. */
export function planNext({ candidate, file, memory, outcome }: Reason, place: Place): string {
  const { archive, drop, keep, remember } = COMMANDS[place];
  if (candidate !== undefined) return `${keep} ${candidate} keeps it, ${drop} ${candidate} forgets it`;
  if (memory !== undefined && file !== undefined)
    return `${archive} ${memory} takes it away; strata undo, if it was the last change`;
  return outcome === "dropped" || outcome === "kept"
    ? `${remember} and the words make it a memory again`
    : `${remember} and the words make it a memory all the same`;
}

function formatNothing(asked: string, { judgements, memories, waiting }: Reasons["looked"]): string {
  const count = (n: number, one: string, several: string): string =>
    `${formatCount(n)} ${n === 1 ? one : several}`;
  return [
    `Nothing is known of "${toLine(asked, LONGEST_WORDS)}". Looked through: ${count(memories, "memory", "memories")}, ${count(waiting, "waiting candidate", "waiting candidates")}, and why ${count(judgements, "message was", "messages were")} kept or not.`,
    "What you dropped is found by its whole sentence only.",
  ].join("\n");
}

/* Formats candidates for people. Pure. */

/** What a candidate would be as a memory, and the sentences beside it. */
export function readSurroundings(candidate: WaitingCandidate) {
  const { heading, place, statements = [], text = "" } = readLatest(candidate) ?? {};
  const [before, after] =
    place === undefined ? [] : [statements[place - 1]?.text, statements[place + 1]?.text];
  return {
    text: heading === undefined ? text : `${heading} ${text}`,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

/** "said in 4 sessions"; empty for one. */
export function formatSessions(candidate: WaitingCandidate): string {
  const { length } = readSessions(candidate);
  return length > 1 ? `said in ${length} sessions` : "";
}

const LONGEST_TEXT = 200;
const LONGEST_BESIDE = 140;

/**
 * Of each: id, type, days since it was said, worth ("client" if it came from an MCP client or from the agent's work), the
 * sentence; below it the sentences beside it.
 */
export function formatCandidates(all: readonly WaitingCandidate[], nowMs: number): string[] {
  const idWidth = Math.max(0, ...all.map(({ id }) => id.length));
  const typeWidth = Math.max(0, ...all.map(({ type }) => type.length));
  return all.flatMap((one) => {
    const { saidMs = 0 } = readLatest(one) ?? {};
    const { after, before, text } = readSurroundings(one);
    const sessions = formatSessions(one);
    const columns = [
      one.id.padEnd(idWidth),
      one.type.padEnd(typeWidth),
      `${Math.max(0, Math.floor((nowMs - saidMs) / DAY_MS))} d`.padStart(5),
      (isHandedOver(one) ? "client" : formatPercent(one.worth)).padStart(5),
      `${toLine(text, LONGEST_TEXT)}${sessions === "" ? "" : `  (${sessions})`}`,
    ];
    const beside = (label: string, words: string | undefined): string[] =>
      words === undefined
        ? []
        : [`${" ".repeat(idWidth)}  ${label.padEnd(6)}  ${toLine(words, LONGEST_BESIDE)}`];
    return [columns.join("  "), ...beside("before", before), ...beside("after", after)];
  });
}
