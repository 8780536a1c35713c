/**
 * Merges two versions of a memory with their base, field by field: a field that only one side changed is taken from that
 * side, a field that both changed from the later side. If both changed title or text, a person decides. Pure.
 */
import { fingerprint } from "../conflict.js";
import type { Memory } from "../memory.js";

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
