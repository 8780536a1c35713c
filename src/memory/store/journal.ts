/**
 * Makes ledger lines and their file changes one atomic step, even if the process is killed.
 *
 *     write the lines to `pending.json` → append them to the ledger → write the files → remove `pending.json`
 *
 * Changes of other machines take the same steps, except that their lines go to several ledger files.
 *
 * The next holder of the lock completes a `pending.json` it finds. A file that then matches neither the state before
 * nor after was changed by a person and stays as it is, as does a file behind a link. An invalid `pending.json` is set
 * aside. All of this happens under the lock.
 */
import { basename, dirname, join } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import { isRecord, parseJson } from "../../base/shape.js";
import { type Files, readText } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { isLedgerFile, LEDGER, quotePath } from "../path.js";
import { appendLines, appendToLedger, formatLine } from "./ledger.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";
import { findObstacle, findWay, readTextWithin } from "./scan.js";

/** What `pending.json` holds. */
export interface Pending {
  /** Our own lines; empty only with `received`. */
  lines: readonly LedgerLine[];
  /** File name only: the project may have moved since. */
  ledgerFile: string;
  received?: Received | undefined;
}

/** Changes of other machines. */
export interface Received {
  /** Their lines as written, by the name of the ledger file. */
  lines: Readonly<Record<string, readonly string[]>>;
  /** Steps that bring our files to the state after those lines; they are in no ledger. */
  steps: readonly LedgerLine[];
}

export interface Journal {
  /** True if a change is unfinished or in progress. */
  isPending(): Promise<boolean>;
  /** Completes a change whose process was killed. */
  recover(lock: HeldLock): Promise<void>;
  /**
   * Makes the changes in order, those of other machines first; all are on disk when this resolves.
   *
   * @throws StrataError ENOTWRITTEN if it could not be made; nothing was changed.
   * @throws StrataError EUNFINISHED if it was begun; the next change completes it.
   * @throws StrataError ECHANGED if another writer changed a file meanwhile, which stays as it is.
   */
  commit(lock: HeldLock, pending: Pending): Promise<void>;
}

export interface JournalOptions {
  files: Files;
  log: Log;
  /** Folder of the memories. */
  folder: string;
  /** Prefix of their ids. */
  prefix: string;
  /** Path of `pending.json`, machine state. */
  path: string;
  /** Called before an unfinished change is completed. Must not reject. */
  beforeRecovery?: (lines: readonly LedgerLine[]) => Promise<void>;
}

export function createJournal(options: JournalOptions): Journal {
  const { files, log, path, prefix } = options;

  return {
    isPending: async () => (await files.statItself(path)) !== undefined,

    async recover(lock) {
      const reading = await readPending(files, path, prefix);
      if (!reading) return;
      if (reading.kind === "pending") await complete(options, lock, reading.pending);
      await lock.check();
      if (reading.kind === "pending") return files.remove(path);
      const aside = await setAside(files, path);
      log.warn("memory", `${path} was refused and not applied: ${reading.why}; it was moved to ${aside}`);
    },

    commit: (lock, pending) => commit(options, lock, pending),
  };
}

type Lock = Pick<HeldLock, "check">;

async function commit(options: JournalOptions, lock: Lock, pending: Pending): Promise<void> {
  const { files, folder, path, prefix } = options;
  const { ledgerFile, lines, received } = pending;
  const all = [...(received?.steps ?? []), ...lines];
  const notWritten = (why: string): StrataError =>
    new StrataError("ENOTWRITTEN", `cannot write to ${folder}, nothing was changed: ${why}`);
  const unfinished = (why: string): StrataError =>
    new StrataError(
      "EUNFINISHED",
      `${formatBegun(all)} was begun and is kept in ${path}; the next change completes it, so do not repeat it: ${why}`,
    );
  await attempt(async () => {
    // A line that could not be read back is not written.
    const fault = readLines(lines, prefix);
    if (typeof fault === "string") throw new Error(fault);
    await lock.check();
    const isBegun = await files.create(path, JSON.stringify(pending));
    if (!isBegun) throw new Error(`${path} is in the way; remove it`);
  }, notWritten);
  await attempt(
    async () => {
      if (received) await appendReceived(options, lock, received);
      await lock.check();
      await appendToLedger(options, ledgerFile, lines);
    },
    async (why) => {
      // Some received lines may have been written, and files that differ from the ledger count as a person's.
      if (received) return unfinished(why);
      await files.remove(path);
      return notWritten(why);
    },
  );
  let left: LedgerLine | undefined;
  await attempt(async () => {
    for (const line of all) if (!(await apply(options, lock, line))) left ??= line;
    await files.remove(path);
  }, unfinished);
  if (left) throw new StrataError("ECHANGED", formatChanged(join(folder, left.path)));
}

