/** Finds the newest session that left work open, for the next session to start with. */

import { dirname, join } from "node:path";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { SeenSessions } from "../project/own.js";
import { createSession, mergeSession, takeIn } from "./session.js";
import { planPaths, readNotes, readSessionID, readStored } from "./session-files.js";

export interface Unfinished {
  sessionID: string;
  /** Absolute path of its notes. */
  path: string;
  /** At most 3,000 characters. */
  text: string;
}

export interface UnfinishedOptions {
  clock: Pick<Clock, "now">;
  files: Files;
  folder: string;
  /** Tells which sessions ran on this machine: a repository may contain notes of others. */
  sessions: Pick<SeenSessions, "filter">;
  /** Sessions to leave out. */
  except: ReadonlySet<string>;
  /** Notes last written longer ago do not count. */
  maxAgeMs: number;
}

/** Number of newest sessions checked; older ones are not worth resuming. */
const LOOKED_INTO = 20;

export async function findUnfinished(options: UnfinishedOptions): Promise<Unfinished | undefined> {
  for (const sessionID of await listNewest(options)) {
    const unfinished = await readUnfinished(options, sessionID);
    if (unfinished) return unfinished;
  }
  return undefined;
}

async function listNewest(options: UnfinishedOptions): Promise<string[]> {
  const { clock, files, folder, except, maxAgeMs, sessions } = options;
  const sinceMs = clock.now() - maxAgeMs;
  const found: { sessionID: string; modifiedMs: number }[] = [];
  for (const name of await files.list(folder)) {
    const sessionID = readSessionID(name);
    if (sessionID === undefined || except.has(sessionID)) continue;
    const stat = await files.stat(join(folder, name));
    if (stat?.kind === "file" && stat.modifiedMs >= sinceMs)
      found.push({ sessionID, modifiedMs: stat.modifiedMs });
  }
  const newest = found.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.sessionID < b.sessionID ? 1 : -1));
  const ids = newest.map(({ sessionID }) => sessionID);
  const seen = await sessions.filter(ids);
  return ids.filter((id) => seen.has(id)).slice(0, LOOKED_INTO);
}

async function readUnfinished(
  { files, folder }: UnfinishedOptions,
  sessionID: string,
): Promise<Unfinished | undefined> {
  const paths = planPaths(folder, sessionID);
  const reading = await readStored(files, paths.stored);
  if (reading.kind !== "stored") return undefined;
  const notes = await readNotes(files, paths.notes);
  const page = "text" in notes ? notes.text : undefined;
  const { formatHandoff } = await import("./handoff.js");
  const { stored } = reading;
  const session = createSession(sessionID);
  takeIn(session, stored, reading.text);
  // What a person removed from the notes is no longer open.
  const { removed } = mergeSession(session, page, dirname(dirname(folder)));
  const text = formatHandoff(stored.ledger, new Set(removed), paths.notes);
  return text === undefined ? undefined : { sessionID, path: paths.notes, text };
}
