/**
 * Plans how lines of other machines change one memory here.
 *
 *     the remote has our newest line          our file takes the state of the newest line of all
 *     we have the remote's newest line        no change: the lines only add history
 *     both sides changed it                   a merge, as new lines of ours after all others
 *
 * A line is always later than the one that it builds on, whatever the clocks say, and everything on the remote was merged
 * before it was pushed. So the newest line by time and id includes all earlier ones. Pure.
 */
import { join } from "node:path";
import { hashOf } from "../../base/hash.js";
import { parseJson } from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import { fingerprint } from "../conflict.js";
import type { Memory } from "../memory.js";
import { formatPath, isLedgerFile, LEDGER, parsePath } from "../path.js";
import { type LedgerLine, readLedgerLine } from "./ledger-line.js";
import { listItself, readTextWithin } from "./scan.js";

/** A memory's file: its path in the collection's folder, and its text. */
export interface State {
  path: string;
  text: string;
}

export interface ReceiptOptions {
  /** This machine's lines about the memory, from all ledgers. */
  local: readonly LedgerLine[];
  /** New lines from the remote. */
  received: readonly LedgerLine[];
  /** Does the remote have this line? */
  isShared(id: string): boolean;
  /** The current file; `undefined` if there is none. */
  there: State | undefined;
  /** `undefined` if the text is not a valid memory. */
  parse(state: State): Version;
  format(version: NonNullable<Version>, over: string): string;
}

export type Receipt =
  | {
      kind: "planned";
      /** Steps that bring the file to the state of the newest line. */
      steps: LedgerLine[];
      /** The state after a merge; absent if there was nothing to merge. */
      merged?: { state: State | undefined; lastAt: string } | undefined;
      /** The newest state, before our own lines. */
      newest: State | undefined;
      /**
       * The file's other path, if the ledger still lists a file there because the line that moved it was not sent.
       * `lastAt` is the time of the newest line.
       */
      stale?: { path: string; hash: string; lastAt: string } | undefined;
      /** The unused version with another text, for a conflict record. */
      conflicting?: Memory | undefined;
    }
  /** The memory is unchanged, and the lines are received again next time. */
  | { kind: "deferred"; why: string };

export function planReceipt(options: ReceiptOptions): Receipt {
  const { isShared, local, received, there } = options;
  const all = [...local, ...received];
  const ours = findNewest(local);
  const newest = findNewest(all);
  const theirs = findNewest([...received, ...local.filter(({ id }) => isShared(id))]);
  if (!newest || !theirs) return { kind: "planned", steps: [], newest: there };
  const isForward = !ours || isShared(ours.id);
  if (!isForward && local.includes(theirs)) return { kind: "planned", steps: [], newest: there };
  const state = findState(newest, all);
  if (state === "unknown")
    return { kind: "deferred", why: "the text of its newest version was not sent; it may hold a secret" };
  const steps = planSteps(newest, there, state);
  const stale = findStale(newest, all);
  if (isForward)
    return {
      kind: "planned",
      steps,
      newest: state,
      stale,
      conflicting: findConflicting(options, { ours, state }),
    };
  const merged = planMerge(options, { newest, ours, theirs, state });
  if (merged === "unknown")
    return { kind: "deferred", why: "the text of its newest version there was not sent" };
  const { conflicting, ...rest } = merged;
  return { kind: "planned", steps, newest: state, stale, merged: rest, conflicting };
}

function findStale(
  newest: LedgerLine,
  all: readonly LedgerLine[],
): { path: string; hash: string; lastAt: string } | undefined {
  const parts = parsePath(newest.path);
  if (!parts) return undefined;
  const path = formatPath({ ...parts, isArchived: !parts.isArchived });
  const last = findNewest(all.filter((line) => line.path === path || line.from === path));
  const isThere = last !== undefined && last.path === path && last.after !== null;
  return isThere ? { path, hash: last.after ?? "", lastAt: newest.at } : undefined;
}

/** Operation of lines that merge the changes of two machines. */
export const SYNC = "sync";

