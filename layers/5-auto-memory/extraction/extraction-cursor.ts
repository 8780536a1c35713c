/**
 * How far each session has been read for memories: `<folder>/<sessionID>.json`, machine state. Begun when a session's
 * user speaks while the plugin listens, so that what was said before, in a fork's history too, is left alone. Moved
 * only when all that was found is written.
 */
import { join } from "node:path";
import { number, object, oneOf } from "../../../src/base/shape.js";
import type { Files } from "../../../src/io/files.js";
import type { Log } from "../../../src/io/log.js";
import { createStateFile, formatState } from "../../../src/io/state-file.js";

export interface Cursor {
  /** Messages of the user's up to this time are read. */
  untilMs: number;
  /** Commands up to this time are counted. */
  callsUntilMs: number;
  /** A subagent's: it is told what to do by another agent, and nothing of it is the user's word. */
  isChild?: true;
  /** A turn has begun that is not read to its end: whoever starts next reads it, if nobody has. */
  isOpen?: true;
  /** What its work showed up to this time was told to a judge, which answered. */
  workUntilMs?: number;
  /** All up to this time is being read; where nobody does, the process that did ended over it. */
  attemptMs?: number;
}

export interface Cursors {
  /** `undefined` when the session was never begun. A cursor that cannot be read counts as none, and is logged. */
  read(sessionID: string): Promise<Cursor | undefined>;
  /** A turn begins: the cursor stays where it is, and is put there when there is none. Rejects with the system's error. */
  begin(sessionID: string, cursor: Cursor): Promise<void>;
  /** All up to this time is about to be read. Rejects with the system's error. */
  attempt(sessionID: string, attemptMs: number): Promise<void>;
  /** It was read to its end. Rejects with the system's error. */
  endAttempt(sessionID: string): Promise<void>;
  /** Sessions of which a turn was left half-read, by a process that has ended or by one that is at it. */
  listOpen(): Promise<string[]>;
  /** What was judged of its work stays noted. Rejects with the system's error. */
  move(sessionID: string, cursor: Cursor): Promise<void>;
  /** Its work up to this time was judged. Rejects with the system's error. */
  noteWork(sessionID: string, workUntilMs: number): Promise<void>;
}

export function createCursors(options: { files: Files; folder: string; log: Log }): Cursors {
  const { files, folder, log } = options;
  const known = new Map<string, Cursor>();
  const stored = createStateFile<Cursor, undefined>({
    files,
    parse: (text) => parseCursor(JSON.parse(text)),
    format: formatState,
    fresh: undefined,
    complain: { log, source: "auto-memory", anew: "begun anew" },
  });
  const pathOf = (sessionID: string): string => join(folder, `${sessionID}.json`);

  return {
    read,

    async begin(sessionID, cursor) {
      const found = await read(sessionID);
      if (found?.isOpen || found?.isChild) return;
      const begun: Cursor = { ...(found ?? cursor), ...(!cursor.isChild && { isOpen: true }) };
      known.set(sessionID, begun);
      await write(sessionID, begun);
    },

    async attempt(sessionID, attemptMs) {
      const found = await read(sessionID);
      if (!found) return;
      await put(sessionID, { ...found, attemptMs });
    },

    async endAttempt(sessionID) {
      const found = await read(sessionID);
      if (!found) return;
      const { attemptMs: _, ...ended } = found;
      // Known first: a disk that does not take it has not ended the reading.
      known.set(sessionID, ended);
      await write(sessionID, ended);
    },

    async listOpen() {
      const names = await files.list(folder);
      const sessionIDs = names.flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
      const open: string[] = [];
      for (const sessionID of sessionIDs)
        if ((await stored.read(pathOf(sessionID)))?.isOpen) open.push(sessionID);
      return open;
    },

    async move(sessionID, cursor) {
      const { workUntilMs } = (await read(sessionID)) ?? {};
      await put(sessionID, { ...cursor, ...(workUntilMs !== undefined && { workUntilMs }) });
    },

    async noteWork(sessionID, workUntilMs) {
      const found = await read(sessionID);
      if (found) await put(sessionID, { ...found, workUntilMs });
    },
  };

  async function read(sessionID: string): Promise<Cursor | undefined> {
    const cursor = known.get(sessionID) ?? (await stored.read(pathOf(sessionID)));
    if (cursor) known.set(sessionID, cursor);
    return cursor;
  }

  async function put(sessionID: string, cursor: Cursor): Promise<void> {
    await write(sessionID, cursor);
    known.set(sessionID, cursor);
  }

  function write(sessionID: string, cursor: Cursor): Promise<void> {
    return stored.write(pathOf(sessionID), cursor);
  }
}

const isCursor = object<Cursor & { v: 1 }>({ v: oneOf([1]), untilMs: number, callsUntilMs: number });

function parseCursor(value: unknown): Cursor | undefined {
  if (!isCursor(value)) return undefined;
  const { attemptMs, callsUntilMs, isChild, isOpen, untilMs, workUntilMs } = value;
  return {
    untilMs,
    callsUntilMs,
    ...(isChild === true && { isChild }),
    ...(isOpen === true && { isOpen }),
    ...(number(workUntilMs) && { workUntilMs }),
    ...(number(attemptMs) && { attemptMs }),
  };
}
