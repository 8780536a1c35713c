/** Damage to the ledger, and files that differ from it. Pure. */
import { dirname, join } from "node:path";
import { hashOf } from "../../hash.js";
import { HIDDEN_LEDGER, LEDGER, parsePath } from "../../memory/path.js";
import type { Looked } from "../../memory/store/entries.js";
import type { LedgerLine } from "../../memory/store/ledger-line.js";
import { findSecrets } from "../../secrets/secrets.js";
import { idOf } from "../memory-files.js";
import { type Fix, type Issue, problem, rebuildIndex, warning } from "./issue.js";
import type { LedgerFile, ShelfState } from "./shelf-state.js";

const APPEND_ONLY = "restore the file from git, or remove the line; the memories themselves are intact";

export function findLedgerIssues(shelf: ShelfState): Issue[] {
  const { ledger, place } = shelf;
  const isShared = (path: string): boolean => !place.keepsOut || !dirname(path).endsWith(HIDDEN_LEDGER);
  const shared = ledger.filter(({ path }) => isShared(path));
  if (shared.length === 0 && listShared(shelf).length > 0) return [missing(shelf)];
  return [...ledger.flatMap(findLineIssues), ...findGaps(ledger), ...findDifferences(shelf, place.folder)];
}

function missing(shelf: ShelfState): Issue {
  const { place } = shelf;
  const count = listShared(shelf).length;
  return warning({
    file: join(place.folder, LEDGER),
    what: `the ledger is missing: ${count} ${count === 1 ? "memory has" : "memories have"} no history`,
    todo: "restore it from git, or start a new one with strata optimize --execute",
    fixes: [{ kind: "settle", place, says: `start a new ledger with the ${count} found` }],
  });
}

/** The memories whose lines belong in the ledger beside them. */
const listShared = ({ isKeptOut, looked }: ShelfState): Looked[] =>
  looked.filter((one) => isEntered(one) && !isKeptOut(one.path));

/** Is it a memory with a name that the ledger accepts? */
const isEntered = ({ path, reading }: Looked): boolean =>
  reading.kind === "memory" && parsePath(path) !== undefined;

function findLineIssues({ isTorn, lines, path }: LedgerFile): Issue[] {
  return lines.flatMap(({ fault, line, number }, n) => {
    const isLast = n === lines.length - 1;
    if (!line && isLast && isTorn)
      return [problem({ file: path, what: `line ${number} is cut off`, todo: APPEND_ONLY })];
    if (!line)
      return [
        problem({
          file: path,
          what: `line ${number} ${fault}`,
          todo: APPEND_ONLY,
        }),
      ];
    if (line.contents === undefined || hashOf(line.contents) === line.after) return [];
    const what = `line ${number} (${line.key}) was changed after it was written: its hash does not match`;
    return [problem({ file: path, what, todo: APPEND_ONLY })];
  });
}

/** Every line about a memory continues from an earlier one, except the first. */
function findGaps(ledger: readonly LedgerFile[]): Issue[] {
  const all = ledger.flatMap(({ lines, path }) =>
    lines.flatMap(({ line, number }) => (line ? [{ line, number, path }] : [])),
  );
  const versions = new Map<string, number>();
  const count = ({ key }: LedgerLine, hash: string | null): number => versions.get(`${key} ${hash}`) ?? 0;
  for (const { line } of all) versions.set(`${line.key} ${line.after}`, count(line, line.after) + 1);
  // A move keeps the version, so its own line has it too.
  const continues = (line: LedgerLine): boolean =>
    line.before === null || count(line, line.before) > (line.before === line.after ? 1 : 0);
  return all
    .filter(({ line }) => !continues(line))
    .map(({ line, number, path }) =>
      warning({
        file: path,
        what: `line ${number} continues from a version of ${line.key} that no line records`,
        todo: "the line before it is lost; look for it in git",
      }),
    );
}

/** Manual edits, which the next change would record as such. */
function findDifferences({ ledger, looked, place }: ShelfState, folder: string): Issue[] {
  const known = readLast(ledger);
  const found: Issue[] = [];
  const add = (path: string, what: string, says: string): void => {
    const settle: Fix = { kind: "settle", place, says };
    // The index does not list the archive.
    const fixes = parsePath(path)?.isArchived ? [settle] : [settle, rebuildIndex(place)];
    found.push(
      warning({
        file: join(folder, path),
        what,
        todo: `nothing if it was intended: the next use records it; for every version: strata history ${idOf(place, path)}`,
        fixes,
      }),
    );
  };
  for (const { hash, path, text = "" } of looked.filter(isEntered)) {
    const last = known.get(path);
    // A file with a secret is recorded once that is removed.
    if (last === hash || findSecrets(text).length > 0) continue;
    if (last === undefined || last === null)
      add(path, "it is not in the ledger: it was added by hand", "record in the ledger that it was added");
    else add(path, "it differs from the ledger: it was edited by hand", "record the edit in the ledger");
  }
  const there = new Set(looked.map(({ path }) => path));
  for (const [path, hash] of known) {
    if (hash === null || there.has(path)) continue;
    add(
      path,
      "it is in the ledger, but the file is gone: it was removed by hand",
      "record in the ledger that it was removed",
    );
  }
  return found;
}

/** Last hash of each file in the ledger, `null` if it was removed. Between ledgers the time decides, within one the order. */
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