/**
 * If another machine merged our newest version with its own and the texts differ, returns the version not in use. If
 * another change builds on ours, ours was not a side of that merge.
 */
function findConflicting(
  { local, parse, received }: ReceiptOptions,
  { ours, state }: { ours: LedgerLine | undefined; state: State | undefined },
): Memory | undefined {
  const isOnOurs = ({ before, from, path }: LedgerLine): boolean =>
    ours !== undefined && (from ?? path) === ours.path && before === ours.after;
  const changes = received.filter(({ operation }) => operation !== SYNC);
  if (!ours || !state || changes.length === received.length || changes.some(isOnOurs)) return undefined;
  const all = [...local, ...received];
  const theirs = findNewest(changes);
  const sides = [ours, theirs].map((line) => line && findState(line, all));
  const [own, other] = sides.map((side) => (side && side !== "unknown" ? parse(side)?.memory : undefined));
  const used = parse(state);
  if (!own || !other || !used || used.isArchived || fingerprint(own) === fingerprint(other)) return undefined;
  const base = findNewest(local.filter((line) => line.at < ours.at));
  const was = base && findState(base, all);
  const isSame = was && was !== "unknown" ? fingerprintOf(parse(was)) : undefined;
  if ([own, other].some((side) => fingerprint(side) === isSame)) return undefined;
  return [own, other].find((side) => fingerprint(side) !== fingerprint(used.memory));
}

const fingerprintOf = (version: Version): string | undefined => version && fingerprint(version.memory);

/** The latest line by time, then by id; `undefined` if there is none. */
function findNewest(lines: readonly LedgerLine[]): LedgerLine | undefined {
  return lines.reduce<LedgerLine | undefined>(
    (newest, line) => (newest === undefined || isLater(line, newest) ? line : newest),
    undefined,
  );
}

/** Orders lines by time, then by id. */
export const isLater = (one: LedgerLine, other: LedgerLine): boolean =>
  one.at === other.at ? one.id > other.id : one.at > other.at;

/** The file after this line; `undefined` if it was removed. */
function findState(line: LedgerLine, all: readonly LedgerLine[]): State | "unknown" | undefined {
  const { after, path } = line;
  if (after === null) return undefined;
  const text =
    line.contents ?? all.find((one) => one.after === after && one.contents !== undefined)?.contents;
  return text === undefined || hashOf(text) !== after ? "unknown" : { path, text };
}

/** Steps that take a file from one state to another. They copy the newest line's fields and are in no ledger. */
export function planSteps(of: LedgerLine, from: State | undefined, to: State | undefined): LedgerLine[] {
  const { contents: _, from: _from, ...line } = of;
  if (!to) return from ? [{ ...line, path: from.path, before: hashOf(from.text), after: null }] : [];
  const after = hashOf(to.text);
  if (!from) return [{ ...line, path: to.path, before: null, after, contents: to.text }];
  const before = hashOf(from.text);
  const isMoved = from.path !== to.path;
  const move = { ...line, path: to.path, from: from.path, before, after: before };
  const write = { ...line, path: to.path, before, after, contents: to.text };
  return [...(isMoved ? [move] : []), ...(before === after ? [] : [write])];
}

interface Sides {
  newest: LedgerLine;
  ours: LedgerLine;
  theirs: LedgerLine;
  /** After the newest line. */
  state: State | undefined;
}

