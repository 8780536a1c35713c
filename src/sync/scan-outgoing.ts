/**
 * Decides which lines may leave this machine. A line stays here if it or the version that it creates contains a secret,
 * repeats or names a private memory, names a path of this machine, or is not the user's. All others are sent. A change
 * without text, such as a move, is sent only if the text that it refers to may be sent.
 */
import type { Sliced } from "../base/slices.js";
import { findPrivateID, findSecretIn } from "../memory/draft.js";
import type { Memory } from "../memory/memory.js";
import { parseMemoryFile } from "../memory/memory-file.js";
import { parsePath } from "../memory/path.js";
import { listFingerprints } from "../memory/store/conflict-log.js";
import { groupByKey, type LedgerLine, sortByTime } from "../memory/store/ledger.js";
import { type SharedLine, SYNC } from "../memory/store/receipt.js";
import type { Shared } from "../memory/store/store.js";

export interface Outgoing {
  /** In ledger order. */
  lines: SharedLine[];
  /** Memories whose newest version stays here, and why. */
  refused: { id: string; why: string }[];
  /** Number of lines that stay here although a newer version of their memory is sent. */
  earlier: number;
  /** Number of memories that came with the repository and are not the user's. */
  foreign: number;
}

export interface ScanOptions {
  shared: Shared;
  /** Does the remote have the line with this id? */
  isShared(id: string): boolean;
  /** Absolute paths specific to this machine, such as the home folder. */
  machinePaths: readonly string[];
  /** Ids of memories whose remote version could not be applied. */
  held: ReadonlySet<string>;
  /** Do others write to the remote? Then merges with their lines may be sent back. */
  isTeams: boolean;
}

export function* scanOutgoing(options: ScanOptions): Sliced<Outgoing> {
  const { isShared, machinePaths, shared } = options;
  const outgoing: Outgoing = { lines: [], refused: [], earlier: 0, foreign: 0 };
  const findPath = createFindPath(machinePaths);
  const sendable = new Set<string>();
  for (const [id, lines] of groupByKey(sortByTime(shared.lines.map(({ line }) => line)))) {
    if (lines.every((line) => isShared(line.id))) continue;
    const refusals = yield* scanMemory(id, lines, { ...options, findPath });
    for (const [line, why] of refusals) if (why === undefined) sendable.add(line.id);
    const why = refusals.at(-1)?.[1];
    if (why === undefined) outgoing.earlier += refusals.filter(([, one]) => one !== undefined).length;
    else if (why === FOREIGN) outgoing.foreign++;
    else if (why !== SILENT) outgoing.refused.push({ id, why });
  }
  outgoing.lines = shared.lines.filter(({ line }) => sendable.delete(line.id));
  return outgoing;
}

type MemoryScan = ScanOptions & { findPath(text: string): string | undefined };

/** A line, and the reason why it stays here, if it does. */
type Scanned = readonly [LedgerLine, string | undefined];

/** The lines of one memory that the remote lacks, in order, each with the reason why it stays here, if it does. */
function* scanMemory(
  id: string,
  lines: readonly LedgerLine[],
  { findPath, held, isShared, isTeams, shared }: MemoryScan,
): Sliced<Scanned[]> {
  const refusals: Scanned[] = [];
  const whole = held.has(id) ? HELD : undefined;
  const isThere = lines.some(({ path }) => shared.isThere(path));
  const removed = isThere ? findRemoval(lines) : lines.length;
  /** Hashes of the versions that the remote has or will have. */
  const texts = new Set<string>();
  for (const [n, line] of lines.entries()) {
    yield;
    const isGone = n < removed;
    const isOwn = (isTeams && line.operation === SYNC && !refusals.some(isForeign)) || shared.isOwn(line);
    const refusal = isShared(line.id)
      ? undefined
      : (whole ?? findTextless(line, { isGone, texts }) ?? findFault(line, { findPath, isOwn, shared }));
    if (refusal === undefined && line.after !== null) texts.add(line.after);
    if (!isShared(line.id)) refusals.push([line, refusal]);
  }
  return withholdUnmerged(refusals);
}

const isForeign = ([, why]: Scanned): boolean => why === FOREIGN;

/**
 * Other machines assume that everything on the remote is merged, and a line without its merge would override their change.
 * So if a merge stays here, the lines before it stay too, until a line that builds on it is sent.
 */
function withholdUnmerged(refusals: readonly Scanned[]): Scanned[] {
  const merge = refusals.findLastIndex(([{ operation }, why]) => why && operation === SYNC);
  const isBuiltOn = refusals.slice(merge + 1).some(([, why]) => why === undefined);
  const why = isBuiltOn ? undefined : refusals[merge]?.[1];
  return refusals.map(([line, own]) => [line, own ?? why]);
}

