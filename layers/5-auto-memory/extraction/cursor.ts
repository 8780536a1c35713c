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
}

/** Calls that write reject with the system's error. */
export interface Cursors {
  /** `undefined` when the session was never begun. A cursor that cannot be read counts as none, and is logged. */
  read(sessionID: string): Promise<Cursor | undefined>;
  /** A turn begins: the cursor stays where it is, and is put there when there is none. */
  begin(sessionID: string, cursor: Cursor): Promise<void>;
  /** All turns are read up to there. What was judged of its work stays noted. */
  move(sessionID: string, to: Pick<Cursor, "callsUntilMs" | "untilMs">): Promise<void>;
  /** Its work up to this time was judged. */
  noteWork(sessionID: string, workUntilMs: number): Promise<void>;
  /** Sessions of which a turn was left half-read, by a process that has ended or by one that is at it. */
  listOpen(): Promise<string[]>;
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
      // Known first: a disk that does not take it must not make the turn read twice.
      known.set(sessionID, begun);
      await stored.write(pathOf(sessionID), begun);
    },

    async move(sessionID, to) {
      const { workUntilMs } = (await read(sessionID)) ?? {};
      await put(sessionID, { ...to, ...(workUntilMs !== undefined && { workUntilMs }) });
    },

    async noteWork(sessionID, workUntilMs) {
      const found = await read(sessionID);
      if (found) await put(sessionID, { ...found, workUntilMs });
    },

    async listOpen() {
      const open: string[] = [];
      for (const name of await files.list(folder)) {
        const [, sessionID] = /^(.+)\.json$/.exec(name) ?? [];
        if (sessionID !== undefined && (await stored.read(pathOf(sessionID)))?.isOpen) open.push(sessionID);
      }
      return open;
    },
  };

  async function read(sessionID: string): Promise<Cursor | undefined> {
    const cursor = known.get(sessionID) ?? (await stored.read(pathOf(sessionID)));
    if (cursor) known.set(sessionID, cursor);
    return cursor;
  }

  async function put(sessionID: string, cursor: Cursor): Promise<void> {
    await stored.write(pathOf(sessionID), cursor);
    known.set(sessionID, cursor);
  }
}

const isCursor = object<Cursor & { v: 1 }>({ v: oneOf([1]), untilMs: number, callsUntilMs: number });

function parseCursor(value: unknown): Cursor | undefined {
  if (!isCursor(value)) return undefined;
  const { callsUntilMs, isChild, isOpen, untilMs, workUntilMs } = value;
  return {
    untilMs,
    callsUntilMs,
    ...(isChild === true && { isChild }),
    ...(isOpen === true && { isOpen }),
    ...(number(workUntilMs) && { workUntilMs }),
  };
}
