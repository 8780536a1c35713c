/**
 * Who stands beside whom, and how well a whole group fits: what answers a question often stands one turn after the words
 * of it, in a session that is about nothing else.
 */
import MiniSearch from "minisearch";
import { splitTerms } from "./terms.js";

export interface GroupMember {
  readonly id: string;
  readonly order: number;
  readonly text: string;
}

export interface Groups {
  add(group: string, member: GroupMember): void;
  remove(group: string, id: string): void;
  /** Those up to two places before and after it, by how far away. */
  neighbours(group: string, id: string): readonly Neighbour[];
  /** Score by group, of those that have any of the terms. */
  search(terms: readonly string[]): ReadonlyMap<string, number>;
}

export interface Neighbour {
  readonly id: string;
  readonly places: 1 | 2;
}

interface Group {
  members: Map<string, GroupMember>;
  /** Made again after a change, when it is first needed. */
  places: Map<string, readonly Neighbour[]> | undefined;
  indexed: { id: string; text: string } | undefined;
}

/** Characters of a group that are indexed, the first members first. */
const MOST_OF_A_GROUP = 200_000;

export function createGroups(): Groups {
  const groups = new Map<string, Group>();
  const changed = new Set<string>();
  const index = new MiniSearch<{ id: string; text: string }>({
    fields: ["text"],
    tokenize: (text) => text.split("\n").flatMap(splitTerms),
    processTerm: (term) => term,
    logger: () => {},
  });

  return {
    add(name, member) {
      const group = groups.get(name) ?? { members: new Map(), places: undefined, indexed: undefined };
      groups.set(name, group);
      group.members.set(member.id, member);
      touch(name, group);
    },
    remove(name, id) {
      const group = groups.get(name);
      if (!group?.members.delete(id)) return;
      touch(name, group);
    },
    neighbours(name, id) {
      const group = groups.get(name);
      if (!group) return [];
      group.places ??= planPlaces(group.members);
      return group.places.get(id) ?? [];
    },
    search(terms) {
      for (const name of changed) bringUpToDate(name);
      changed.clear();
      if (terms.length === 0) return new Map();
      const results = index.search("query", { tokenize: () => [...terms] });
      return new Map(results.map(({ id, score }) => [id, score]));
    },
  };

  function touch(name: string, group: Group): void {
    group.places = undefined;
    changed.add(name);
  }

  function bringUpToDate(name: string): void {
    const group = groups.get(name);
    if (!group) return;
    if (group.indexed) index.remove(group.indexed);
    group.indexed = undefined;
    if (group.members.size === 0) groups.delete(name);
    // A group of one says no more than its entry.
    if (group.members.size < 2) return;
    const text = inOrder(group.members)
      .map((member) => member.text.replaceAll("\n", " "))
      .join("\n");
    group.indexed = { id: name, text: text.slice(0, MOST_OF_A_GROUP) };
    index.add(group.indexed);
  }
}

const STEPS = [
  [-2, 2],
  [-1, 1],
  [1, 1],
  [2, 2],
] as const;

function planPlaces(members: ReadonlyMap<string, GroupMember>): Map<string, readonly Neighbour[]> {
  const ids = inOrder(members).map(({ id }) => id);
  const besideOf = (at: number): Neighbour[] =>
    STEPS.flatMap(([step, places]) => {
      const id = ids[at + step];
      return id === undefined ? [] : [{ id, places }];
    });
  return new Map(ids.map((id, at) => [id, besideOf(at)]));
}

function inOrder(members: ReadonlyMap<string, GroupMember>): GroupMember[] {
  return [...members.values()].sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}
