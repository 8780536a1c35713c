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
import { settleAll } from "../../base/settle-all.js";
import type { Files } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import type { Log } from "../../io/log.js";
import { HIDDEN_LEDGER, LEDGER } from "../path.js";
import { createWayFinder, findObstacle, readTextWithin, type Way } from "./entries.js";
import { appendLines, appendToLedger, formatLine } from "./ledger.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";
import { type Pending, type Received, readPending, setPendingAside } from "./pending.js";

export interface Journal {
  /** True if a change is unfinished or in progress. */
  isPending(): Promise<boolean>;
  /** Completes a change whose process was killed. */
  recover(lock: HeldLock): Promise<void>;
  /**
   * Makes the changes in order; all are on disk when this resolves.
   *
   * @throws StrataError ENOTWRITTEN if it could not be made; nothing was changed.
   * @throws StrataError EUNFINISHED if it was begun; the next change completes it.
   */
  commit(lock: HeldLock, lines: readonly LedgerLine[], ledgerFile: string): Promise<void>;
  /** The same for changes of other machines, whose lines and steps come before our own. */
  receive(lock: HeldLock, pending: Pending & { received: Received }): Promise<void>;
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
  /** See `LedgerPlace`. */
  isKeptOut?: ((path: string) => boolean) | undefined;
  /** Called before an unfinished change is completed. Must not reject. */
  beforeRecovery?: (lines: readonly LedgerLine[]) => Promise<void>;
}

export function createJournal(options: JournalOptions): Journal {
  const { beforeRecovery, files, folder, log, path, prefix } = options;
  const steps = createSteps(options);
  const { appendReceived, attempt, begin, finish } = steps;
  const { apply, areDone, removeTorn } = steps.lineFiles;

  return {
    isPending: async () => (await files.statItself(path)) !== undefined,

    async recover(lock) {
      const reading = await readPending(files, path, prefix);
      if (!reading) return;
      if (reading.kind === "pending") await complete(lock, reading.pending);
      await lock.check();
      if (reading.kind === "pending") return files.remove(path);
      const aside = await setPendingAside(files, path);
      log.warn("memory", `${path} was refused and not applied: ${reading.why}; it was moved to ${aside}`);
    },

    async commit(lock, lines, ledgerFile) {
      await begin(lock, { lines, ledgerFile });
      await attempt(
        async () => {
          await lock.check();
          await appendToLedger(options, ledgerFile, lines);
        },
        () => files.remove(path),
      );
      await finish(lock, lines);
    },

    async receive(lock, pending) {
      const { ledgerFile, lines, received } = pending;
      await begin(lock, pending);
      const all = [...received.steps, ...lines];
      try {
        await appendReceived(lock, received, async () => new Set());
        await appendToLedger(options, ledgerFile, lines);
      } catch (thrown) {
        if (isCompromise(thrown)) throw thrown;
        // Some lines may have been written, and files that differ from the ledger count as changed by a person.
        throw new StrataError("EUNFINISHED", `${unfinished(all, path)}: ${formatError(thrown)}`);
      }
      await finish(lock, all);
    },
  };

  async function complete(lock: HeldLock, { ledgerFile, lines: own, received }: Pending): Promise<void> {
    const lines = [...(received?.steps ?? []), ...own];
    await beforeRecovery?.(lines);
    if (received)
      await appendReceived(lock, received, async (name) => {
        const text = await readTextWithin(files, folder, `${LEDGER}/${name}`);
        return new Set(text?.split("\n"));
      });
    const texts = [LEDGER, HIDDEN_LEDGER].map((one) => readTextWithin(files, folder, `${one}/${ledgerFile}`));
    const written = (await Promise.all(texts)).join("\n");
    await lock.check();
    const known = new Set(written.split("\n"));
    const missing = own.filter((line) => !known.has(formatLine(line)));
    await appendToLedger(options, ledgerFile, missing);
    const next = findNext(lines);
    for (const some of groupAlike(lines)) {
      // A line is done if a later one has already built on it.
      const isBuiltOn = await areDone(some.flatMap((line) => next.get(line) ?? []));
      const built = new Set(some.filter((line) => next.has(line)).filter((_, n) => isBuiltOn[n]));
      await apply(
        lock,
        some.filter((line) => !built.has(line)),
      );
    }
    await removeTorn(lines.map(({ path }) => path));
  }
}

