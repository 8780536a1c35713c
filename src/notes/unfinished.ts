/** What an earlier session has left open, for the next one to begin with. */
import { join } from "node:path";
import type { Files } from "../seams/files.js";
import { findOpenTodos } from "./facts.js";
import { findRequestAt, type Ledger } from "./ledger.js";
import { cut, toLine } from "./line.js";
import { createSession, mergeSession, takeIn } from "./session.js";
import { planPaths, readNotes, readSessionID, readStored } from "./session-files.js";

export interface Unfinished {
  sessionID: string;
  /** Absolute path of its notes. */
  path: string;
  /** At most 1,500 characters. */
  text: string;
}

export interface UnfinishedOptions {
  files: Files;
  folder: string;
  exceptSessionID: string;
  /** Sessions whose notes were last written before do not count. */
  sinceMs: number;
}

/** So many of the newest are looked into; who leaves more finished ones behind does not look for an older one. */
const LOOKED_INTO = 20;
const LONGEST_TEXT = 1_500;
const LONGEST_REQUEST = 400;
const MOST_TODOS = 12;

export async function findUnfinished(options: UnfinishedOptions): Promise<Unfinished | undefined> {
  for (const sessionID of await listNewest(options)) {
    const unfinished = await readUnfinished(options, sessionID);
    if (unfinished) return unfinished;
  }
  return undefined;
}

async function listNewest({ files, folder, exceptSessionID, sinceMs }: UnfinishedOptions): Promise<string[]> {
  const found: { sessionID: string; modifiedMs: number }[] = [];
  for (const name of await files.list(folder)) {
    const sessionID = readSessionID(name);
    if (sessionID === undefined || sessionID === exceptSessionID) continue;
    const stat = await files.stat(join(folder, name));
    if (stat?.kind === "file" && stat.modifiedMs >= sinceMs)
      found.push({ sessionID, modifiedMs: stat.modifiedMs });
  }
  const newest = found.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.sessionID < b.sessionID ? 1 : -1));
  return newest.slice(0, LOOKED_INTO).map(({ sessionID }) => sessionID);
}

async function readUnfinished(
  { files, folder }: UnfinishedOptions,
  sessionID: string,
): Promise<Unfinished | undefined> {
  const paths = planPaths(folder, sessionID);
  const reading = await readStored(files, paths.stored);
  if (reading.kind !== "stored") return undefined;
  const session = createSession(sessionID);
  takeIn(session, reading.stored, reading.text);
  const notes = await readNotes(files, paths.notes);
  // What a person has struck out of the notes is not open any more.
  const { removed } = mergeSession(session, "text" in notes ? notes.text : undefined);
  const text = formatUnfinished(reading.stored.ledger, new Set(removed), paths.notes);
  return text === undefined ? undefined : { sessionID, path: paths.notes, text };
}

/** `undefined` when nothing is open. */
export function formatUnfinished(
  ledger: Ledger,
  removed: ReadonlySet<string>,
  path: string,
): string | undefined {
  const { requests, answers, todos } = ledger;
  const open = findOpenTodos(todos?.items ?? []).filter(({ content }) => !removed.has(`todo:${content}`));
  const last = requests.at(-1);
  const isOpen =
    last !== undefined &&
    !removed.has(`request:${last.key}`) &&
    !answers.some((answer) => findRequestAt(requests, answer.at) === requests.length - 1);
  if (open.length === 0 && !isOpen) return undefined;
  const lines = [`An earlier session was left unfinished; its notes are in ${path}`];
  if (requests[0] && requests.length > 1)
    lines.push(`It began with: ${toLine(requests[0].text, LONGEST_REQUEST / 2)}`);
  if (last)
    lines.push(`Last request${isOpen ? ", not answered" : ""}: ${toLine(last.text, LONGEST_REQUEST)}`);
  if (open.length > 0) lines.push("Open todos:");
  for (const { content, status } of open.slice(0, MOST_TODOS))
    lines.push(`- ${toLine(content, 100)}${status === "in_progress" ? " (in progress)" : ""}`);
  if (open.length > MOST_TODOS) lines.push(`(${open.length - MOST_TODOS} more)`);
  return cut(lines.join("\n"), LONGEST_TEXT);
}
