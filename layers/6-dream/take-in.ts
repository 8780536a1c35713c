import type { Memory } from "../../src/memory/memory.js";
import { readSessions } from "../../src/memory/sessions.js";

/**
 * Merges the metadata of absorbed memories into the survivor, which keeps its own text and lives as long as the longest
 * of them. Pure.
 */
export function takeIn(survivor: Memory, going: readonly Memory[]): Memory {
  const all = [survivor, ...going];
  const union = (pick: (memory: Memory) => readonly string[]): string[] => [...new Set(all.flatMap(pick))];
  const ids = new Set(all.map(({ id }) => id));
  const titles = going.map(({ title }) => title).filter((title) => title !== survivor.title);
  const sessions = union(readSessions);
  const { expires: _, ...lasting } = survivor;
  const expires = findLastEnd(all);
  return {
    ...lasting,
    ...(expires !== undefined && { expires }),
    aliases: [...new Set([...union(({ aliases }) => aliases), ...titles])],
    tags: union(({ tags }) => tags),
    entities: union(({ entities }) => entities),
    links: union(({ links }) => links).filter((id) => !ids.has(id)),
    when: union(({ when }) => when),
    importance: Math.max(...all.map(({ importance }) => importance)),
    // The newest time, so that the result is not forgotten before any of them would have been.
    updated: all.map(({ updated }) => updated).reduce(later),
    extra: { ...survivor.extra, ...(sessions.length > 0 && { sessions }) },
  };
}

/** The latest expiry; `undefined` if any of them never expires. */
function findLastEnd(all: readonly Memory[]): string | undefined {
  const ends = all.map(({ expires }) => expires);
  return ends.reduce((one, other) =>
    one === undefined || other === undefined ? undefined : later(one, other),
  );
}

const later = (one: string, other: string): string => (Date.parse(one) >= Date.parse(other) ? one : other);
