/**
 * Makes ledger lines and their file changes one atomic step, even if the process is killed.
 *
 *     write all of it to `pending.json` → append the lines to the ledger → write the files → remove `pending.json`
 *
 * The next holder of the lock completes a `pending.json` it finds. A file that then matches neither the state before
 * nor after was changed by a person and stays as it is, as does a file behind a link. An invalid `pending.json` is set
 * aside. All of this happens under the lock.
 */
import { basename, dirname, join } from "node:path";
import { formatError, StrataError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import { anyObject, isRecord, parseJson } from "../../base/shape.js";
import { type Files, readPlainText, readText } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { isLedgerFile, LEDGER, quotePath } from "../path.js";
import { appendToLedger, type LedgerLine, readLedgerLine } from "./ledger.js";
import { findWay } from "./scan.js";

/** What `pending.json` holds. */
export interface Pending {
  /** Lines to append, by the name of the ledger file: the project may have moved since. */
  ledger: Readonly<Record<string, readonly string[]>>;
  /** The changes of files, in order. A step that follows lines of other machines is in no ledger. */
  steps: readonly LedgerLine[];
}

export interface Journal {
  files: Files;
  log: Log;
  /** Folder of the memories. */
  folder: string;
  /** Prefix of their ids. */
  prefix: string;
  /** Path of `pending.json`, machine state. */
  path: string;
}

type Lock = Pick<HeldLock, "check">;

/**
 * Makes the changes in order; all are on disk when this resolves.
 *
 * @throws StrataError ENOTWRITTEN if it could not be made; nothing was changed.
 * @throws StrataError EUNFINISHED if it was begun; the next change completes it.
 * @throws StrataError ECHANGED if another writer changed a file meanwhile, which stays as it is.
 */
export async function commitPending(journal: Journal, lock: Lock, pending: Pending): Promise<void> {
  const { files, folder, path, prefix } = journal;
  const { ledger, steps } = pending;
  const notWritten = (why: string): StrataError =>
    new StrataError("ENOTWRITTEN", `cannot write to ${folder}, nothing was changed: ${why}`);
  const unfinished = (why: string): StrataError =>
    new StrataError(
      "EUNFINISHED",
      `${formatBegun(steps)} was begun and is kept in ${path}; the next change completes it, so do not repeat it: ${why}`,
    );
  const text = JSON.stringify(pending);
  await attempt(async () => {
    // What could not be read back is not written.
    const reading = parsePending(text, prefix);
    if ("why" in reading) throw new Error(reading.why);
    await lock.check();
    if (!(await files.create(path, text))) throw new Error(`${path} is in the way; remove it`);
  }, notWritten);
  await attempt(
    () => appendMissing(journal, lock, pending),
    async (why) => {
      // One of several ledgers may have its lines, and files that differ from a ledger count as a person's.
      if (Object.keys(ledger).length > 1) return unfinished(why);
      await files.remove(path);
      return notWritten(why);
    },
  );
  let left: LedgerLine | undefined;
  await attempt(async () => {
    for (const line of steps) if (!(await apply(journal, lock, line))) left ??= line;
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

/** Completes a change whose process was killed. `before` is called first and must not reject. */
export async function recoverPending(
  journal: Journal,
  lock: Lock,
  before: (steps: readonly LedgerLine[]) => Promise<void>,
): Promise<void> {
  const { files, log, path, prefix } = journal;
  const pending = await readPending(files, path, prefix);
  if (!pending) return;
  if ("why" in pending) {
    await lock.check();
    const aside = await setAside(files, path);
    return log.warn(
      "memory",
      `${path} was refused and not applied: ${pending.why}; it was moved to ${aside}`,
    );
  }
  await before(pending.steps);
  await complete(journal, lock, pending);
  await lock.check();
  await files.remove(path);
}

async function complete(journal: Journal, lock: Lock, pending: Pending): Promise<void> {
  await appendMissing(journal, lock, pending);
  const { steps } = pending;
  for (const [n, line] of steps.entries()) {
    const next = steps.slice(n + 1).find(({ from, path }) => (from ?? path) === line.path);
    // A line is done if the next one has already built on it.
    const isBuiltOn = next && next.after !== null && (await hashAt(journal, next.path)) === next.after;
    if (!isBuiltOn) await apply(journal, lock, line);
  }
}

async function appendMissing({ files, folder }: Journal, lock: Lock, { ledger }: Pending): Promise<void> {
  for (const [name, texts] of Object.entries(ledger)) {
    const there = new Set((await readPlainText(files, join(folder, LEDGER, name))).split("\n"));
    await lock.check();
    await appendToLedger(
      { files, folder },
      name,
      texts.filter((text) => !there.has(text)),
    );
  }
}

/** Makes one line's change. `false`, without effect, if its file matches neither the state before nor after. */
async function apply(
  journal: Journal,
  lock: Lock,
  { after, before, contents, from, path }: LedgerLine,
): Promise<boolean> {
  const { files, folder } = journal;
  const there = await hashAt(journal, path);
  const source = from === undefined ? null : await hashAt(journal, from);
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
async function hashAt({ files, folder }: Journal, path: string): Promise<string | null | undefined> {
  const way = await findWay(files, folder, path);
  if (way.kind === "missing") return null;
  if (way.kind === "blocked" || way.stat.kind !== "file") return undefined;
  const contents = await files.read(join(folder, path));
  return contents ? hashOf(contents) : null;
}

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

/** `undefined` if there is none; `why` it is none, as the end of a sentence. Rejects with the system's error. */
export async function readPending(
  files: Files,
  path: string,
  prefix: string,
): Promise<Pending | { why: string } | undefined> {
  const stat = await files.statItself(path);
  if (!stat) return undefined;
  if (stat.kind !== "file") return { why: `it is a ${stat.kind}, expected a file` };
  const text = await readText(files, path);
  return text === undefined ? undefined : parsePending(text, prefix);
}

export function parsePending(text: string, prefix: string): Pending | { why: string } {
  const value = parseJson(text);
  const { ledger, steps } = isRecord(value) ? value : {};
  // On a disk without links, a killed process may leave half of a file; then no step was taken.
  if (!anyObject(ledger) || !Array.isArray(steps) || Object.keys(ledger).length === 0)
    return { why: "it is incomplete" };
  for (const [name, texts] of Object.entries<unknown>(ledger)) {
    if (!isLedgerFile(name)) return { why: `${quotePath(name)} is not the name of a ledger` };
    const why = findFault(Array.isArray(texts) ? texts.map(parseText) : [undefined], prefix);
    if (why !== undefined) return { why };
  }
  const why = findFault(steps, prefix);
  return why === undefined ? { ledger, steps } : { why };
}

/** Why one of these is no ledger line. */
function findFault(values: readonly unknown[], prefix: string): string | undefined {
  for (const [n, one] of values.entries()) {
    const reading = readLedgerLine(one, prefix);
    if (reading.kind === "problem") return `line ${n + 1} of it ${reading.what}`;
  }
  return undefined;
}

/** Refuses a text with a newline, which would become two lines. */
const parseText = (text: unknown): unknown =>
  typeof text === "string" && !text.includes("\n") ? parseJson(text) : undefined;

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
