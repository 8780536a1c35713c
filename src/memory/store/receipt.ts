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
import { type Files, readPlainText } from "../../io/files.js";
import { giveWay } from "../../io/json-lines.js";
import { withoutAbsent } from "../fields.js";
import type { Memory } from "../memory.js";
import { formatPath, isLedgerFile, LEDGER, parsePath } from "../path.js";
import { fingerprint } from "./conflict-log.js";
import { type FileStep, type LedgerLine, readLedgerLine } from "./ledger.js";
import { listItself } from "./scan.js";

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
  format(memory: Memory, over: string): string;
}

export type Receipt =
  | {
      kind: "planned";
      /** The newest state, before our own lines: what the file gets first. */
      newest: State | undefined;
      /** The state after a merge; absent if there was nothing to merge. `lastAt` is the time of the newest line. */
      merged?: { state: State | undefined; lastAt: string };
      /** The unused version with another text, for a conflict record. */
      conflicting?: Memory | undefined;
      /** The file's other path, if the ledger still lists a file there because the line that moved it was not sent. */
      stale?: { path: string; hash: string; lastAt: string } | undefined;
    }
  /** The memory is unchanged, and the lines are received again next time. */
  | { kind: "deferred"; why: string };

export function planReceipt(options: ReceiptOptions): Receipt {
  const { isShared, local, received, there } = options;
  const all = [...local, ...received];
  const ours = findNewest(local);
  const newest = findNewest(all);
  const theirs = findNewest([...received, ...local.filter(({ id }) => isShared(id))]);
  if (!newest || !theirs) return { kind: "planned", newest: there };
  const isForward = !ours || isShared(ours.id);
  if (!isForward && local.includes(theirs)) return { kind: "planned", newest: there };
  const state = findState(newest, all);
  const other = isForward ? undefined : findState(newest === ours ? theirs : ours, all);
  if (state === "unknown" || other === "unknown")
    return { kind: "deferred", why: "the text of its newest version was not sent; it may hold a secret" };
  const planned = { kind: "planned", newest: state, stale: findStale(newest, all) } as const;
  if (isForward) return { ...planned, conflicting: findConflicting(options, ours, state) };
  return { ...planned, ...planMerge(options, newest, state, other) };
}

/**
 * If another machine merged our newest version with its own and the texts differ, returns the version not in use. If
 * another change builds on ours, ours was not a side of that merge.
 */
