/**
 * Combines several scores into one: each is normalised to 0..1 within the query, then they are added by weight. Rank
 * fusion is not used: it gives a weak signal as much weight as a good one, and measured worse than words alone.
 */
import type { Kept, RecallHit } from "./kept.js";
import { type Fit, type LexicalHit, putIn, takeFrom } from "./lexical.js";

/** Access to the entries and their relations. */
export interface Structure {
  entry(id: string): Kept | undefined;
  neighbours(entry: Kept): readonly Neighbour[];
  /** Entries one step away, with the id or entity that leads there. */
  follow(entry: Kept): ReadonlyMap<string, string>;
}

/** Similarities of entries to the query, 1 for the most similar, and the weight of that one. */
export interface Judgement {
  alike: ReadonlyMap<string, number>;
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

/** Weight of entries one or two places from a hit, as a share of that hit's word score. */
const NEIGHBOUR_WEIGHTS = { 1: 0.3, 2: 0.1 } as const;
const GROUP_WEIGHT = 0.4;
/** Weight of entries linked to one of the best hits, as a share of its score. */
const LINK_WEIGHT = 0.2;
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
  const bestWords = fit.hits[0]?.score ?? 1;
  for (const hit of fit.hits) {
    const share = hit.score / bestWords;
    const weight = add(hit.id, () => share);
    if (!weight) continue;
    weight.hit = hit;
    for (const { id, places } of structure.neighbours(weight.entry)) {
      const beside = addIndirect(id, NEIGHBOUR_WEIGHTS[places] * share);
      if (beside) beside.near ??= hit.id;
    }
  }
  for (const { alike, weight } of judgements)
    for (const [id, likeness] of rank(alike, MOST_ALIKE)) {
      const found = addIndirect(id, weight * likeness);
      if (found) found.isAlike = true;
    }
  const bestGroup = Math.max(...fit.groups.values());
  for (const weight of weights.values()) {
    const score = fit.groups.get(weight.entry.group ?? "") ?? 0;
    if (score <= 0) continue;
    weight.score += weightOf(weight.entry) * GROUP_WEIGHT * (score / bestGroup);
    weight.isInFittingGroup = true;
  }
  for (const [id, score] of findBest(MOST_FOLLOWED)) {
    const entry = structure.entry(id);
    for (const [other, by] of entry ? structure.follow(entry) : []) {
      const linked = addIndirect(other, LINK_WEIGHT * score);
      if (linked) linked.link ??= by;
    }
  }
  const best = findBest(limit);
  const least = LEAST_SHARE * (best[0]?.[1] ?? 0);
  return best
    .filter(([, score]) => score >= least)
    .map(([id, score]) => ({ id, score, why: formatWhy(weights.get(id), spell) }));

  function weightOf(entry: Kept): number {
    return isWeighed ? entry.weight : 1;
  }

  function addIndirect(id: string, score: number): Weight | undefined {
    return add(id, (entry) => weightOf(entry) * score);
  }

  function add(id: string, scoreOf: (entry: Kept) => number): Weight | undefined {
    const entry = structure.entry(id);
    if (!entry) return undefined;
    const weight = weights.get(id) ?? { entry, score: 0 };
    weight.score += scoreOf(entry);
    weights.set(id, weight);
    return weight;
  }

  function findBest(count: number): [id: string, score: number][] {
    return rank(new Map([...weights].map(([id, { score }]) => [id, score])), count);
  }
}

/** Best first, ties by id, so that the order does not depend on the order of adding. */
function rank(scores: ReadonlyMap<string, number>, limit: number): [id: string, score: number][] {
  return [...scores]
    .map(([id, score]): [string, number] => [id, Math.round(score * 1e6) / 1e6])
    .filter(([, score]) => score > 0)
    .sort(([idA, a], [idB, b]) => b - a || (idA < idB ? -1 : 1))
    .slice(0, limit);
}

/** Why an entry without the query's words is found. */
export const ALIKE = "alike in meaning";

function formatWhy(weight: Weight | undefined, spell: (terms: readonly string[]) => string): string {
  if (!weight) return "";
  const { entry, hit, isAlike, isInFittingGroup, link, near } = weight;
  return [
    ...(hit ? [spell(hit.terms)] : []),
    ...(near === undefined ? [] : [`near ${near}`]),
    ...(isInFittingGroup ? [`in ${entry.group}`] : []),
    ...(isAlike ? [ALIKE] : []),
    ...(link === undefined ? [] : [`link ${link}`]),
  ].join("; ");
}

