/** Flaws of the ledger, and files that are others than it says. Pure. */
import { join } from "node:path";
import { hashOf } from "../../hash.js";
import { LEDGER, parsePath } from "../../memory/path.js";
import type { Looked } from "../../memory/store/entries.js";
import type { LedgerLine } from "../../memory/store/ledger-line.js";
import { findSecrets } from "../../secrets/secrets.js";
import { idOf } from "../memory-files.js";
import { type Flaw, type Mend, problem, rebuildIndex, warning } from "./flaw.js";
import type { LedgerFile, ShelfState } from "./shelf-state.js";

const APPEND_ONLY = "take the version from git, or take the line out; the memories themselves are whole";

export function findLedgerFlaws(shelf: ShelfState): Flaw[] {
  const { ledger, looked, place } = shelf;
  const isMissing = ledger.length === 0 && looked.some(isEntered);
  if (isMissing) return [missing(shelf)];
  return [...ledger.flatMap(findLineFlaws), ...findGaps(ledger), ...findDifferences(shelf, place.folder)];
}

function missing({ looked, place }: ShelfState): Flaw {
  const count = looked.filter(isEntered).length;
  return warning({
    file: join(place.folder, LEDGER),
    what: `the ledger is missing: ${count} ${count === 1 ? "memory has" : "memories have"} no history`,
    todo: "take it from git; or strata optimize --execute begins a new one with what is there",
    mends: [{ kind: "settle", place, says: `begins a new ledger with the ${count} that are there` }],
  });
}

/** Is it a memory that the ledger can name? */
const isEntered = ({ path, reading }: Looked): boolean =>
  reading.kind === "memory" && parsePath(path) !== undefined;

function findLineFlaws({ isTorn, lines, path }: LedgerFile): Flaw[] {
  return lines.flatMap(({ fault, line, number }, n) => {
    const isLast = n === lines.length - 1;
    if (!line && isLast && isTorn)
      return [problem({ file: path, what: `line ${number} is torn: its end is missing`, todo: APPEND_ONLY })];
    if (!line)
      return [
        problem({
          file: path,
          what: `line ${number} ${fault}`,
          todo: APPEND_ONLY,
        }),
      ];
    if (line.contents === undefined || hashOf(line.contents) === line.after) return [];
    const what = `line ${number} (${line.key}) was changed after it was written: its hash is another`;
    return [problem({ file: path, what, todo: APPEND_ONLY })];
  });
}

/** Every line but the first about a memory goes on from another one. */
function findGaps(ledger: readonly LedgerFile[]): Flaw[] {
  const all = ledger.flatMap(({ lines, path }) =>
    lines.flatMap(({ line, number }) => (line ? [{ line, number, path }] : [])),
  );
  const versions = new Map<string, number>();
  const count = ({ key }: LedgerLine, hash: string | null): number => versions.get(`${key} ${hash}`) ?? 0;
  for (const { line } of all) versions.set(`${line.key} ${line.after}`, count(line, line.after) + 1);
  // What a move leaves as it was is a version that the line itself has, too.
  const goesOn = (line: LedgerLine): boolean =>
    line.before === null || count(line, line.before) > (line.before === line.after ? 1 : 0);
  return all
    .filter(({ line }) => !goesOn(line))
    .map(({ line, number, path }) =>
      warning({
        file: path,
        what: `line ${number} goes on from a version of ${line.key} that is in no line`,
        todo: "the line before it is lost; git may have it",
      }),
    );
}

/** As `strata` would enter them, with the next change, as done by hand. */
function findDifferences({ ledger, looked, place }: ShelfState, folder: string): Flaw[] {
  const known = readLast(ledger);
  const found: Flaw[] = [];
  const add = (path: string, what: string, says: string): void => {
    const settle: Mend = { kind: "settle", place, says };
    // The archive is in no index.
    const mends = parsePath(path)?.isArchived ? [settle] : [settle, rebuildIndex(place)];
    found.push(
      warning({
        file: join(folder, path),
        what,
        todo: `nothing, if it was meant: it is entered with the next use. Every version: strata history ${idOf(place, path)}`,
        mends,
      }),
    );
  };
  for (const { hash, path, text = "" } of looked.filter(isEntered)) {
    const last = known.get(path);
    // What holds a secret is entered when that is out of it.
    if (last === hash || findSecrets(text).length > 0) continue;
    if (last === undefined || last === null)
      add(path, "it is not in the ledger: it was added by hand", "enters in the ledger that it was added");
    else
      add(path, "it is another than the ledger says: it was edited by hand", "enters the edit in the ledger");
  }
  const there = new Set(looked.map(({ path }) => path));
  for (const [path, hash] of known) {
    if (hash === null || there.has(path)) continue;
    add(
      path,
      "it is gone, and the ledger has it: it was removed by hand",
      "enters in the ledger that it is gone",
    );
  }
  return found;
}

/** The hash that each file has by the ledger, `null` when it is gone. Between files the time counts, within one the order. */
function readLast(ledger: readonly LedgerFile[]): Map<string, string | null> {
  const last = new Map<string, { hash: string | null; at: string; file: string }>();
  const take = (path: string, hash: string | null, { at }: LedgerLine, file: string): void => {
    const before = last.get(path);
    if (!before || before.file === file || before.at <= at) last.set(path, { hash, at, file });
  };
  for (const { lines, path: file } of ledger) {
    for (const { line } of lines) {
      if (line?.from !== undefined) take(line.from, null, line, file);
      if (line) take(line.path, line.after, line, file);
    }
  }
  return new Map([...last].map(([path, { hash }]) => [path, hash]));
}
