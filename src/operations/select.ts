/** Finds the memory that somebody names, or chooses many by type, age and words. */
import { DAY_MS } from "../base/days.js";
import { StrataError } from "../base/error.js";
import { findMemories, type Memory, type MemoryType } from "../memory/memory.js";
import type { Memories } from "../memory/store/store.js";

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
  const none = `no memory matches "${words}"; strata list shows all of them`;
  if (!only) throw new StrataError("NO_MEMORY", none);
  const some = found.slice(0, 5).map(({ id }) => id);
  const many = `"${words}" matches ${found.length} memories, such as ${some.join(", ")}; use the full id`;
  throw new StrataError("MANY_MEMORIES", many);
}

interface Selection {
  type?: MemoryType | undefined;
  /** In days since the last change. */
  olderThan?: number | undefined;
  /** Words that stand in id, title, tags or text. */
  match?: string | undefined;
}

/** By id. Pure. */
export function selectMemories(
  memories: readonly Memory[],
  { match = "", olderThan, type }: Selection,
  nowMs: number,
): Memory[] {
  const words = match.toLowerCase().split(/\s+/).filter(Boolean);
  const isOld = ({ updated }: Memory): boolean =>
    olderThan === undefined || Date.parse(updated) <= nowMs - olderThan * DAY_MS;
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
