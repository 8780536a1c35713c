import type { Memory } from "../memory.js";

/**
 * The memories a person means: the one with this id; else those whose id ends this way; else those with all of the
 * words in their id or title.
 */
export function findMemories(memories: readonly Memory[], words: string): readonly Memory[] {
  const wanted = words.trim().replace(/\.md$/, "");
  if (wanted === "") return [];
  const same = memories.filter(({ id }) => id === wanted);
  if (same.length > 0) return same;
  const ending = memories.filter(({ id }) => id.endsWith(`/${wanted}`));
  if (ending.length > 0) return ending;
  const parts = wanted.toLowerCase().split(/\s+/);
  return memories.filter(({ id, title }) => {
    const text = `${id} ${title}`.toLowerCase();
    return parts.every((part) => text.includes(part));
  });
}
