/**
 * Keeps memories of some types out of git until they are published: see `src/memory/kept-out.ts` for the rules, and
 * `ledger.ts` for where their history is.
 *
 *     begin      adds the rules. Memories that git tracks stay published; the history of others leaves the shared ledger
 *     publish    history → shared ledger, then the rules, then history out of the hidden ledger
 *     hide       the same back
 *
 * Each order leaves, if the process stops in between, a state that the next call completes. All of it is done under the
 * lock of the collection, except `look` and `has`.
 */
import { join } from "node:path";
import { formatNegation, planRules, readIgnored } from "../../base/git-ignore.js";
import { parseJson } from "../../base/shape.js";
import { type Files, readText } from "../../io/files.js";
import type { HeldLock } from "../../io/locks.js";
import { planKeepingRules, planPublishingRules, typesKeptOut, withoutPublishing } from "../kept-out.js";
import { formatID, formatPrefix, type MemoryType } from "../memory.js";
import { formatLedgerFile, HIDDEN_LEDGER, LEDGER, splitPath } from "../path.js";
import { appendLines, formatLine } from "./ledger.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";
import { type CollectionPlace, prepareHidden } from "./places.js";
import { findObstacle, listItself, listPaths, readTextWithin } from "./scan.js";

export interface KeepOut {
  /** Reads the rules again. Rejects with the system's error. */
  look(): Promise<void>;
  /** Does git ignore the file at this path below the folder, by the rules last read? */
  has(path: string): boolean;
  /** True if new memories of this type stay out of git. */
  covers(type: MemoryType): boolean;
  /** True if a rule of its own lets git see the file at this path, there or not. */
  isPublished(path: string): boolean;
  /** The rules last read. */
  rules(): string;
  /** Makes the folder ready for these files; `isNew` ones of other types are published. */
  begin(lock: Lock, changes: readonly { path: string; isNew: boolean }[]): Promise<void>;
  /** Publishes the memory at this path, with these lines of its history. */
  publish(lock: Lock, path: string, lines: readonly LedgerLine[]): Promise<void>;
  /** Takes the memory at this path, of this id, and all of its history out of git again. */
  hide(lock: Lock, path: string, key: string): Promise<void>;
}

type Lock = Pick<HeldLock, "check">;

export interface KeepOutOptions {
  files: Files;
  /** Types of project memories that git ignores until they are published. Default: `typesKeptOut`. */
  keepOutOfGit?: readonly MemoryType[];
  /** Paths below `.opencode` that git tracks, relative to the project. Default: none. */
  listTracked?(): Promise<readonly string[]>;
}

const IGNORE = ".gitignore";
/** Folder of the memories as git names it. */
const TRACKED_IN = ".opencode/memory/";

/** For the memories at this place; `undefined` if git sees all of them, or none. */
export function openKeepOut(options: KeepOutOptions, place: CollectionPlace): KeepOut | undefined {
  return place.keepsOut && createKeepOut(options, place);
}

function createKeepOut(options: KeepOutOptions, place: CollectionPlace): KeepOut {
  const { files, keepOutOfGit: types = typesKeptOut, listTracked } = options;
  const { folder, nameClone, state } = place;
  const rules = planKeepingRules(types);
  const moves = createMoves({ files, folder, state, prefix: formatPrefix(place) });
  const ignore = createIgnoreFile(files, join(folder, IGNORE));
  const { addLines, isIgnored, look } = ignore;

  return {
    look,
    has: isIgnored,
    covers: (type) => types.includes(type),
    isPublished: (path) => withoutPublishing(ignore.text(), path) !== ignore.text(),
    rules: ignore.text,

    async begin(lock, changes) {
      await look();
      if (planRules(ignore.text(), rules).length > 0) await addRules(lock);
      const isOpen = (path: string): boolean => !types.includes(splitPath(path)?.type as MemoryType);
      const open = changes.filter(({ isNew, path }) => isNew && isOpen(path) && isIgnored(path));
      await addLines(open.flatMap(({ path }) => planPublishingRules(path)));
      if (changes.some(({ path }) => isIgnored(path))) await prepareHidden(files, join(folder, "private"));
    },

    async publish(lock, path, lines) {
      for (const line of lines) {
        const name = formatLedgerFile(line.at, await nameClone());
        await moves.copy(lock, [{ name, text: formatLine(line) }], LEDGER);
      }
      await addLines(isIgnored(path) ? planPublishingRules(path) : []);
      const ids = new Set(lines.map(({ id }) => id));
      if (ids.size > 0) await moves.drop(lock, HIDDEN_LEDGER, ({ id }) => ids.has(id));
    },

    async hide(lock, path, key) {
      const isOwn = (line: LedgerLine): boolean => line.key === key;
      await prepareHidden(files, join(folder, "private"));
      await moves.copy(lock, await moves.find(LEDGER, isOwn), HIDDEN_LEDGER);
      await ignore.replace(withoutPublishing(ignore.text(), path));
      await moves.drop(lock, LEDGER, isOwn);
      await moves.dropCopies(lock, isOwn);
    },
  };

  /** History first: if the process stops before the rules are there, all of it is done again. */
  async function addRules(lock: Lock): Promise<void> {
    const { tracked, untracked } = await sort(await listPaths(files, folder));
    const keys = new Set(untracked.map(keyOf));
    const isKept = ({ key }: LedgerLine): boolean => keys.has(key);
    if (keys.size > 0) await prepareHidden(files, join(folder, "private"));
    await moves.copy(lock, await moves.find(LEDGER, isKept), HIDDEN_LEDGER);
    await moves.drop(lock, LEDGER, isKept);
    await moves.dropCopies(lock, isKept);
    const missing = planRules(ignore.text(), rules);
    const lines = ignore.text().split(/\r?\n/);
    const negations = lines.filter((line) => types.some((type) => isNegationOf(line, type)));
    await addLines([...new Set([...missing, ...negations, ...tracked.flatMap(planPublishingRules)])]);
  }

  /** Sorts the memories that the rules would keep out and nothing keeps out yet. */
  async function sort(paths: readonly string[]): Promise<{ tracked: string[]; untracked: string[] }> {
    const open = paths.filter((path) => {
      const type = splitPath(path)?.type;
      return type !== undefined && types.includes(type) && !isIgnored(path);
    });
    const known = new Set(open.length > 0 ? ((await listTracked?.().catch(() => [])) ?? []) : []);
    const isTracked = (path: string): boolean => known.has(`${TRACKED_IN}${path}`);
    return { tracked: open.filter(isTracked), untracked: open.filter((path) => !isTracked(path)) };
  }

  function keyOf(path: string): string {
    const parts = splitPath(path);
    return parts ? formatID({ ...place, ...parts }) : path;
  }
}

