/** Links between entries: one names the other, or both name the same issue, merge request or file. */
import type { Kept } from "./kept.js";

export interface Links {
  add(entry: Kept): void;
  remove(entry: Kept): void;
  /** Entries one step away, with the id or entity that leads there; skips entities shared by too many. */
  follow(entry: Kept): ReadonlyMap<string, string>;
  /** Entries that name this entity; none if too many do. */
  naming(entity: string): readonly string[];
}

/** An entity named by more entries says nothing about any of them. */
const HUB = 20;

export function createLinks(): Links {
  const byEntity = new Map<string, Set<string>>();
  /** Naming entries by the id of the named entry. */
  const namedBy = new Map<string, Set<string>>();

  return {
    add(entry) {
      for (const entity of entry.entities) put(byEntity, entity, entry.id);
      for (const link of entry.links) put(namedBy, link, entry.id);
    },
    remove(entry) {
      for (const entity of entry.entities) take(byEntity, entity, entry.id);
      for (const link of entry.links) take(namedBy, link, entry.id);
    },
    follow({ id, entities, links }) {
      const found = new Map<string, string>();
      for (const other of [...links, ...(namedBy.get(id) ?? [])]) found.set(other, id);
      for (const entity of entities) {
        for (const other of bearersOf(entity)) if (!found.has(other)) found.set(other, entity);
      }
      found.delete(id);
      return found;
    },
    naming: bearersOf,
  };

  function bearersOf(entity: string): readonly string[] {
    const bearers = byEntity.get(entity);
    return bearers && bearers.size <= HUB ? [...bearers] : [];
  }
}

function put(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key);
  if (set) set.add(id);
  else sets.set(key, new Set([id]));
}

function take(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key);
  if (set?.delete(id) && set.size === 0) sets.delete(key);
}
