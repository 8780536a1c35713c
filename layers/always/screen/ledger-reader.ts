/**
 * Keeps the sums of all savings ledgers of the project, of this instance and of others. Each ledger is read once, and from
 * then on only what was appended:
 *
 *     load       what earlier starts summed up, then every ledger that has grown since
 *     refresh    one session's ledger, behind each of its answers
 *     catch up   all ledgers, behind a turn: other instances write to them too
 */
import { basename, join } from "node:path";
import { formatLocalDay } from "../../../src/base/days.js";
import { parseJson } from "../../../src/base/shape.js";
import { parseSavingsRecord, type SavingsRecord } from "../../../src/costs/savings.js";
import { addSums, addToDay, NO_SUMS, type Sums, sumRecords } from "../../../src/costs/sums.js";
import { takeNewLines } from "../../../src/io/json-lines.js";
import { createStateFile } from "../../../src/io/state-file.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import {
  formatKnownSessions,
  type KnownSession,
  type KnownSessions,
  parseKnownSessions,
} from "../../../src/status/known-sessions.js";

/** Every call may reject with the system's error, and leaves what was known. */
export interface LedgerReader {
  /** Later calls do nothing unless the first failed. */
  load(): Promise<void>;
  refresh(sessionID: string): Promise<void>;
  catchUp(): Promise<void>;
  sums(sessionID: string): LedgerTotals;
  titleOf(sessionID: string): string | undefined;
  setTitle(sessionID: string, title: string): void;
  /** Writes the state file if enough has changed. */
  save(): Promise<void>;
}

export interface LedgerTotals {
  session: Sums;
  /** Of all sessions, since local midnight. */
  today: Sums;
  project: Sums;
}

export type LedgerReaderOptions = Pick<KernelContext, "clock" | "files" | "folders" | "log">;

/** Reading so much again takes a start some milliseconds. */
const SAVED_AFTER_BYTES = 256 * 1024;
const NOTHING: KnownSession = { bytes: 0, sums: NO_SUMS };

export function createLedgerReader({ clock, files, folders, log }: LedgerReaderOptions): LedgerReader {
  const known = new Map<string, KnownSession>();
  /** Sessions whose ledger was removed. */
  const gone = new Set<string>();
  const stored = createStateFile<KnownSessions>({
    files,
    parse: parseKnownSessions,
    format: formatKnownSessions,
    fresh: new Map(),
    complain: { log, source: "screen", anew: "the savings ledgers are added up again" },
  });
  let unsavedBytes = 0;
  let hasNewTitle = false;
  let loading: Promise<void> | undefined;

  return {
    load() {
      loading ??= readAll().catch((thrown) => {
        loading = undefined;
        throw thrown;
      });
      return loading;
    },

    refresh: read,
    catchUp,

    sums(sessionID) {
      const today = formatLocalDay(clock.now());
      let [ofToday, project] = [NO_SUMS, NO_SUMS];
      for (const { lastDay, sums } of known.values()) {
        project = addSums(project, sums);
        if (lastDay?.day === today) ofToday = addSums(ofToday, lastDay);
      }
      return { session: known.get(sessionID)?.sums ?? NO_SUMS, today: ofToday, project };
    },

    titleOf: (sessionID) => known.get(sessionID)?.title,

    setTitle(sessionID, title) {
      const session = known.get(sessionID) ?? NOTHING;
      if (session.title === title) return;
      known.set(sessionID, { ...session, title });
      hasNewTitle = true;
    },

    async save() {
      if (unsavedBytes < SAVED_AFTER_BYTES && !hasNewTitle) return;
      // Another instance may have written titles and sums of its sessions meanwhile.
      const theirs = await stored.read(folders.sessions);
      const all = new Map([...theirs].filter(([id]) => !gone.has(id)));
      for (const [id, session] of known) all.set(id, merge(session, theirs.get(id)));
      await stored.write(folders.sessions, all);
      [unsavedBytes, hasNewTitle] = [0, false];
    },
  };

  async function readAll(): Promise<void> {
    for (const [id, session] of await stored.read(folders.sessions))
      known.set(id, merge(session, known.get(id)));
    await catchUp();
  }

  /** Sessions whose ledger is gone no longer count. */
  async function catchUp(): Promise<void> {
    const ids = (await files.list(folders.savings))
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => basename(name, ".jsonl"));
    const there = new Set(ids);
    for (const [id, { bytes }] of known) if (bytes > 0 && !there.has(id) && known.delete(id)) gone.add(id);
    for (const id of ids) await read(id);
  }

  async function read(sessionID: string): Promise<void> {
    const path = join(folders.savings, `${sessionID}.jsonl`);
    const stat = await files.stat(path);
    const before = known.get(sessionID) ?? NOTHING;
    if (!stat || stat.bytes === before.bytes) return;
    // A ledger that has become shorter was replaced.
    const from = stat.bytes < before.bytes ? { ...NOTHING, ...pickTitle(before) } : before;
    const records: SavingsRecord[] = [];
    const bytes = await takeNewLines(files, path, from.bytes, (line) => {
      const record = parseSavingsRecord(parseJson(line));
      if (record) records.push(record);
    });
    unsavedBytes += bytes - from.bytes;
    known.set(sessionID, add(known.get(sessionID) ?? from, from, { bytes, records }));
  }
}

/** `now` may have been given a title while the records were read. */
function add(
  now: KnownSession,
  from: KnownSession,
  { bytes, records }: { bytes: number; records: readonly SavingsRecord[] },
): KnownSession {
  const lastDay = addToDay(from.lastDay, records);
  return {
    ...pickTitle(now),
    bytes,
    sums: addSums(from.sums, sumRecords(records)),
    ...(lastDay && { lastDay }),
  };
}

/** The sums that cover more of the ledger; the title of the first, if it has one. */
function merge(first: KnownSession, second: KnownSession | undefined): KnownSession {
  if (!second) return first;
  const further = second.bytes > first.bytes ? second : first;
  return { ...further, ...pickTitle(second), ...pickTitle(first) };
}

const pickTitle = ({ title }: KnownSession): Pick<KnownSession, "title"> =>
  title === undefined ? {} : { title };
