/** Reads a session's data, without secrets, even if the session is not open here. Changes nothing. */
import { dirname, join } from "node:path";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { SeenSessions } from "../../project/own.js";
import { redactLines } from "../../text/secrets/secrets.js";
import type { Ledger } from "../ledger.js";
import {
  createSession,
  mergeSession,
  planPaths,
  readNotes,
  readSessionID,
  readStored,
  takeIn,
} from "../session.js";
import type { Stored } from "../stored.js";

export interface ReadSession {
  sessionID: string;
  /** Absolute path of its notes. */
  path: string;
  /** When its data was last written. */
  modifiedMs: number;
  stored: Stored;
  /** IDs of lines that a person has removed from the notes so far. */
  removed: ReadonlySet<string>;
}

export interface ReadSessionOptions {
  clock: Pick<Clock, "now" | "pause">;
  files: Files;
  /** The notes folder, `<project>/.opencode/session-memory`. */
  folder: string;
}

/** `undefined` without readable data. Rejects with the system's error. */
export async function readSession(
  { files, folder }: Pick<ReadSessionOptions, "files" | "folder">,
  sessionID: string,
): Promise<ReadSession | undefined> {
  const paths = planPaths(folder, sessionID);
  const reading = await readStored(files, paths.stored);
  const stat = await files.stat(paths.stored);
  if (reading.kind !== "stored" || !stat) return undefined;
  const notes = await readNotes(files, paths.notes);
  const page = "text" in notes ? notes.text : undefined;
  const { stored } = reading;
  const session = createSession(sessionID);
  takeIn(session, stored, reading.text);
  const { removed } = mergeSession(session, page, dirname(dirname(folder)));
  return {
    sessionID,
    path: paths.notes,
    modifiedMs: stat.modifiedMs,
    stored,
    removed: new Set(removed),
  };
}

/** The notes of a session, without secrets; `undefined` if there are none. Rejects with the system's error. */
export async function readSafePage(
  { files, folder }: Pick<ReadSessionOptions, "files" | "folder">,
  sessionID: string,
): Promise<string | undefined> {
  const notes = await readNotes(files, planPaths(folder, sessionID).notes);
  if (!("text" in notes) || notes.text === undefined) return undefined;
  return redactLines(notes.text.split("\n")).join("\n");
}

export interface ListSessionsOptions extends Pick<ReadSessionOptions, "files" | "folder"> {
  /** Tells which sessions ran on this machine: a repository may contain notes of others. */
  sessions: Pick<SeenSessions, "filter">;
  /** Maximum number, newest first. */
  most: number;
}

/** IDs of the sessions that ran on this machine, last used first. Rejects with the system's error. */
export async function listNewestSessions(options: ListSessionsOptions): Promise<string[]> {
  const { files, folder, most, sessions } = options;
  const found: { id: string; modifiedMs: number }[] = [];
  for (const name of await files.list(folder)) {
    const id = readSessionID(name);
    const stat = id === undefined ? undefined : await files.stat(join(folder, name));
    if (id !== undefined && stat?.kind === "file") found.push({ id, modifiedMs: stat.modifiedMs });
  }
  const ids = found
    .sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? 1 : -1))
    .slice(0, most)
    .map(({ id }) => id);
  const seen = await sessions.filter(ids);
  return ids.filter((id) => seen.has(id));
}

/** The question with which the agent ended the session, verbatim; `undefined` if none. Pure. */
export function findQuestion({
  answers,
  requests,
}: Pick<Ledger, "answers" | "requests">): string | undefined {
  const answer = answers.at(-1);
  const last = requests.at(-1);
  if (!answer || answer.isInterim || (last && last.at > answer.at)) return undefined;
  const text = (answer.whole ?? answer.text).replace(/[\s*_`]+$/u, "");
  if (!/[?？؟][)\]）」』”’"'»]*$/u.test(text)) return undefined;
  const sentences = text.split(/(?<=[.!?؟])\s+|(?<=[。！？])(?![）」』”’])|\n+/u);
  return sentences.findLast((sentence) => sentence.trim() !== "")?.trim();
}
