/** The files of a session in the notes folder, and how they are read, even if the session is not open here. */
import { join } from "node:path";
import { formatCount } from "../base/format.js";
import { decodeStrictly, type Files, listByAge, readText } from "../io/files.js";
import type { SeenSessions } from "../project/own.js";
import { redactLines } from "../text/secrets/secrets.js";
import { readPage } from "./merge.js";
import type { Stored } from "./stored.js";

/** Throws for an ID that could name a file elsewhere. */
export function planPaths(folder: string, sessionID: string) {
  if (!/^[\w-]+$/.test(sessionID))
    throw new Error(
      `Expected a session id of letters, digits, "_" and "-"; got ${JSON.stringify(sessionID)}.`,
    );
  const pathOf = (ending: string): string => join(folder, `${sessionID}${ending}`);
  return {
    /** For people. */
    notes: pathOf(".md"),
    /** The notes before the last change. */
    previous: pathOf(".previous.md"),
    /** For the machine. */
    stored: pathOf(".json"),
    /** Where an unreadable stored file is moved. */
    corrupt: pathOf(".corrupt.json"),
  };
}

/** Session ID in the name of a stored file. */
export const readSessionID = (name: string): string | undefined => /^([\w-]+)\.json$/.exec(name)?.[1];

export async function readStored(
  files: Files,
  path: string,
): Promise<{ kind: "absent" | "corrupt" } | { kind: "stored"; stored: Stored }> {
  const text = await readText(files, path);
  if (text === undefined) return { kind: "absent" };
  // Loads zod.
  const { parseStored } = await import("./stored.js");
  const stored = parseStored(text);
  return stored ? { kind: "stored", stored } : { kind: "corrupt" };
}

export const formatStored = (stored: Stored): string => `${JSON.stringify(stored, undefined, 1)}\n`;

/** More than a month of work takes. Merging a million lines would hold the host for a second. */
const MOST_LINES = 20_000;

/** `unusable`: something that people may have put there, which must not be touched. */
export async function readNotes(
  files: Files,
  path: string,
): Promise<{ text: string | undefined } | { unusable: string }> {
  const found = await files.stat(path);
  if (!found) return { text: undefined };
  if (found.kind !== "file") return { unusable: "it is not a file" };
  const bytes = await files.read(path);
  if (!bytes) return { text: undefined };
  const text = decodeStrictly(bytes);
  if (text === undefined) return { unusable: "it is not UTF-8" };
  if (text.split("\n", MOST_LINES + 1).length > MOST_LINES)
    return { unusable: `it has more than ${formatCount(MOST_LINES)} lines` };
  return { text };
}

export type ReadSession = NonNullable<Awaited<ReturnType<typeof readSession>>>;

export interface SessionFolder {
  files: Files;
  /** The notes folder, `<project>/.opencode/session-memory`. */
  folder: string;
}

/** `undefined` without readable data. Rejects with the system's error. */
export async function readSession({ files, folder }: SessionFolder, sessionID: string) {
  const paths = planPaths(folder, sessionID);
  const reading = await readStored(files, paths.stored);
  const stat = await files.stat(paths.stored);
  if (reading.kind !== "stored" || !stat) return undefined;
  const notes = await readNotes(files, paths.notes);
  const { stored } = reading;
  const { removed } = readPage(stored, "text" in notes ? notes.text : undefined);
  return {
    sessionID,
    /** Absolute path of its notes. */
    path: paths.notes,
    /** When its data was last written. */
    modifiedMs: stat.modifiedMs,
    stored,
    /** IDs of lines that a person has removed from the notes so far. */
    removed: new Set(removed) as ReadonlySet<string>,
  };
}

/** The notes of a session, without secrets; `undefined` if there are none. Rejects with the system's error. */
export async function readSafePage(
  { files, folder }: SessionFolder,
  sessionID: string,
): Promise<string | undefined> {
  const notes = await readNotes(files, planPaths(folder, sessionID).notes);
  if (!("text" in notes) || notes.text === undefined) return undefined;
  return redactLines(notes.text.split("\n")).join("\n");
}

/**
 * IDs of at most `most` sessions that ran on this machine, last used first: a repository may contain notes of others.
 * Rejects with the system's error.
 */
export async function listNewestSessions({
  files,
  folder,
  most,
  sessions,
}: SessionFolder & { sessions: Pick<SeenSessions, "filter">; most: number }): Promise<string[]> {
  const found = await listByAge(files, folder, (name) => readSessionID(name) !== undefined);
  const newest = found.flatMap(({ name }) => readSessionID(name) ?? []);
  const seen = await sessions.filter(newest);
  return newest.filter((id) => seen.has(id)).slice(0, most);
}
