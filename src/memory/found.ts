/** What a search has found: of two memories that contradict each other the newer first, and each as a line for people. */
import { DAY_MS } from "../base/days.js";
import { foldSentence, toLine } from "../base/text.js";
import { readMeaning } from "../text/compare.js";
import { countShared, readPivots } from "../text/words.js";
import { relate } from "./gate/gate.js";
import { formatOrigin, isFinding, type Memory } from "./memory.js";
import type { Found } from "./search/search.js";

/** Maximum number of hits compared, the best: what a person or a model reads. */
const MOST_COMPARED = 50;

/** None for a line of a past session. */
export const readMemory = (found: Found): Memory | undefined =>
  found.kind === "memory" ? found.memory : undefined;

/**
 * The same hits, each memory behind the newer one that contradicts it; and by the id of each that another one has replaced
 * or contradicts, that newer one.
 */
export function putNewestFirst<T>(
  found: readonly T[],
  memoryOf: (one: T) => Memory | undefined,
): { found: readonly T[]; newer: ReadonlyMap<string, string> } {
  const memories = found.slice(0, MOST_COMPARED).flatMap((one) => memoryOf(one) ?? []);
  /** By id: those that stand before it, the newest first. */
  const before = new Map<string, readonly string[]>();
  for (const memory of memories) {
    const { id, supersededBy } = memory;
    const ids = supersededBy === undefined ? findNewer(memory, memories) : [supersededBy];
    if (ids.length > 0) before.set(id, ids);
  }
  const newer = new Map([...before].map(([id, [newest = ""]]) => [id, newest]));
  const byID = new Map(found.map((one) => [memoryOf(one)?.id, one]));
  const placed: T[] = [];
  const seen = new Set<T>();
  const place = (one: T): void => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const id of before.get(memoryOf(one)?.id ?? "") ?? []) {
      const other = byID.get(id);
      if (other !== undefined) place(other);
    }
    placed.push(one);
  };
  if (newer.size > 0) found.forEach(place);
  return { found: newer.size > 0 ? placed : found, newer };
}

/** "older, see decision/port-8080" */
export const formatNewer = (id: string): string => `older, see ${id}`;

/** The newer memories in use that say otherwise; a page or a repository says nothing against what the user said. */
function findNewer(memory: Memory, others: readonly Memory[]): string[] {
  const later = others.filter(
    (other) =>
      other.status === "active" &&
      other.isForeign === memory.isForeign &&
      isFinding(other) === isFinding(memory) &&
      !other.isUndated &&
      !memory.isUndated &&
      Date.parse(other.updated) > Date.parse(memory.updated) &&
      (isContradiction(memory, other) || isOpposite(memory, other)),
  );
  return later.sort((a, b) => Date.parse(b.updated) - Date.parse(a.updated)).map(({ id }) => id);
}

const isOpposite = (earlier: Memory, later: Memory): boolean =>
  earlier.scope === later.scope && !areBothKept(earlier, later) && relate(later, earlier) === "contradicts";

/**
 * Are both of one kind and subject, with different numbers, names or negations? False for two memories that link to
 * each other: a person has decided that both hold.
 */
export function isContradiction(one: Memory, other: Memory): boolean {
  if (areBothKept(one, other)) return false;
  if (kindOf(one) !== kindOf(other) || readMeaning(one.title) !== readMeaning(other.title)) return false;
  const [pivots, others] = [readPivots(one.content), readPivots(other.content)];
  return pivots.size !== others.size || countShared(pivots, others) < pivots.size;
}

/** Do they link to each other, as `strata reconcile --keep both` leaves them? */
const areBothKept = (one: Memory, other: Memory): boolean =>
  one.links.includes(other.id) && other.links.includes(one.id);

/** A memory that git sees and one that it ignores are never merged. */
export const kindOf = ({ scope, sensitivity, type }: Memory): string => `${scope} ${sensitivity} ${type}`;

const LONGEST_WORDS = 160;

/** One line for people: the hit, its place and its age. `newer`: the memory that says otherwise. */
export function formatFound(found: Found, nowMs: number, newer?: string): string {
  if (found.kind === "session")
    return `past session ${found.sessionID}  ${toLine(found.text, LONGEST_WORDS)}  (${formatDays(found.date, nowMs)})`;
  const { content, id, isForeign, status, title, updated } = found.memory;
  const words = content.trim();
  // Omit content that repeats the title.
  const more = words === "" || words === title ? "" : `: ${words}`;
  const from = isForeign ? `${formatOrigin(found.memory)}, ` : "";
  const state = status === "active" ? from : `${from}${status}, `;
  const mark = newer === undefined ? "" : `; ${formatNewer(newer)}`;
  return `${id}  ${toLine(`${title}${more}`, LONGEST_WORDS)}  (${state}${formatDays(updated, nowMs)}${mark})`;
}

/** Ids of the memories whose line has all of their words: a list uses these. */
export function listShownWhole(found: readonly Found[], lineOf: (found: Found) => string): string[] {
  return found.flatMap((one) => {
    if (one.kind !== "memory") return [];
    const { content, id } = one.memory;
    return foldSentence(lineOf(one)).includes(foldSentence(content)) ? [id] : [];
  });
}

/** How long ago this was, in whole days. */
export function formatDays(date: string, nowMs: number): string {
  const days = Math.max(0, Math.floor((nowMs - Date.parse(date)) / DAY_MS));
  if (Number.isNaN(days)) return "of unknown age";
  return days === 0 ? "today" : `${days} ${days === 1 ? "day" : "days"} ago`;
}