/** Neighbours within groups: the answer to a question often comes a turn or two after the words of it. */
interface Neighbour {
  readonly id: string;
  readonly places: 1 | 2;
}

const STEPS = [
  [-2, 2],
  [-1, 1],
  [1, 1],
  [2, 2],
] as const;

export function createGroups() {
  /** By group: the order by id of its members. */
  const groups = new Map<string, Map<string, number>>();
  /** By group: ids in order, and the place of each. Made with the first use after a change. */
  const sorted = new Map<string, { ids: readonly string[]; places: ReadonlyMap<string, number> }>();

  return {
    add(name: string, { id, order }: Pick<Kept, "id" | "order">): void {
      putIn(groups, name, id, order);
      sorted.delete(name);
    },
    remove(name: string, id: string): void {
      takeFrom(groups, name, id);
      sorted.delete(name);
    },
    /** Entries up to two places before and after it, with their distance. */
    neighbours(name: string, id: string): readonly Neighbour[] {
      const { ids, places } = sorted.get(name) ?? sort(name);
      const at = places.get(id);
      if (at === undefined) return [];
      return STEPS.flatMap(([step, places]) => {
        const beside = ids[at + step];
        return beside === undefined ? [] : [{ id: beside, places }];
      });
    },
  };

  function sort(name: string) {
    const members = [...(groups.get(name) ?? [])].sort(([idA, a], [idB, b]) => a - b || (idA < idB ? -1 : 1));
    const ids = members.map(([id]) => id);
    const made = { ids, places: new Map(ids.map((id, at) => [id, at])) };
    sorted.set(name, made);
    return made;
  }
}

/*
 * The precise selection, for memories that a model gets unasked: entries that the text names; else entries with at
 * least half of the best word score that share at least two rare words; else none.
 */

/** Share of the best score. */
const LEAST_MATCHED_SHARE = 0.5;
const LEAST_TERMS = 2;

/** A word that more than a twentieth of the entries have is no evidence; in a small index every word is rare. */
const RARE_SHARE = 0.05;
const RARE_AT_LEAST = 5;

export interface MatchOptions {
  /** The name that the text uses, by entry id. */
  named: ReadonlyMap<string, string>;
  /** Best first. */
  hits: readonly LexicalHit[];
  /** Number of entries by term. */
  frequency: ReadonlyMap<string, number>;
  size: number;
  /** Ids of entries that this one links to. */
  linked: (id: string) => readonly string[];
  /** Formats terms as the text spells them. */
  spell: (terms: readonly string[]) => string;
}

/** Best first. Named entries come in order of their word scores, then the entries they link to. */
export function planMatch(options: MatchOptions): RecallHit[] {
  return options.named.size > 0 ? planNamed(options) : planFitting(options);
}

function planNamed({ named, hits, linked }: MatchOptions): RecallHit[] {
  const best = hits[0]?.score ?? 1;
  const shares = new Map(hits.map(({ id, score }) => [id, score / best]));
  const found = inOrder(
    [...named].map(([id, name]) => ({ id, score: 1 + (shares.get(id) ?? 0), why: `named ${name}` })),
  );
  const led = new Map<string, string>();
  for (const { id } of found)
    for (const other of linked(id)) if (!named.has(other) && !led.has(other)) led.set(other, id);
  return [...found, ...inOrder([...led].map(([id, from]) => ({ id, score: 0.5, why: `link ${from}` })))];
}

function planFitting({ frequency, hits, size, spell }: MatchOptions): RecallHit[] {
  const best = hits[0]?.score ?? 0;
  const most = Math.max(RARE_AT_LEAST, RARE_SHARE * size);
  const isRare = (term: string): boolean => (frequency.get(term) ?? 0) <= most;
  const found = hits
    .filter(
      ({ score, terms }) => score >= LEAST_MATCHED_SHARE * best && terms.filter(isRare).length >= LEAST_TERMS,
    )
    .map(({ id, score, terms }) => ({ id, score: score / best, why: spell(terms) }));
  return inOrder(found);
}

export function inOrder(hits: RecallHit[]): RecallHit[] {
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}
