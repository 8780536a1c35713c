import * as fuse from "./fuse.js";
import type { Kept, RecallHit } from "./kept.js";
import type { Fit, LexicalHit } from "./lexical.js";

/** Access to the entries and their relations. */
export interface Structure {
  entry(id: string): Kept | undefined;
  neighbours(entry: Kept): readonly Neighbour[];
  /** Entries one step away, with the id or entity that leads there. */
  follow(entry: Kept): ReadonlyMap<string, string>;
  /** 1 for entries that do not age. */
  weighAge(entry: Kept): number;
}

/** Similarities of entries to the query, 1 for the most similar, and the weight of that one. */
export interface Judgement {
  alike: fuse.Scores;
  weight: number;
}

export interface WeighOptions {
  fit: Fit;
  judgements: readonly Judgement[];
  structure: Structure;
  limit: number;
  /** True if entries count by their weight; the scores of `fit` do already. */
  isWeighed: boolean;
  /** Formats terms as the query spells them. */
  spell: (terms: readonly string[]) => string;
}

interface Weight {
  readonly entry: Kept;
  score: number;
  hit?: LexicalHit;
  /** Id of the best hit near it. */
  near?: string;
  isAlike?: boolean;
  isInFittingGroup?: boolean;
  link?: string;
}

/** Maximum number of entries scored by meaning. */
const MOST_ALIKE = 100;
/** Number of best entries whose links are followed. */
const MOST_FOLLOWED = 5;
/** Share of the best score: entries below it share only one common word with the query. */
const LEAST_SHARE = 0.05;

/** Best first, ties by id. */
export function weighEntries(options: WeighOptions): RecallHit[] {
  const { fit, isWeighed, judgements, limit, spell, structure } = options;
  const weights = new Map<string, Weight>();
  weighWords(fit.hits);
  for (const judgement of judgements) weighMeaning(judgement);
  weighGroups(fuse.shareOfBest(fit.groups));
  followLinks();
  for (const weight of weights.values()) weight.score *= structure.weighAge(weight.entry);
  const best = findBest(limit);
  const least = LEAST_SHARE * (best[0]?.[1] ?? 0);
  return best
    .filter(([, score]) => score >= least)
    .map(([id, score]) => ({ id, score, why: formatWhy(weights.get(id), spell) }));

  function weighWords(hits: readonly LexicalHit[]): void {
    const bestScore = hits[0]?.score ?? 1;
    for (const hit of hits) {
      const share = hit.score / bestScore;
      const weight = add(hit.id, share);
      if (!weight) continue;
      weight.hit = hit;
      for (const { id, places } of structure.neighbours(weight.entry)) {
        const beside = addIndirect(id, fuse.NEIGHBOUR_WEIGHTS[places] * share);
        if (beside) beside.near ??= hit.id;
      }
    }
  }

  function weighMeaning({ alike, weight }: Judgement): void {
    for (const [id, likeness] of fuse.rank(alike, MOST_ALIKE)) {
      const found = addIndirect(id, weight * likeness);
      if (found) found.isAlike = true;
    }
  }

  function weighGroups(shares: fuse.Scores): void {
    for (const weight of weights.values()) {
      const { group } = weight.entry;
      const share = group === undefined ? undefined : shares.get(group);
      if (share === undefined) continue;
      weight.score += weightOf(weight.entry) * fuse.GROUP_WEIGHT * share;
      weight.isInFittingGroup = true;
    }
  }

  function followLinks(): void {
    for (const [id, score] of findBest(MOST_FOLLOWED)) {
      const entry = structure.entry(id);
      for (const [other, by] of entry ? structure.follow(entry) : []) {
        const linked = addIndirect(other, fuse.LINK_WEIGHT * score);
        if (linked) linked.link ??= by;
      }
    }
  }

  function weightOf(entry: Kept): number {
    return isWeighed ? entry.weight : 1;
  }

  function addIndirect(id: string, score: number): Weight | undefined {
    const entry = structure.entry(id);
    return entry && add(id, weightOf(entry) * score);
  }

  function add(id: string, score: number): Weight | undefined {
    const known = weights.get(id);
    if (known) {
      known.score += score;
      return known;
    }
    const entry = structure.entry(id);
    if (!entry) return undefined;
    const weight = { entry, score };
    weights.set(id, weight);
    return weight;
  }

  function findBest(count: number): [id: string, score: number][] {
    return fuse.rank(new Map([...weights].map(([id, { score }]) => [id, score])), count);
  }
}

function formatWhy(weight: Weight | undefined, spell: (terms: readonly string[]) => string): string {
  if (!weight) return "";
  const { entry, hit, isAlike, isInFittingGroup, link, near } = weight;
  return [
    ...(hit ? [spell(hit.terms)] : []),
    ...(near === undefined ? [] : [`near ${near}`]),
    ...(isInFittingGroup ? [`in ${entry.group}`] : []),
    ...(isAlike ? ["alike in meaning"] : []),
    ...(link === undefined ? [] : [`link ${link}`]),
  ].join("; ");
}

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