/** Index of the last line after which the memory did not exist; -1 if there is none. */
function findRemoval(lines: readonly LedgerLine[]): number {
  const places = new Set<string>();
  return lines
    .map(({ after, from, path }) => {
      if (from !== undefined) places.delete(from);
      if (after === null) places.delete(path);
      else places.add(path);
      return places.size === 0;
    })
    .lastIndexOf(true);
}

/** Not reported, since the line was never meant to be sent. */
const SILENT = "";
const FOREIGN = "it came with the repository and is not yours";
const HELD = "the version on the remote could not be applied; first fix the problem listed under Left out";

/**
 * For a removed memory only the removal is sent, and only if the remote has the memory: it may have been moved to
 * `private/` together with its changes since the last push.
 */
function findTextless(
  { after, contents }: LedgerLine,
  { isGone, texts }: { isGone: boolean; texts: ReadonlySet<string> },
): string | undefined {
  if (after === null) return texts.size > 0 ? undefined : SILENT;
  if (isGone) return SILENT;
  return contents !== undefined || texts.has(after) ? undefined : "the text that it refers to stays here";
}

/** All texts of a line that people may have written, unknown fields included. */
function wordsOf(line: LedgerLine): string {
  const written = Object.entries(line).filter(([name]) => !MADE.has(name));
  return written.map(([, value]) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");
}

const MADE = new Set(["v", "id", "at", "instance", "by", "before", "after", "session", "run", "undoes"]);

function findFault(
  line: LedgerLine,
  { findPath, isOwn, shared }: Pick<MemoryScan, "findPath" | "shared"> & { isOwn: boolean },
): string | undefined {
  // YAML's escapes can hide words from a search of the file.
  const isRead = shared.hidden.size > 0 || line.contents?.includes("\\");
  const memory = isRead ? readMemory(line) : undefined;
  const text = `${wordsOf(line)}\n${listWords({ ...memory, content: "" }).join("\n")}`;
  if (findPrivateID(text) !== undefined) return "it names a private memory; leave the name out";
  if (memory && listFingerprints(memory).some((one) => shared.hidden.has(one)))
    return "it repeats a private memory";
  if (!isOwn) return FOREIGN;
  const path = findPath(text);
  if (path !== undefined)
    return `it names a path of this machine (${path}); write it relative to the project`;
  return findSecretIn(text);
}

function readMemory({ contents, path }: LedgerLine): Memory | undefined {
  const parts = parsePath(path);
  if (contents === undefined || !parts) return undefined;
  const place = { ...parts, scope: "project" as const, sensitivity: "internal" as const, modifiedMs: 0 };
  const reading = parseMemoryFile(Buffer.from(contents), place);
  return reading.kind === "memory" ? reading.memory : undefined;
}

function listWords(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.entries(value).flat().flatMap(listWords) : [];
}

/** Finds paths that begin with one of these, matching whole folder names. */
function createFindPath(machinePaths: readonly string[]): (text: string) => string | undefined {
  const plain = machinePaths.map((path) => path.replace(/[\\/]+$/, "")).filter((path) => path.length > 1);
  const forms = [...new Set(plain)].map((path) => ({ path, written: listForms(path) }));
  const long = forms.toSorted((a, b) => b.path.length - a.path.length);
  return (text) => {
    const folded = text.toLowerCase();
    return long.find(({ path, written }) =>
      written.some((one) => (isOnDrive(path) ? hasFolder(folded, one.toLowerCase()) : hasFolder(text, one))),
    )?.path;
  };
}

const isOnDrive = (path: string): boolean => /^[a-z]:/i.test(path);

/** Windows paths are written with either slash, in code with two, in Git Bash as `/c/…`, in WSL as `/mnt/c/…`. */
function listForms(path: string): string[] {
  if (!isOnDrive(path)) return [path, path.replaceAll("\\", "\\\\")];
  const slashed = path.replaceAll("\\", "/");
  const unix = `/${slashed.replace(":", "")}`;
  return [path, slashed, path.replaceAll("\\", "\\\\"), unix, `/mnt${unix}`];
}

/** A full stop after the path may end a sentence; a letter before it may be a compiler option: `-I/home/me/include`. */
function hasFolder(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const [before, after] = [
      text.slice(Math.max(0, at - 3), at),
      text.slice(at + path.length, at + path.length + 2),
    ];
    if (!/^([\w-]|\.\w)/.test(after) && /(^|[^\w.]|(^|\W)-[A-Za-z])$/.test(before)) return true;
  }
  return false;
}
