/** Finds the memory that somebody names, or chooses many by type, age and words. */
import { DAY_MS } from "../base/days.js";
import { StrataError } from "../base/error.js";
import { findMemories, type Memory, type MemoryType } from "../memory/memory.js";
import type { Memories } from "../memory/store/store.js";
import { WRONG_ARGUMENT } from "./command.js";

/**
 * The one memory that matches an id, the end of an id, or words of a title. `archived: true` prefers matches in the
 * archive, `false` ignores them.
 *
 * @throws StrataError NO_MEMORY or MANY_MEMORIES
 */
export async function requireMemory(
  memories: Pick<Memories, "list">,
  words: string,
  options: { archived?: boolean } = {},
): Promise<Memory> {
  const all = await memories.list({ archived: true });
  const isArchived = ({ status }: Memory): boolean => status === "archived";
  const wanted = options.archived === false ? all.filter((one) => !isArchived(one)) : all;
  const inArchive = options.archived ? findMemories(all.filter(isArchived), words) : [];
  const found = inArchive.length > 0 ? inArchive : findMemories(wanted, words);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (!only)
    throw new StrataError("NO_MEMORY", `no memory matches "${words}"; strata list shows all of them`);
  const ids = found.slice(0, 5).map(({ id }) => id);
  throw new StrataError(
    "MANY_MEMORIES",
    `"${words}" matches ${found.length} memories, such as ${ids.join(", ")}; use the full id`,
  );
}

export interface Selection {
  type?: MemoryType | undefined;
  olderThanDays?: number | undefined;
  /** In lower case. */
  words: readonly string[];
}

/** `undefined` if one memory is named. @throws StrataError WRONG_ARGUMENT if both are given, or neither */
export function readSelection({
  match = "",
  name,
  olderThan: olderThanDays,
  type,
}: {
  match?: string | undefined;
  name: string;
  olderThan?: number | undefined;
  type?: MemoryType | undefined;
}): Selection | undefined {
  const words = match.toLowerCase().split(/\s+/).filter(Boolean);
  const isGiven = type !== undefined || olderThanDays !== undefined || words.length > 0;
  if (isGiven === (name !== ""))
    throw new StrataError(
      WRONG_ARGUMENT,
      isGiven
        ? "name one memory, or select many by options, not both"
        : "name a memory, or select by options",
    );
  return isGiven ? { words, type, olderThanDays } : undefined;
}

/** The selected memories, by id. The age counts from the last change. Pure. */
export function selectMemories(
  memories: readonly Memory[],
  { olderThanDays, type, words }: Selection,
  nowMs: number,
): Memory[] {
  const latestMs = olderThanDays === undefined ? Number.POSITIVE_INFINITY : nowMs - olderThanDays * DAY_MS;
  const isOld = ({ updated }: Memory): boolean =>
    olderThanDays === undefined || Date.parse(updated) <= latestMs;
  const hasWords = ({ content, id, tags, title }: Memory): boolean => {
    const text = [id, title, ...tags, content].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return memories
    .filter((memory) => (type === undefined || memory.type === type) && isOld(memory) && hasWords(memory))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

const MOST_LISTED = 50;

/** A line for each memory that an operation changes. */
export function formatSelected(memories: readonly Memory[]): string[] {
  const lines = memories.slice(0, MOST_LISTED).map(({ id, title }) => `${id}  ${title}`);
  const more = memories.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