/** The `.gitignore` as it was last read. */
function createIgnoreFile(files: Files, path: string) {
  let text = "";
  let isIgnored = readIgnored(text);

  return {
    look,
    text: () => text,
    isIgnored: (path: string) => isIgnored(path),

    async addLines(lines: readonly string[]): Promise<void> {
      if (lines.length === 0) return;
      await files.appendLine(path, lines.join("\n"));
      await look();
    },

    async replace(contents: string): Promise<void> {
      if (contents !== text) await files.writeWhole(path, contents);
      await look();
    },
  };

  async function look(): Promise<void> {
    const now = (await readText(files, path)) ?? "";
    if (now !== text) isIgnored = readIgnored(now);
    text = now;
  }
}

/** True for a rule that publishes one memory of this type. */
const isNegationOf = (line: string, type: MemoryType): boolean =>
  line.startsWith(formatNegation(`${type}/`)) || line.startsWith(formatNegation(`archive/${type}/`));

/** A line of a ledger file as it is written. */
interface Found {
  /** Name of the file. */
  name: string;
  text: string;
}

interface Moves {
  find(ledger: string, isWanted: (line: LedgerLine) => boolean): Promise<Found[]>;
  /** Appends the lines that the ledger lacks, in files of the same names. */
  copy(lock: Lock, lines: readonly Found[], ledger: string): Promise<void>;
  drop(lock: Lock, ledger: string, isDropped: (line: LedgerLine) => boolean): Promise<void>;
  /** Drops lines of the copy from which the host's undo is repaired. */
  dropCopies(lock: Lock, isDropped: (line: LedgerLine) => boolean): Promise<void>;
}

interface MovesOptions extends Pick<KeepOutOptions, "files">, Pick<CollectionPlace, "folder" | "state"> {
  /** Prefix of the memories' ids. */
  prefix: string;
}

/** Moves lines between the ledgers below a folder. Follows no link. */
function createMoves({ files, folder, prefix, state }: MovesOptions): Moves {
  return {
    async find(ledger, isWanted) {
      const found: Found[] = [];
      for (const { lines, name } of await readAll(folder, ledger))
        found.push(...lines.filter((text) => isLine(text, isWanted)).map((text) => ({ name, text })));
      return found;
    },

    async copy(lock, lines, ledger) {
      for (const name of new Set(lines.map((line) => line.name))) {
        const there = new Set(((await readTextWithin(files, folder, `${ledger}/${name}`)) ?? "").split("\n"));
        const own = lines.filter((line) => line.name === name && !there.has(line.text));
        await lock.check();
        await appendLines(
          files,
          folder,
          `${ledger}/${name}`,
          own.map(({ text }) => text),
        );
      }
    },

    drop: (lock, ledger, isDropped) => dropIn(folder, ledger, lock, isDropped),
    dropCopies: (lock, isDropped) => dropIn(state, LEDGER, lock, isDropped),
  };

  async function dropIn(
    root: string,
    ledger: string,
    lock: Lock,
    isDropped: (line: LedgerLine) => boolean,
  ): Promise<void> {
    for (const { lines, name } of await readAll(root, ledger)) {
      const kept = lines.filter((text) => !isLine(text, isDropped));
      if (kept.length === lines.length) continue;
      await lock.check();
      const path = join(root, ledger, name);
      if (kept.every((text) => text === "")) await files.remove(path);
      else await files.writeWhole(path, kept.join("\n"));
    }
  }

  async function readAll(root: string, ledger: string): Promise<{ name: string; lines: string[] }[]> {
    if (await findObstacle(files, root, ledger, "folder")) return [];
    const names = (await listItself(files, join(root, ledger))).filter((name) => name.endsWith(".jsonl"));
    const read = names.map(async (name) => {
      const text = (await readTextWithin(files, root, `${ledger}/${name}`)) ?? "";
      return { name, lines: text.split("\n") };
    });
    return Promise.all(read);
  }

  function isLine(text: string, isWanted: (line: LedgerLine) => boolean): boolean {
    const reading = text.trim() === "" ? undefined : readLedgerLine(parseJson(text), prefix);
    return reading?.kind === "line" && isWanted(reading.line);
  }
}
