/** Everything about one memory folder that can be checked, read once and without changing anything. */
import { join } from "node:path";
import { formatError } from "../../error.js";
import type { LockState } from "../../lock/holders.js";
import { formatPrefix } from "../../memory/id.js";
import { memoryTypes } from "../../memory/memory.js";
import { ARCHIVE, CONFLICTS, HIDDEN_LEDGER, LEDGER } from "../../memory/path.js";
import type { Entry } from "../../memory/store/entries.js";
import { readKnown } from "../../memory/store/known-files.js";
import { isNeighbours } from "../../memory/store/ledger.js";
import { type LedgerLine, readLedgerLine } from "../../memory/store/ledger-line.js";
import { listItself, readTextWithin } from "../../memory/store/obstacle.js";
import { listSetAside, type PendingReading, readPending } from "../../memory/store/pending.js";
import { parseJson } from "../../records.js";
import { type FileStat, type Files, readText } from "../../seams/files.js";
import type { ReadShelf } from "../memory-files.js";

export interface ShelfState extends ReadShelf {
  ledger: readonly LedgerFile[];
  /** `MEMORY.md`. */
  index: { kind: "none" } | { kind: "page"; text: string } | { kind: "other"; what: string };
  /** Texts of conflict records, by path. */
  conflicts: ReadonlyMap<string, string>;
  /** Everything in the memory folder, by path relative to it. */
  names: ReadonlyMap<string, FileStat>;
  /** Text of its `.gitignore`. */
  ignored: string | undefined;
  pending: PendingReading | undefined;
  /** Paths of refused pending changes. */
  setAside: readonly string[];
  lock: LockState;
  /** The cache of an earlier start. */
  known: readonly Entry[] | "unreadable";
  /** Texts of invalid memory files, by path. */
  brokenTexts: ReadonlyMap<string, string>;
}

export interface LedgerFile {
  path: string;
  /** `fault` says why it is not a ledger line, continuing "line 3 …". */
  lines: readonly { number: number; text: string; line?: LedgerLine; fault?: string }[];
  /** Does it end within a line? */
  isTorn: boolean;
}

const MOST_BROKEN_BYTES = 256 * 1024;

export async function readShelfState(
  { files, inspect }: { files: Files; inspect(path: string): Promise<LockState> },
  shelf: ReadShelf,
): Promise<ShelfState> {
  const { looked, place } = shelf;
  const { folder, state } = place;
  const knownPath = join(state, "known.jsonl");
  const hasKnown = (await files.stat(knownPath)) !== undefined;
  const prefix = formatPrefix(place);
  const known = hasKnown
    ? await readKnown(files, knownPath, { prefix, owner: "any" }).catch(() => undefined)
    : { entries: [] };
  return {
    ...shelf,
    ledger: [
      ...(await readLedgerFiles(files, join(folder, LEDGER), prefix)),
      ...(place.keepsOut ? await readLedgerFiles(files, join(folder, HIDDEN_LEDGER), prefix) : []),
    ],
    index: await readIndex(files, join(folder, "MEMORY.md")),
    conflicts: await readTexts(files, join(folder, CONFLICTS)),
    names: await listNames(files, folder),
    ignored: await readSafely(files, folder, ".gitignore"),
    pending: await readPending(files, join(state, "pending.json"), prefix).catch(() => undefined),
    setAside: await listSetAside(files, state).catch(() => []),
    lock: await inspect(join(state, "lock")),
    known: known?.entries ?? "unreadable",
    brokenTexts: await readBroken(
      files,
      looked.filter(({ bytes, reading }) => reading.kind === "problem" && bytes <= MOST_BROKEN_BYTES),
      folder,
    ),
  };
}

/** Is there nothing of Strata's in it? */
export function isEmpty({ index, ledger, looked }: ShelfState): boolean {
  return looked.length === 0 && ledger.length === 0 && index.kind === "none";
}

async function readLedgerFiles(files: Files, folder: string, prefix: string): Promise<LedgerFile[]> {
  const read: LedgerFile[] = [];
  for (const name of (await listSafely(files, folder)).filter((one) => one.endsWith(".jsonl"))) {
    const path = join(folder, name);
    const text = (await readSafely(files, folder, name)) ?? "";
    const isShared = folder.endsWith(HIDDEN_LEDGER);
    const lines = text.split("\n").map((line, n) => ({ number: n + 1, text: line }));
    read.push({
      path,
      isTorn: text !== "" && !text.endsWith("\n"),
      lines: lines
        .filter(
          ({ text: line }) => line.trim() !== "" && !(isShared && isNeighbours(parseJson(line), prefix)),
        )
        .map((one) => {
          const reading = readLedgerLine(parseJson(one.text), prefix);
          return reading.kind === "line" ? { ...one, line: reading.line } : { ...one, fault: reading.what };
        }),
    });
  }
  return read;
}

async function readIndex(files: Files, path: string): Promise<ShelfState["index"]> {
  const stat = await files.statItself(path);
  if (!stat) return { kind: "none" };
  if (stat.kind !== "file") return { kind: "other", what: `it is a ${stat.kind}, not a file` };
  try {
    return { kind: "page", text: (await readText(files, path)) ?? "" };
  } catch (thrown) {
    return { kind: "other", what: `it cannot be read: ${formatError(thrown)}` };
  }
}

async function readBroken(
  files: Files,
  broken: readonly Entry[],
  folder: string,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const { path } of broken) {
    const text = await readSafely(files, folder, path);
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}

/** Includes what lies beside the memories; follows no links. */
async function listNames(files: Files, folder: string): Promise<Map<string, FileStat>> {
  const found = new Map<string, FileStat>();
  const types: readonly string[] = memoryTypes;
  const visit = async (under: string): Promise<void> => {
    for (const name of await listSafely(files, join(folder, under))) {
      const path = under === "" ? name : `${under}/${name}`;
      const stat = await files.statItself(join(folder, path));
      if (!stat) continue;
      found.set(path, stat);
      const isOurs = types.includes(path.replace(/^archive\//, "")) || OWN_FOLDERS.has(path);
      if (stat.kind === "folder" && isOurs) await visit(path);
    }
  };
  if ((await files.statItself(folder))?.kind === "folder") await visit("");
  return found;
}

const OWN_FOLDERS: ReadonlySet<string> = new Set([ARCHIVE, LEDGER, CONFLICTS]);

async function readTexts(files: Files, folder: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const name of (await listSafely(files, folder)).filter((one) => one.endsWith(".md"))) {
    const text = await readSafely(files, folder, name);
    if (text !== undefined) texts.set(join(folder, name), text);
  }
  return texts;
}

/** Empty for what cannot be listed, which other checks report. */
const listSafely = (files: Files, folder: string): Promise<string[]> =>
  listItself(files, folder).catch(() => []);

const readSafely = (files: Files, folder: string, path: string): Promise<string | undefined> =>
  readTextWithin(files, folder, path).catch(() => undefined);