function planMerge(
  { format, isShared, local, parse, received }: ReceiptOptions,
  { newest, ours, state, theirs }: Sides,
): { state: State | undefined; lastAt: string; conflicting?: Memory } | "unknown" {
  const all = [...local, ...received];
  const common = findNewest(local.filter(({ id }) => isShared(id)));
  const other = findState(newest === ours ? theirs : ours, all);
  if (other === "unknown") return "unknown";
  const was = common && findState(common, all);
  const read = (one: State | undefined): Version => one && parse(one);
  const later = read(state);
  const earlier = read(other);
  const kept = { state, lastAt: newest.at };
  // Invalid memories are not merged: the later side counts, and the ledger keeps the other.
  if ((state && !later) || (other && !earlier)) return kept;
  const base = was === "unknown" ? undefined : read(was);
  const { conflicting, version } = mergeVersions({ base, later, earlier });
  if (!version) return { state: undefined, lastAt: newest.at };
  const parts = parsePath(newest.path);
  if (!parts) return kept;
  const over = version === earlier ? other : (state ?? other);
  const path = formatPath({ ...parts, isArchived: version.isArchived });
  const text = over ? formatOver(version, over, { format, parse }) : "";
  return { state: { path, text }, lastAt: newest.at, ...(conflicting && { conflicting }) };
}

/** Keeps the file's bytes if the version equals what the file says. */
function formatOver(
  version: NonNullable<Version>,
  over: State,
  { format, parse }: Pick<ReceiptOptions, "format" | "parse">,
): string {
  const there = parse(over)?.memory;
  return there && sayAll(there) === sayAll(version.memory) ? over.text : format(version, over.text);
}

/** A file's content for comparison, without the archived status, which is in its path. */
const sayAll = (memory: Memory): string =>
  JSON.stringify({ ...memory, status: memory.status === "archived" ? "active" : memory.status });

/* Lines of ledgers as machines exchange them. */

/** A line as written in a ledger file. */
export interface SharedLine {
  /** Name of the ledger file. */
  file: string;
  text: string;
  line: LedgerLine;
}

/** Reads one line. `why` completes a sentence that begins with the line's location. Pure. */
export function readSharedLine(
  text: string,
  { file, prefix }: { file: string; prefix: string },
): SharedLine | { why: string } {
  if (!isLedgerFile(file)) return { why: "is in a file that is not a ledger" };
  const reading = readLedgerLine(parseJson(text), prefix);
  return reading.kind === "line" ? { file, text, line: reading.line } : { why: reading.what };
}

/** The complete lines of a text. */
export const splitLines = (text: string): string[] =>
  text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line.trim() !== "");

/** Reads the ledger that git tracks, without invalid lines. Follows no links. */
export async function readSharedLedger(files: Files, folder: string, prefix: string): Promise<SharedLine[]> {
  const all: SharedLine[] = [];
  for (const file of (await listItself(files, join(folder, LEDGER))).filter(isLedgerFile)) {
    const text = (await readTextWithin(files, folder, `${LEDGER}/${file}`)) ?? "";
    for (const line of splitLines(text)) {
      const read = readSharedLine(line, { file, prefix });
      if ("line" in read) all.push(read);
    }
  }
  return all;
}

/*
 * Merges two versions of a memory with their base, field by field: a field that only one side changed is taken from that
 * side, a field that both changed from the later side. If both changed title or text, a person decides. Pure.
 */

/** One side's version; `undefined` if that side removed the memory. */
export type Version = { memory: Memory; isArchived: boolean } | undefined;

export interface Versions {
  /** The last version known to both sides; `undefined` if there is none. */
  base: Version;
  later: Version;
  earlier: Version;
}

export interface Merged {
  /** `undefined`: removed. */
  version: Version;
  /** The earlier side's version if both changed title or text and `version` does not contain it. */
  conflicting?: Memory;
}

/** Fields whose order does not matter. */
const LISTS = ["aliases", "tags", "entities", "links", "when"] as const;
const SCALARS = ["importance", "pinned", "expires"] as const;

export function mergeVersions({ base, earlier, later }: Versions): Merged {
  if (!later || !earlier) return { version: mergeRemoval(base, later ?? earlier) };
  const isConflicting =
    fingerprint(earlier.memory) !== fingerprint(later.memory) &&
    isTextChanged(base, earlier) &&
    isTextChanged(base, later);
  const isArchived = mergePlace({ base, later, earlier });
  const memory = mergeFields(base?.memory, later.memory, earlier.memory);
  const version = { memory: { ...memory, status: statusOf(memory, later, isArchived) }, isArchived };
  return isConflicting && !isArchived ? { version, conflicting: earlier.memory } : { version };
}

