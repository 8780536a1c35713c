/**
 * Finds memories that say the same, are similar, or contradict each other.
 *
 * Two memories say the same if they differ only in wording (see src/statement/wording.ts). Sharing nearly all words is not
 * enough: "the port is 8080" and "the port is 8081" share them, and so do a reset in staging and one in production.
 */
import type { Memory } from "../../src/memory/memory.js";
import { readPivots } from "../../src/statement/support.js";
import { readMeaning, readWording } from "../../src/statement/wording.js";
import { FILLERS } from "../../src/statement/words.js";

export interface Cluster {
  /** The memory that stays. */
  survivor: Memory;
  /** The memories that it absorbs. */
  others: readonly Memory[];
  isExact: boolean;
}

/** Ids of memories that may be on the same subject, from the recall index. */
export type SimilarTo = (memory: Memory) => readonly string[];

/** Clusters of memories of one kind and status that say the same; each memory is in at most one. */
export function findDuplicates(memories: readonly Memory[]): Cluster[] {
  const groups = new Map<string, Memory[]>();
  for (const memory of memories) {
    const said = keyOf(memory);
    if (said !== undefined) groups.set(said, [...(groups.get(said) ?? []), memory]);
  }
  return [...groups.values()].flatMap((members) => {
    const [survivor, ...others] = members.sort(compareWorth);
    if (!survivor || others.length === 0) return [];
    const isExact = members.every(({ content }) => readWording(content) === readWording(survivor.content));
    return [{ survivor, others, isExact }];
  });
}

/** Are both of one kind, and do they say the same? */
export function isSame(one: Memory, other: Memory): boolean {
  const said = keyOf(one);
  return said !== undefined && said === keyOf(other);
}

/** Equal for memories that say the same; `undefined` for a memory without meaning. */
function keyOf(memory: Memory): string | undefined {
  const { content, status } = memory;
  const meaning = readMeaning(content);
  return meaning === ""
    ? undefined
    : JSON.stringify([kindOf(memory), status, readSubject(memory, meaning), meaning]);
}

/** The title if it adds to the text, or "": "It listens on 8080" means something else under another title. */
function readSubject({ content, title }: Memory, meaning = readMeaning(content)): string {
  const words = readMeaning(title).replace(/…$/, "").split(" ");
  const said = new Set(meaning.split(" "));
  const isSaid = words.every((word) => said.has(word) || FILLERS.has(word));
  return isSaid ? "" : words.join(" ");
}

/**
 * Are both of one kind and subject, with different numbers, names or negations? False for two memories that link to
 * each other: a person has decided that both hold.
 */
export function isContradiction(one: Memory, other: Memory): boolean {
  if (areBothKept(one, other)) return false;
  if (kindOf(one) !== kindOf(other) || readMeaning(one.title) !== readMeaning(other.title)) return false;
  return !isEqual(readPivots(one.content), readPivots(other.content));
}

/** Do they link to each other, as `strata reconcile --keep both` leaves them? */
export const areBothKept = (one: Memory, other: Memory): boolean =>
  one.links.includes(other.id) && other.links.includes(one.id);

/** Are both of one kind, status and subject? */
export const isOfOneKind = (one: Memory, other: Memory): boolean =>
  kindOf(one) === kindOf(other) && one.status === other.status && readSubject(one) === readSubject(other);

/** A memory that git sees and one that it ignores are never merged. */
const kindOf = ({ isKeptOut, scope, sensitivity, type }: Memory): string =>
  `${scope} ${sensitivity} ${type}${isKeptOut ? " kept out" : ""}`;

const isEqual = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((word) => other.has(word));

/** Pinned first, then the user's own words, then the more important, then the newer; the id breaks ties. */
export function compareWorth(one: Memory, other: Memory): number {
  const rank = ({ provenance }: Memory): number => (["user", "person"].includes(provenance.by) ? 0 : 1);
  return (
    Number(other.pinned) - Number(one.pinned) ||
    rank(one) - rank(other) ||
    other.importance - one.importance ||
    other.updated.localeCompare(one.updated) ||
    one.id.localeCompare(other.id)
  );
}
