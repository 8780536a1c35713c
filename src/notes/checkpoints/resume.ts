/**
 * To continue an earlier session: which one somebody means, and its state in five lines.
 *
 *     goal    Port the parser.
 *     done    The lexer is done.
 *     open    the emitter (in progress)
 *     files   src/parser.ts, plan.md
 *     failed  bash npm test: "1 failed"
 */
import { StrataError } from "../../base/error.js";
import { toLine } from "../../base/text.js";
import type { Files } from "../../io/files.js";
import { createPastNotes } from "../../memory/search/past-notes.js";
import type { SeenSessions } from "../../project/own.js";
import { findOpenPoints } from "../handoff.js";
import { findState } from "../page-lines.js";
import { listNewestSessions, type ReadSession, readSession } from "../session-files.js";

export interface FindSessionOptions {
  clock: { now(): number };
  files: Files;
  /** The notes folder, `<project>/.opencode/session-memory`. */
  folder: string;
  sessions: SeenSessions;
  /** What was said in the project that fits the words, best first. */
  findQuotes(
    words: string,
    exceptSession: string | undefined,
  ): Promise<readonly { session: { id: string }; score: number }[]>;
}

const MOST_HITS = 50;
const MOST_SESSIONS = 200;

/**
 * The session on this machine that the words fit best by its notes and by what was said in it, the best of each alike;
 * without words the last used one with notes. `undefined` if there is none.
 *
 * @throws StrataError NO_NOTES, with its id, if that one has none: no other is meant
 */
export async function findSession(
  options: FindSessionOptions,
  words: string,
  exceptSession?: string,
): Promise<ReadSession | undefined> {
  const ids =
    words === ""
      ? await listNewestSessions({ ...options, most: MOST_SESSIONS })
      : await rankSessions(options, words, exceptSession);
  for (const id of ids.filter((one) => one !== exceptSession)) {
    const isSeen = (await options.sessions.filter([id])).has(id);
    const session = isSeen ? await readSession(options, id) : undefined;
    if (session) return session;
    if (words !== "")
      throw new StrataError(
        "NO_NOTES",
        `${id} fits best and has no notes to go on with; opencode -s ${id} opens it`,
      );
  }
  return undefined;
}

/** Ids, best first. */
async function rankSessions(
  { clock, files, findQuotes, folder, sessions }: FindSessionOptions,
  words: string,
  exceptSession: string | undefined,
): Promise<string[]> {
  const createIndex = async () => (await import("../../recall/recall.js")).createRecall({ now: clock.now });
  const past = createPastNotes({ files, folder, sessions, createIndex });
  const lines = await past.find(words, { limit: MOST_HITS, exceptSession });
  const quotes = await findQuotes(words, exceptSession);
  const scores = new Map<string, number>();
  for (const hits of [
    lines.map(({ score, sessionID }) => ({ id: sessionID, score })),
    quotes.map(({ score, session }) => ({ id: session.id, score })),
  ]) {
    const best = new Map<string, number>();
    for (const { id, score } of hits)
      best.set(id, Math.max(best.get(id) ?? 0, score / (hits[0]?.score || 1)));
    for (const [id, share] of best) scores.set(id, (scores.get(id) ?? 0) + share);
  }
  const ranked = [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id);
  // Notes of others may come with a repository; what was said in this project is the user's own.
  const own = new Set([...(await sessions.filter(ranked)), ...quotes.map(({ session }) => session.id)]);
  return ranked.filter((id) => own.has(id));
}

const LONGEST_TEXT = 160;
const MOST = { open: 6, files: 8 };

/** One line each, empty if there is nothing: the first request, the last answer, the last failure that still stands. */
export type SessionState = Record<"goal" | "done" | "open" | "files" | "failed", string>;

export function readState({ removed, stored }: Pick<ReadSession, "removed" | "stored">): SessionState {
  const { failures, files, requests, ...ledger } = stored.ledger;
  const { next, request, todos } = findOpenPoints(stored.ledger, removed);
  const failure = failures.findLast(({ laterSucceeded }) => !laterSucceeded);
  const short = (text: string): string => toLine(text, LONGEST_TEXT);
  const open = [
    ...(request ? [`not answered: ${request.text}`] : []),
    ...todos.map(({ content, status }) => `${content}${status === "in_progress" ? " (in progress)" : ""}`),
    ...(next ? [`next: ${next.text}`] : []),
  ];
  const more = open.length > MOST.open ? [`${open.length - MOST.open} more`] : [];
  return {
    goal: short(requests[0]?.text ?? ""),
    done: short(findState(ledger)?.text ?? ""),
    open: [...open.slice(0, MOST.open).map(short), ...more].join("; "),
    files: files
      .filter(({ isEdited }) => isEdited)
      .slice(-MOST.files)
      .map(({ key }) => key)
      .join(", "),
    failed: failure ? short(`${failure.tool} ${failure.input}: ${JSON.stringify(failure.error)}`) : "",
  };
}

/** Five lines. */
export const formatSessionState = (state: SessionState): string =>
  Object.entries(state)
    .map(([label, text]) => `${label.padEnd(8)}${text || "nothing"}`)
    .join("\n");