/** If the lock was lost, its new holder completes the pending change. */
async function attempt(
  action: () => Promise<void>,
  explain: (why: string) => StrataError | Promise<StrataError>,
): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    if (thrown instanceof StrataError && thrown.code === "ECOMPROMISED") throw thrown;
    throw await explain(formatError(thrown));
  }
}

async function complete(
  options: JournalOptions,
  lock: Lock,
  { ledgerFile, lines: own, received }: Pending,
): Promise<void> {
  const { beforeRecovery, files, folder } = options;
  const lines = [...(received?.steps ?? []), ...own];
  await beforeRecovery?.(lines);
  if (received) await appendReceived(options, lock, received);
  const text = await readTextWithin(files, folder, `${LEDGER}/${ledgerFile}`);
  const known = new Set(text?.split("\n"));
  await lock.check();
  await appendToLedger(
    options,
    ledgerFile,
    own.filter((line) => !known.has(formatLine(line))),
  );
  for (const [n, line] of lines.entries()) {
    const next = lines.slice(n + 1).find(({ from, path }) => (from ?? path) === line.path);
    // A line is done if the next one has already built on it.
    const isBuiltOn = next && next.after !== null && (await hashAt(options, next.path)) === next.after;
    if (!isBuiltOn) await apply(options, lock, line);
  }
  for (const path of new Set(lines.map((line) => line.path))) await removeTorn(options, path);
}

async function appendReceived(
  { files, folder }: JournalOptions,
  lock: Lock,
  received: Received,
): Promise<void> {
  for (const [name, texts] of Object.entries(received.lines)) {
    const path = `${LEDGER}/${name}`;
    const there = new Set((await readTextWithin(files, folder, path))?.split("\n"));
    const missing = texts.filter((text) => !there.has(text));
    await lock.check();
    await appendLines(files, folder, path, missing);
  }
}

/** Makes one line's change. `false`, without effect, if its file matches neither the state before nor after. */
async function apply(
  options: JournalOptions,
  lock: Lock,
  { after, before, contents, from, path }: LedgerLine,
): Promise<boolean> {
  const { files, folder } = options;
  const there = await hashAt(options, path);
  const source = from === undefined ? null : await hashAt(options, from);
  await lock.check();
  const target = join(folder, path);
  if (from !== undefined) {
    if (there !== null) return there === after && source === null;
    if (source !== before) return false;
    await files.rename(join(folder, from), target);
  } else if (after === null && there === before) await files.remove(target);
  else if (contents === undefined || there !== before) return there === after;
  else if (before === null) return files.create(target, contents);
  else await files.writeWhole(target, contents);
  return true;
}

/** `null` if there is no file; `undefined`, which matches no line, if the path is blocked or not a file. */
async function hashAt({ files, folder }: JournalOptions, path: string): Promise<string | null | undefined> {
  const way = await findWay(files, folder, path);
  if (way.kind === "missing") return null;
  if (way.kind === "blocked" || way.stat.kind !== "file") return undefined;
  const contents = await files.read(join(folder, path));
  return contents ? hashOf(contents) : null;
}

/** Removes temporary files that a process killed while writing this file left behind. */
async function removeTorn({ files, folder }: JournalOptions, path: string): Promise<void> {
  if (await findObstacle(files, folder, path)) return;
  const under = join(folder, dirname(path));
  for (const name of await files.list(under)) {
    if (!name.startsWith(`${basename(path)}.`) || !TORN.test(name)) continue;
    if ((await files.statItself(join(under, name)))?.kind === "file") await files.remove(join(under, name));
  }
}

