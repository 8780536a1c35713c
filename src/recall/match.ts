/**
 * The precise selection, for memories that a model gets unasked: entries that the text names; else entries with at
 * least half of the best word score that share at least two rare words; else none.
 */
import type { RecallHit } from "./kept.js";
import type { LexicalHit } from "./lexical.js";

/** Share of the best score. */
const LEAST_SHARE = 0.5;
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
  /** Number of entries. */
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
    .filter(({ score, terms }) => score >= LEAST_SHARE * best && terms.filter(isRare).length >= LEAST_TERMS)
    .map(({ id, score, terms }) => ({ id, score: score / best, why: spell(terms) }));
  return inOrder(found);
}

function inOrder(hits: RecallHit[]): RecallHit[] {
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}
