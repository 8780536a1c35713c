/** Scores groups against the terms of a query: BM25+ as if the texts of a group's entries were one text. */
import { rarityOf, saturate } from "./bm25.js";
import type { Posting } from "./postings.js";

export interface GroupScores {
  /** Adds the entry in this slot to this group or to none. */
  add(slot: number, group: string | undefined, member: Member): void;
  /** `length` must be the length that was added. */
  remove(slot: number, length: number): void;
  /** Scores of the groups that have one of these terms, by group name. */
  score(asked: readonly WeightedPosting[]): Map<string, number>;
}

export interface Member {
  /** Number of terms. */
  length: number;
  /** How much its terms count, above 0 and at most 1. */
  weight: number;
}

/** The posting of a query term, and the term's weight. */
export interface WeightedPosting {
  posting: Posting;
  weight: number;
}

interface Group {
  name: string;
  /** Its index in `counts`. */
  place: number;
  entries: number;
  length: number;
}

export function createGroupScores(): GroupScores {
  const groups = new Map<string, Group>();
  const groupOf: (Group | undefined)[] = [];
  const weights: number[] = [];
  const freePlaces: number[] = [];
  /** Occurrences of the current term per group; all 0 between terms. */
  let counts = new Float64Array(256);

  return {
    add(slot, name, { length, weight }) {
      groupOf[slot] = undefined;
      if (name === undefined) return;
      const group = groups.get(name) ?? open(name);
      group.entries++;
      group.length += weight * length;
      groupOf[slot] = group;
      weights[slot] = weight;
    },

    remove(slot, length) {
      const group = groupOf[slot];
      if (!group) return;
      groupOf[slot] = undefined;
      group.entries--;
      group.length -= (weights[slot] ?? 1) * length;
      if (group.entries > 0) return;
      groups.delete(group.name);
      freePlaces.push(group.place);
    },

    score(asked) {
      const found = new Map<string, number>();
      const average = averageLength(groups);
      for (const { posting, weight } of asked) {
        const touched = count(posting);
        const rarity = weight * rarityOf(touched.length, groups.size);
        for (const { entries, length, name, place } of touched) {
          const times = counts[place] ?? 0;
          counts[place] = 0;
          // A group of one adds nothing to its entry.
          if (entries > 1)
            found.set(name, (found.get(name) ?? 0) + rarity * saturate(times, length / average));
        }
      }
      return found;
    },
  };

  function open(name: string): Group {
    const group = { name, place: freePlaces.pop() ?? groups.size, entries: 0, length: 0 };
    groups.set(name, group);
    if (group.place >= counts.length) counts = new Float64Array(2 * counts.length);
    return group;
  }

  /** The groups that have the term. */
  function count(posting: Posting): Group[] {
    const touched: Group[] = [];
    for (let n = 0; n < posting.slots.length; n++) {
      const slot = posting.slots[n] ?? 0;
      const group = groupOf[slot];
      if (!group) continue;
      if (counts[group.place] === 0) touched.push(group);
      counts[group.place] = (counts[group.place] ?? 0) + (weights[slot] ?? 1) * (posting.counts[n] ?? 0);
    }
    return touched;
  }
}

function averageLength(groups: ReadonlyMap<string, Group>): number {
  let total = 0;
  for (const { length } of groups.values()) total += length;
  return total / groups.size;
}