/** The steps of a change. */
function createSteps({ files, folder, path, prefix }: JournalOptions) {
  const lineFiles = createLineFiles(files, folder);
  return { appendReceived, attempt, begin, finish, lineFiles };

  async function begin(lock: HeldLock, pending: Pending): Promise<void> {
    await attempt(async () => {
      for (const line of pending.lines) requireReadable(line, prefix);
      await lock.check();
      if (!(await files.create(path, JSON.stringify(pending))))
        throw new StrataError("ENOTWRITTEN", `${path} is in the way; remove it`);
    });
  }

  /** Runs a step that comes before any change, and calls `revert` if it fails. */
  async function attempt(action: () => Promise<void>, revert = async (): Promise<void> => {}): Promise<void> {
    try {
      await action();
    } catch (thrown) {
      // The new holder of the lock completes the pending change.
      if (isCompromise(thrown)) throw thrown;
      await revert();
      throw new StrataError(
        "ENOTWRITTEN",
        `cannot write to ${folder}, nothing was changed: ${formatError(thrown)}`,
      );
    }
  }

  async function appendReceived(
    lock: HeldLock,
    received: Received,
    readThere: (name: string) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    for (const [name, texts] of Object.entries(received.lines)) {
      const there = await readThere(name);
      const missing = texts.filter((text) => !there.has(text));
      await lock.check();
      await appendLines(files, folder, `${LEDGER}/${name}`, missing);
    }
  }

  /** Writes the files, and rejects with ECHANGED if one was changed by another writer. */
  async function finish(lock: HeldLock, lines: readonly LedgerLine[]): Promise<void> {
    const left = await applyAll(lock, lines);
    if (!left) return;
    throw new StrataError(
      "ECHANGED",
      `${join(folder, left.path)} was changed by another writer at the same moment and stays as it is; read it again, and repeat the change if it is still needed`,
    );
  }

  /** The first change that could not be made, if any. */
  async function applyAll(lock: HeldLock, lines: readonly LedgerLine[]): Promise<LedgerLine | undefined> {
    try {
      let left: LedgerLine | undefined;
      for (const some of groupAlike(lines)) {
        const applied = await lineFiles.apply(lock, some);
        left ??= some.find((_, n) => !applied[n]);
      }
      await files.remove(path);
      return left;
    } catch (thrown) {
      if (isCompromise(thrown)) throw thrown;
      throw new StrataError("EUNFINISHED", `${unfinished(lines, path)}: ${formatError(thrown)}`);
    }
  }
}

/** The next line that starts from the file that a line produces. */
function findNext(lines: readonly LedgerLine[]): Map<LedgerLine, LedgerLine> {
  const next = new Map<LedgerLine, LedgerLine>();
  const byStart = new Map<string, LedgerLine>();
  for (const line of [...lines].reverse()) {
    const follower = byStart.get(line.path);
    if (follower) next.set(line, follower);
    byStart.set(line.from ?? line.path, line);
  }
  return next;
}

/** Number of files changed concurrently to hide disk latency. The lock is checked before each group. */
const AT_A_TIME = 16;

/**
 * The lines in order, grouped if consecutive, of one kind and about different files. Changes of another kind wait, so
 * that a swap writes new files before it removes old ones.
 */
function groupAlike(lines: readonly LedgerLine[]): LedgerLine[][] {
  const groups: LedgerLine[][] = [];
  let paths = new Set<string>();
  let kind: string | undefined;
  for (const line of lines) {
    const own = line.from === undefined ? [line.path] : [line.path, line.from];
    const group = groups.at(-1);
    const isJoined =
      group !== undefined &&
      group.length < AT_A_TIME &&
      kindOf(line) === kind &&
      own.every((path) => !paths.has(path));
    if (isJoined) group.push(line);
    else {
      groups.push([line]);
      paths = new Set();
    }
    for (const path of own) paths.add(path);
    kind = kindOf(line);
  }
  return groups;
}

function kindOf({ after, before, from }: LedgerLine): "move" | "new" | "removal" | "rewrite" {
  if (from !== undefined) return "move";
  if (before === null) return "new";
  return after === null ? "removal" : "rewrite";
}

