/** Neighbours within groups: the answer to a question often comes a turn or two after the words of it. */
export interface GroupMember {
  readonly id: string;
  readonly order: number;
}

export interface Neighbour {
  readonly id: string;
  readonly places: 1 | 2;
}

export interface Groups {
  add(group: string, member: GroupMember): void;
  remove(group: string, id: string): void;
  /** Entries up to two places before and after it, with their distance. */
  neighbours(group: string, id: string): readonly Neighbour[];
}

interface Group {
  members: Map<string, GroupMember>;
  /** Index of each member in `inOrder`. Both are rebuilt on first use after a change. */
  places: ReadonlyMap<string, number>;
  inOrder: readonly string[] | undefined;
}

const STEPS = [
  [-2, 2],
  [-1, 1],
  [1, 1],
  [2, 2],
] as const;

export function createGroups(): Groups {
  const groups = new Map<string, Group>();

  return {
    add(name, member) {
      const group = groups.get(name) ?? { members: new Map(), places: new Map(), inOrder: undefined };
      groups.set(name, group);
      group.members.set(member.id, member);
      group.inOrder = undefined;
    },
    remove(name, id) {
      const group = groups.get(name);
      if (!group?.members.delete(id)) return;
      group.inOrder = undefined;
      if (group.members.size === 0) groups.delete(name);
    },
    neighbours(name, id) {
      const group = groups.get(name);
      if (!group) return [];
      const inOrder = group.inOrder ?? putInOrder(group);
      const at = group.places.get(id);
      if (at === undefined) return [];
      return STEPS.flatMap(([step, places]) => {
        const beside = inOrder[at + step];
        return beside === undefined ? [] : [{ id: beside, places }];
      });
    },
  };
}

function putInOrder(group: Group): readonly string[] {
  const members = [...group.members.values()].sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
  group.inOrder = members.map(({ id }) => id);
  group.places = new Map(group.inOrder.map((id, at) => [id, at]));
  return group.inOrder;
}
