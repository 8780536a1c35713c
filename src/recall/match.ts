/**
 * The precise cut, for what is put in front of a model that has not asked: what the text calls by name; else what is at
 * least half as good as the best fit of words and shares at least two of them; else nothing.
 */
import type { RecallHit } from "./entry.js";
import type { LexicalHit } from "./lexical.js";

/** As a share of the best score. */
const LEAST_SHARE = 0.5;
const LEAST_TERMS = 2;

/** More words than a twentieth of the entries have are no evidence; in a small index everything is rare. */
const RARE_SHARE = 0.05;
const RARE_AT_LEAST = 5;

export interface MatchOptions {
  /** By entry, under which of its names the text calls it. */
  named: ReadonlyMap<string, string>;
  /** Best first. */
  hits: readonly LexicalHit[];
  /** By term, how many entries have it. */
  frequency: ReadonlyMap<string, number>;
  /** How many entries there are. */
  size: number;
  /** Entries that this one was given links to. */
  linked: (id: string) => readonly string[];
  /** Terms as the text has them. */
  spell: (terms: readonly string[]) => string;
}

/** Best first. What is named comes in the order in which its words fit, and what it links to behind all of it. */
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