/** Refuses to write a line that could not be read back. */
function requireReadable(line: LedgerLine, prefix: string): void {
  const reading = readLedgerLine(line, prefix);
  if (reading.kind === "problem") throw new StrataError("ENOTWRITTEN", `the line ${reading.what}`);
}

const isCompromise = (thrown: unknown): boolean =>
  thrown instanceof StrataError && thrown.code === "ECOMPROMISED";

/** For people: "edit of decision/port-8080". */
function formatBegun(lines: readonly LedgerLine[]): string {
  const keys = [...new Set(lines.map(({ key }) => key))];
  if (keys.length === 0) return "sync";
  return `${lines[0]?.operation} of ${keys.length > 1 ? `${keys.length} memories` : keys[0]}`;
}

const unfinished = (lines: readonly LedgerLine[], path: string): string =>
  `${formatBegun(lines)} was begun and is kept in ${path}; the next change completes it, so do not repeat it`;

/* Applies ledger lines to memory files. Follows no link. Call under the lock. */

export interface LineFiles {
  /**
   * Applies the changes of lines about different files concurrently. Per line: `false`, without effect, if its file
   * matches neither the state before nor after. If one fails, rejects after all have ended.
   */
  apply(lock: Pick<HeldLock, "check">, lines: readonly LedgerLine[]): Promise<boolean[]>;
  /** True for each line whose file is in the state after the line. */
  areDone(lines: readonly LedgerLine[]): Promise<boolean[]>;
  /** Removes temporary files that a process killed while writing these files left behind. */
  removeTorn(paths: readonly string[]): Promise<void>;
}

/** The suffix of a temporary file: a number or a UUID. */
const TORN = /^(.*)\.(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/s;

/** `null` if there is no file; `undefined`, which matches no line, if the path is blocked or not a file. */
type Hash = string | null | undefined;

export function createLineFiles(files: Files, folder: string): LineFiles {
  return {
    async apply(lock, lines) {
      const hashAt = createHashing();
      const found = await settleAll(
        lines.map(async ({ from, path }) => ({
          there: await hashAt(path),
          source: from === undefined ? null : await hashAt(from),
        })),
      );
      await lock.check();
      return settleAll(lines.map((line, n) => applyOne(line, found[n])));
    },

    async areDone(lines) {
      const hashAt = createHashing();
      const found = await Promise.all(lines.map(({ path }) => hashAt(path)));
      return lines.map(({ after }, n) => after !== null && found[n] === after);
    },

    async removeTorn(paths) {
      const folders = new Map<string, Set<string>>();
      for (const path of new Set(paths)) {
        if (await findObstacle(files, folder, path)) continue;
        const names = folders.get(dirname(path)) ?? new Set();
        folders.set(dirname(path), names.add(basename(path)));
      }
      for (const [under, names] of folders)
        for (const name of await files.list(join(folder, under))) {
          const [, own] = TORN.exec(name) ?? [];
          const path = join(folder, under, name);
          if (own === undefined || !names.has(own)) continue;
          if ((await files.statItself(path))?.kind === "file") await files.remove(path);
        }
    },
  };

  async function applyOne(
    { path: to, from, before, after, contents }: LedgerLine,
    { source, there }: { there?: Hash; source?: Hash } = {},
  ): Promise<boolean> {
    const target = join(folder, to);
    if (from !== undefined) {
      if (there !== null) return there === after && source === null;
      if (source !== before) return false;
      await files.rename(join(folder, from), target);
      return true;
    }
    if (after === null && there === before) {
      await files.remove(target);
      return true;
    }
    if (contents === undefined || there !== before) return there === after;
    if (before === null) return files.create(target, contents);
    await files.writeWhole(target, contents);
    return true;
  }

  function createHashing(): (path: string) => Promise<Hash> {
    const findWay = createWayFinder(files, folder);
    return async (path) => hashOn(path, await findWay(path));
  }

  async function hashOn(path: string, way: Way): Promise<Hash> {
    if (way.kind === "missing") return null;
    if (way.kind === "blocked" || way.stat.kind !== "file") return undefined;
    const contents = await files.read(join(folder, path));
    return contents ? hashOf(contents) : null;
  }
}
