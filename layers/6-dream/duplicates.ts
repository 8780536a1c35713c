/**
 * Memories that say the same, those that are alike, and those that say the opposite.
 *
 * Two say the same when nothing but their wording tells them apart (see src/statement/wording.ts). To share nearly all words is not
 * enough: "the port is 8080" and "the port is 8081" do, and what is reset in staging and what is reset in production.
 */
import type { Memory } from "../../src/memory/memory.js";
import { readPivots } from "../../src/statement/support.js";
import { readMeaning, readWording } from "../../src/statement/wording.js";
import { FILLERS } from "../../src/statement/words.js";

export interface Cluster {
  /** The one that stays. */
  survivor: Memory;
  /** Those that it takes in. */
  others: readonly Memory[];
  isExact: boolean;
}

/** Ids of memories that may be about the same as this one; found by the recall index. */
export type SimilarTo = (memory: Memory) => readonly string[];

/** Clusters of memories that say the same, each memory in one at most; only of one kind, and of one standing. */
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

/** Do two memories of a kind say the same? */
export function isSame(one: Memory, other: Memory): boolean {
  const said = keyOf(one);
  return said !== undefined && said === keyOf(other);
}

/** The same for two that say the same; `undefined` for one that says nothing. */
function keyOf(memory: Memory): string | undefined {
  const { content, status } = memory;
  const meaning = readMeaning(content);
  return meaning === "" ? undefined : JSON.stringify([kindOf(memory), status, readSubject(memory), meaning]);
}

/** The title, where it says more than the text: "It listens on 8080" is about another thing under another title. */
function readSubject({ content, title }: Memory): string {
  const words = readMeaning(title).replace(/…$/, "").split(" ");
  const said = new Set(readMeaning(content).split(" "));
  const isSaid = words.every((word) => said.has(word) || FILLERS.has(word));
  return isSaid ? "" : words.join(" ");
}

/** Do two memories of a kind agree in their subject and all words but one number, name or "not"? */
export function isContradiction(one: Memory, other: Memory): boolean {
  if (kindOf(one) !== kindOf(other) || readMeaning(one.title) !== readMeaning(other.title)) return false;
  return !isEqual(readPivots(one.content), readPivots(other.content));
}

const kindOf = ({ scope, sensitivity, type }: Memory): string => `${scope} ${sensitivity} ${type}`;

const isEqual = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((word) => other.has(word));

/** The user's own words first, then what is pinned, weighs more, or was said last; the id makes it definite. */
function compareWorth(one: Memory, other: Memory): number {
  const rank = ({ provenance }: Memory): number => (["user", "person"].includes(provenance.by) ? 0 : 1);
  return (
    Number(other.pinned) - Number(one.pinned) ||
    rank(one) - rank(other) ||
    other.importance - one.importance ||
    other.updated.localeCompare(one.updated) ||
    one.id.localeCompare(other.id)
  );
}