/** If one side removed the memory and the other changed it, it is kept. */
function mergeRemoval(base: Version, left: Version): Version {
  if (!left || !base) return left;
  const isUnchanged = JSON.stringify(changing(left.memory)) === JSON.stringify(changing(base.memory));
  return isUnchanged ? undefined : left;
}

/** The fields in which two versions can differ, whatever the file's location. */
const changing = ({ isForeign: _, status: _status, ...memory }: Memory): object => memory;

/** Archived only if neither side restored it or rewrote it meanwhile. */
function mergePlace({ base, earlier, later }: { [Name in keyof Versions]: Version }): boolean {
  if (!earlier || !later || earlier.isArchived === later.isArchived) return later?.isArchived ?? false;
  if (!base || base.isArchived) return false;
  const inUse = later.isArchived ? earlier : later;
  return !isTextChanged(base, inUse);
}

function isTextChanged(base: Version, side: Version): boolean {
  return !base || !side || fingerprint(base.memory) !== fingerprint(side.memory);
}

/** Derives the status from the path: files in the archive are archived. */
function statusOf(memory: Memory, later: NonNullable<Version>, isArchived: boolean): Memory["status"] {
  if (isArchived) return "archived";
  if (memory.status !== "archived") return memory.status;
  return later.memory.status === "archived" ? "active" : later.memory.status;
}

function mergeFields(base: Memory | undefined, later: Memory, earlier: Memory): Memory {
  /** The only side that changed this part, else the later side. */
  const sideOf = (part: (memory: Memory) => unknown): Memory => {
    const same = (one: Memory, other: Memory): boolean =>
      JSON.stringify(part(one)) === JSON.stringify(part(other));
    return base && same(base, later) && !same(base, earlier) ? earlier : later;
  };
  const text = sideOf((memory) => [memory.title, memory.content]);
  const state = sideOf((memory) => [
    memory.status === "archived" ? "active" : memory.status,
    memory.supersededBy,
  ]);
  const { expires: _expires, supersededBy: _, ...merged } = later;
  const lists = Object.fromEntries(
    LISTS.map((name) => [name, mergeWords(base?.[name], later[name], earlier[name])]),
  );
  const scalars = Object.fromEntries(SCALARS.map((name) => [name, sideOf((one) => one[name])[name]]));
  return {
    ...merged,
    ...lists,
    ...dropAbsent(scalars),
    title: text.title,
    content: text.content,
    provenance: text.provenance,
    status: state.status,
    ...(state.supersededBy !== undefined && { supersededBy: state.supersededBy }),
    ...mergeTimes(later, earlier),
    extra: mergeExtra(base?.extra, later.extra, earlier.extra),
  };
}

/** The earlier `created` and the later `updated`, as ISO date-times. */
function mergeTimes(later: Memory, earlier: Memory): Pick<Memory, "created" | "updated"> {
  const [created = later.created] = [later.created, earlier.created].sort();
  const [, updated = later.updated] = [later.updated, earlier.updated].sort();
  return { created, updated };
}

function dropAbsent(fields: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Words of both sides, without those that either side removed. */
function mergeWords(
  base: readonly string[] = [],
  later: readonly string[],
  earlier: readonly string[],
): readonly string[] {
  const isKept = (word: string): boolean =>
    !base.includes(word) || (later.includes(word) && earlier.includes(word));
  return [...new Set([...later, ...earlier])].filter(isKept);
}

function mergeExtra(
  base: Memory["extra"] = {},
  later: Memory["extra"],
  earlier: Memory["extra"],
): Memory["extra"] {
  const merged: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(later), ...Object.keys(earlier)])) {
    const [was, here, there] = [base, later, earlier].map((one) => JSON.stringify(one[name]));
    const side = was === here && was !== there ? earlier : later;
    if (side[name] !== undefined) merged[name] = side[name];
  }
  return merged;
}
