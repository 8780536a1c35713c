/** A memory folder under its lock: all operations that change a memory file or add to the ledger. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import { findPrivateID } from "../draft.js";
import { idOf, parsePath } from "../path.js";
import { commitPending, type Journal, recoverPending } from "./journal.js";
import {
  appendToLedger,
  type Cause,
  describeStep,
  type FileStep,
  type Ledger,
  type LedgerLine,
} from "./ledger.js";
import type { Ownership } from "./ownership.js";
import type { CollectionPlace, Entries, Looked } from "./scan.js";

export interface TransactionStep extends FileStep {
  cause: Cause;
}

export type Transaction = ReturnType<typeof openTransaction>;

/** Changes of other machines. */
export interface ReceivedChanges {
  /** Their lines as written, by the name of the ledger file. */
  lines: Readonly<Record<string, readonly string[]>>;
  /** Steps that bring our files to the state after those lines. */
  steps: readonly LedgerLine[];
  /** Steps that merge their changes with ours, each with the time that it has to follow. */
  merges: readonly { step: TransactionStep; lastAt: string }[];
  /** The files that will be there, and whether they do not count as the user's. */
  claims: readonly { path: string; after: string }[];
  isForeign: boolean;
}

export interface TransactionOptions {
  clock: Clock;
  files: Files;
  place: CollectionPlace;
  instance: string;
  entries: Entries;
  ledger: Ledger;
  lock: HeldLock;
  ownership: Ownership;
  journal: Journal;
  /** Reads the file and reports it if it has changed. */
  look(path: string): Promise<Looked | undefined>;
}

/** Completes what a killed process has begun, and reads what others have written. */
export async function beginTransaction(options: TransactionOptions): Promise<Transaction> {
  const { journal, ledger, lock, ownership } = options;
  await recoverPending(journal, lock, async (steps) => ownership.disown(steps));
  await ledger.readOn();
  await ownership.refresh();
  return openTransaction(options);
}

/** Operations allowed under the lock. A change is done when its promise resolves. */
function openTransaction(options: TransactionOptions) {
  const { files, look, ownership, place } = options;
  const { folder } = place;
  return {
    /** Names of all files in a folder, memories or not. */
    names: (under: string) => files.list(join(folder, under)),

    /** The file as it is; a person's change to it is entered in the ledger first. Behind a link there is a problem. */
    async open(path: string): Promise<Looked | undefined> {
      const looked = await look(path);
      await enter(options, new Map([[path, looked]]));
      return ownership.mark(looked);
    },

    /** Enters what a person has changed in these files in the ledger. */
    async enter(paths: readonly string[]): Promise<void> {
      const found = new Map<string, Looked | undefined>();
      for (const path of paths) found.set(path, await look(path));
      await enter(options, found);
    },

    /** Takes all steps in order, as one change. */
    changeAll: (steps: readonly TransactionStep[]) => commit(options, steps),
    /** Removes the opened file, whose versions the ledger keeps. */
    discard: ({ hash, path }: Looked, cause: Cause) =>
      commit(options, [{ path, before: hash ?? null, contents: null, cause }]),
    /** Applies changes of other machines, then our merges, as one change. */
    receive: (changes: ReceivedChanges) => receive(options, changes),
  };
}

async function commit(options: TransactionOptions, steps: readonly TransactionStep[]): Promise<void> {
  const lines: LedgerLine[] = [];
  const times = new Map<string, string>();
  for (const step of steps) {
    const line = makeLine(options, step, times.get(step.from ?? step.path));
    times.set(step.path, line.at);
    lines.push(line);
  }
  if (lines.length === 0) return;
  await options.place.prepare();
  // Before the files exist: if the process is killed in between, they still count as the user's.
  await options.ownership.own(lines, new Set(lines.filter((_, n) => steps[n]?.cause.isForeign)));
  await write(options, lines);
}

async function receive(options: TransactionOptions, changes: ReceivedChanges): Promise<void> {
  const own: LedgerLine[] = [];
  // Each is later than the lines that it merges, and than the previous merge.
  for (const { lastAt, step } of changes.merges)
    own.push(makeLine(options, step, [lastAt, own.at(-1)?.at ?? lastAt].sort().at(-1)));
  await options.place.prepare();
  await options.ownership.claim(changes.claims, changes.isForeign);
  await write(options, own, changes);
}

/** Writes our own lines, after those of other machines, and makes their changes. */
async function write(
  { entries, journal, ledger, lock }: TransactionOptions,
  own: readonly LedgerLine[],
  received: Pick<ReceivedChanges, "lines" | "steps"> = { lines: {}, steps: [] },
): Promise<void> {
  const lines: Record<string, readonly string[]> = { ...received.lines };
  const [first] = own;
  const name = first && (await ledger.nameFile(first.at));
  if (name !== undefined) lines[name] = [...(lines[name] ?? []), ...own.map((line) => JSON.stringify(line))];
  const steps = [...received.steps, ...own];
  await commitPending(journal, lock, { ledger: lines, steps });
  try {
    const paths = steps.flatMap(({ from, path }) => (from === undefined ? [path] : [path, from]));
    for (const path of new Set(paths)) await entries.look(path);
    await ledger.readOn();
  } catch {
    // What cannot be read now is read at the next check.
  }
}

/** Enters what a person has done to the files just found at these paths. */
async function enter(
  options: TransactionOptions,
  found: ReadonlyMap<string, Looked | undefined>,
): Promise<void> {
  const { files, ledger, lock, place } = options;
  const lines: LedgerLine[] = [];
  for (const [path, looked] of found) {
    const before = ledger.known(path)?.hash ?? null;
    // An unreadable file stays out of the ledger until someone repairs it.
    if (looked?.reading.kind === "problem" || (looked?.hash ?? null) === before || !parsePath(path)) continue;
    const operation = looked ? (before === null ? "added by hand" : "edited by hand") : "removed by hand";
    const contents = looked ? looked.text : null;
    lines.push(
      makeLine(options, { path, before, cause: { operation }, ...(contents !== undefined && { contents }) }),
    );
  }
  const [first] = lines;
  if (!first) return;
  await place.prepare();
  await lock.check();
  const texts = lines.map((line) => JSON.stringify(line));
  await appendToLedger({ files, folder: place.folder }, await ledger.nameFile(first.at), texts);
  await ledger.readOn();
}

/** The ledger line of a step, later than the last one about its file, even if the clock was set back. */
function makeLine(
  { clock, instance, ledger, place }: TransactionOptions,
  step: TransactionStep,
  lastAt = ledger.known(step.from ?? step.path)?.at,
): LedgerLine {
  const { isForeign: _, saidMs: _saidMs, ...cause } = step.cause;
  const nowMs = Math.min(LAST_MS, Math.max(clock.now(), lastAt === undefined ? 0 : Date.parse(lastAt) + 1));
  return {
    v: 1,
    id: randomUUID(),
    at: new Date(nowMs).toISOString(),
    instance,
    by: cause.operation.endsWith(" by hand") ? "person" : "strata",
    ...(place.sensitivity === "internal" ? withoutHint(cause) : cause),
    key: idOf(place, step.path),
    ...describeStep(step),
  };
}

/** The last millisecond of the years with four digits. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

type WrittenCause = Omit<Cause, "saidMs" | "isForeign">;

/** A committed ledger never names a private memory. */
function withoutHint({ reason, ...cause }: WrittenCause): WrittenCause {
  const isHint = reason === undefined || findPrivateID(reason) !== undefined;
  return isHint ? cause : { ...cause, reason };
}