function findConflicting(
  { local, parse, received }: ReceiptOptions,
  ours: LedgerLine | undefined,
  state: State | undefined,
): Memory | undefined {
  const changes = received.filter(({ operation }) => operation !== SYNC);
  if (!ours || !state || changes.length === received.length) return undefined;
  if (changes.some(({ before, from, path }) => (from ?? path) === ours.path && before === ours.after))
    return undefined;
  const read = (line: LedgerLine | undefined): Memory | undefined => {
    const left = line && findState(line, [...local, ...received]);
    return left && left !== "unknown" ? parse(left)?.memory : undefined;
  };
  const used = parse(state);
  const sides = [read(ours), read(findNewest(changes))].filter((side) => side !== undefined);
  const base = read(findNewest(local.filter((line) => line.at < ours.at)));
  const texts = new Set([...sides, ...(base ? [base] : [])].map(fingerprint));
  // Both have changed what was there, to different texts.
  if (!used || used.isArchived || sides.length < 2 || texts.size < (base ? 3 : 2)) return undefined;
  return sides.find((side) => fingerprint(side) !== fingerprint(used.memory));
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

/** Steps that take a file from one state to another. */
export function planSteps(from: State | undefined, to: State | undefined): FileStep[] {
  const before = from ? hashOf(from.text) : null;
  if (!to) return from ? [{ path: from.path, before, contents: null }] : [];
  const move = from && from.path !== to.path ? [{ path: to.path, from: from.path, before }] : [];
  return from?.text === to.text ? move : [...move, { path: to.path, before, contents: to.text }];
}

/** `state` is what `newest` leaves, `other` what the newest line of the other side leaves. */
function planMerge(
  { format, isShared, local, parse, received }: ReceiptOptions,
  newest: LedgerLine,
  state: State | undefined,
  other: State | undefined,
): Pick<Receipt & { kind: "planned" }, "conflicting" | "merged"> {
  const kept = { merged: { state, lastAt: newest.at } };
  const read = (one: State | undefined): Version => one && parse(one);
  const [later, earlier] = [read(state), read(other)];
  const parts = parsePath(newest.path);
  // Invalid memories are not merged: the later side counts, and the ledger keeps the other.
  if ((state && !later) || (other && !earlier) || !parts) return kept;
  const common = findNewest(local.filter(({ id }) => isShared(id)));
  const was = common && findState(common, [...local, ...received]);
  const { conflicting, version } = mergeVersions({
    base: was === "unknown" ? undefined : read(was),
    later,
    earlier,
  });
  const over = version === earlier ? other : (state ?? other);
  if (!version || !over) return { merged: { ...kept.merged, state: undefined } };
  const path = formatPath({ ...parts, isArchived: version.isArchived });
  // Keeps the file's bytes if it says all of that.
  const there = parse(over)?.memory;
  const isSaid = there && JSON.stringify(inUse(there)) === JSON.stringify(inUse(version.memory));
  const text = isSaid ? over.text : format(version.memory, over.text);
  return { merged: { ...kept.merged, state: { path, text } }, conflicting };
}

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
export function* splitLines(text: string): Generator<string, void> {
  for (let from = 0, end = 0; ; from = end + 1) {
    end = text.indexOf("\n", from);
    if (end === -1) return;
    if (end > from && text.slice(from, end).trim() !== "") yield text.slice(from, end);
  }
}

/** Reads the ledger that git tracks, without invalid lines. Follows no links. */
export async function readSharedLedger(files: Files, folder: string, prefix: string): Promise<SharedLine[]> {
  const all: SharedLine[] = [];
  for (const file of (await listItself(files, join(folder, LEDGER))).filter(isLedgerFile)) {
    const text = await readPlainText(files, join(folder, LEDGER, file));
    let n = 0;
    for (const line of splitLines(text)) {
      if (++n % 500 === 0) await giveWay(files, folder);
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

/** Fields whose order does not matter: words of both sides stay, without those that either side removed. */
const LISTS = ["aliases", "tags", "entities", "links", "when"] as const;
/** Fields that are taken from the same side. */
const GROUPS = [
  ["title", "content", "provenance"],
  ["status", "supersededBy"],
  ["importance"],
  ["pinned"],
  ["expires"],
] as const;

/**
 * `base` is the last version known to both sides. `conflicting` is the earlier side's if both changed title or text and
 * `version` does not contain it.
 */
export function mergeVersions({ base, earlier, later }: Record<"base" | "earlier" | "later", Version>): {
  version: Version;
  conflicting?: Memory;
} {
  if (!later || !earlier) return { version: mergeRemoval(base, later ?? earlier) };
  const isConflicting =
    fingerprint(earlier.memory) !== fingerprint(later.memory) &&
    isTextChanged(base, earlier) &&
    isTextChanged(base, later);
  const isArchived = mergePlace(base, later, earlier);
  const memory = mergeFields(base && inUse(base.memory), inUse(later.memory), inUse(earlier.memory));
  const version = { memory: isArchived ? { ...memory, status: "archived" as const } : memory, isArchived };
  return isConflicting && !isArchived ? { version, conflicting: earlier.memory } : { version };
}

/** The memory whatever its file's location, which says whether it is archived. */
const inUse = (memory: Memory): Memory =>
  memory.status === "archived" ? { ...memory, status: "active" } : memory;

/** If one side removed the memory and the other changed it, it is kept. */
function mergeRemoval(base: Version, left: Version): Version {
  if (!left || !base) return left;
  const changing = ({ isForeign: _, author: _author, status: _status, ...memory }: Memory): string =>
    JSON.stringify(memory);
  return changing(left.memory) === changing(base.memory) ? undefined : left;
}

/** Archived only if neither side restored it or rewrote it meanwhile. */
function mergePlace(base: Version, later: NonNullable<Version>, earlier: NonNullable<Version>): boolean {
  if (earlier.isArchived === later.isArchived) return later.isArchived;
  if (!base || base.isArchived) return false;
  return !isTextChanged(base, later.isArchived ? earlier : later);
}

const isTextChanged = (base: Version, side: NonNullable<Version>): boolean =>
  !base || fingerprint(base.memory) !== fingerprint(side.memory);

function mergeFields(base: Memory | undefined, later: Memory, earlier: Memory): Memory {
  /** The only side that changed this part, else the later one. */
  const sideOf = (part: (memory: Memory) => unknown): Memory => {
    const [was, now, other] = [base, later, earlier].map((one) => one && JSON.stringify(part(one)));
    return base && was === now && was !== other ? earlier : later;
  };
  const merged: Record<string, unknown> = { ...later };
  for (const group of GROUPS) {
    const side = sideOf((memory) => group.map((name) => memory[name]));
    for (const name of group) merged[name] = side[name];
  }
  for (const name of LISTS) {
    const was = base?.[name] ?? [];
    const isKept = (word: string): boolean =>
      !was.includes(word) || (later[name].includes(word) && earlier[name].includes(word));
    merged[name] = [...new Set([...later[name], ...earlier[name]])].filter(isKept);
  }
  const names = new Set([...Object.keys(later.extra), ...Object.keys(earlier.extra)]);
  merged.extra = withoutAbsent(
    Object.fromEntries([...names].map((name) => [name, sideOf(({ extra }) => extra[name]).extra[name]])),
  );
  merged.created = [later.created, earlier.created].sort()[0];
  merged.updated = [later.updated, earlier.updated].sort()[1];
  return withoutAbsent(merged) as unknown as Memory;
}