/** A temporary file ends with a number or a UUID. */
const TORN = /\.md\.(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

const formatChanged = (path: string): string =>
  `${path} was changed by another writer at the same moment and stays as it is; read it again, and repeat the change if it is still needed`;

/** For people: "edit of decision/port-8080". */
function formatBegun(lines: readonly LedgerLine[]): string {
  const keys = [...new Set(lines.map(({ key }) => key))];
  if (keys.length === 0) return "sync";
  return `${lines[0]?.operation} of ${keys.length > 1 ? `${keys.length} memories` : keys[0]}`;
}

/*
 * Reads `pending.json`. It is machine state, yet a repository can bring one along. So it is valid as a whole or not at
 * all: a single invalid line sets it aside, none of it is applied, and memory works without it.
 */

/** `why` says what is wrong, as the end of a sentence. */
export type PendingReading = { kind: "pending"; pending: Pending } | { kind: "refused"; why: string };

const INCOMPLETE = "it is incomplete";

/** `undefined` if there is none. Rejects with the system's error. */
export async function readPending(
  files: Files,
  path: string,
  prefix: string,
): Promise<PendingReading | undefined> {
  const stat = await files.statItself(path);
  if (!stat) return undefined;
  if (stat.kind !== "file") return refuse(`it is a ${stat.kind}, expected a file`);
  const text = await readText(files, path);
  return text === undefined ? undefined : parsePending(text, prefix);
}

export function parsePending(text: string, prefix: string): PendingReading {
  const value = parseJson(text);
  // On a disk without links, a killed process may leave half of one; then no step was taken.
  if (!isRecord(value) || !Array.isArray(value.lines)) return refuse(INCOMPLETE);
  const { ledgerFile, received } = value;
  if (value.lines.length === 0 && received === undefined) return refuse(INCOMPLETE);
  if (typeof ledgerFile !== "string" || !isLedgerFile(ledgerFile)) return refuse(notALedger(ledgerFile));
  const lines = readLines(value.lines, prefix);
  if (typeof lines === "string") return refuse(lines);
  const theirs = received === undefined ? undefined : readReceived(received, prefix);
  if (typeof theirs === "string") return refuse(theirs);
  return { kind: "pending", pending: { lines, ledgerFile, ...(theirs && { received: theirs }) } };
}

/** The lines, or why they are refused. */
function readLines(values: readonly unknown[], prefix: string): LedgerLine[] | string {
  const lines: LedgerLine[] = [];
  for (const [n, one] of values.entries()) {
    const reading = readLedgerLine(one, prefix);
    if (reading.kind === "problem") return `line ${n + 1} of it ${reading.what}`;
    lines.push(reading.line);
  }
  return lines;
}

function readReceived(value: unknown, prefix: string): Received | string {
  if (!isRecord(value) || !isRecord(value.lines) || !Array.isArray(value.steps)) return INCOMPLETE;
  const steps = readLines(value.steps, prefix);
  if (typeof steps === "string") return steps;
  const files: Record<string, string[]> = {};
  for (const [name, texts] of Object.entries(value.lines)) {
    if (!isLedgerFile(name)) return notALedger(name);
    if (!Array.isArray(texts)) return INCOMPLETE;
    const fault = readLines(texts.map(parseText), prefix);
    if (typeof fault === "string") return fault;
    files[name] = texts;
  }
  return { lines: files, steps };
}

/** Refuses a text with a newline, which would become two lines. */
const parseText = (text: unknown): unknown =>
  typeof text === "string" && !text.includes("\n") ? parseJson(text) : undefined;

const notALedger = (name: unknown): string => `${quotePath(String(name))} is not the name of a ledger`;

/** Renames it so that no reader finds it, and returns the new path. */
async function setAside(files: Files, path: string): Promise<string> {
  const taken = new Set(await files.list(dirname(path)));
  for (let n = 1; ; n++) {
    const name = basename(path).replace(/\.json$/, `.refused-${n}.json`);
    if (taken.has(name)) continue;
    const aside = join(dirname(path), name);
    await files.rename(path, aside);
    return aside;
  }
}

/** Paths of the files set aside in this folder of machine state. */
export async function listSetAside(files: Files, state: string): Promise<string[]> {
  const names = await files.list(state);
  return names.filter((name) => /^pending\.refused-\d+\.json$/.test(name)).map((name) => join(state, name));
}

const refuse = (why: string): PendingReading => ({ kind: "refused", why });
