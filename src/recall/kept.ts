import { MOST_OF_A_FIELD } from "../base/text.js";
import { planDateTerms, readDate } from "../text/dates.js";
import { findEntities } from "../text/entities.js";
import type { Bag } from "./lexical.js";

/** An entry as the index holds it: bounded, with its entities and date parsed once. */
export interface Kept {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly aliases: readonly string[];
  /** Entities it names that other entries may name too. */
  readonly entities: readonly string[];
  readonly links: readonly string[];
  readonly group: string | undefined;
  readonly order: number;
  readonly at: number | undefined;
  /** Share of its score that counts: less than 1 for the assistant's words. */
  readonly weight: number;
}

/** Maximum number of names or links: more than anyone writes by hand. */
const MOST_NAMES = 100;
const LONGEST_NAME = 300;
/** Weight of words of the title and the aliases. */
const TITLE_WEIGHT = 2;
/** Share of an assistant's score that counts. */
const ASSISTANT_WEIGHT = 0.5;

/** `sequence` is the default for `order`. */
export function keepEntry(entry: RecallEntry, sequence: number): Kept {
  const title = (entry.title ?? "").slice(0, MOST_OF_A_FIELD);
  const text = entry.text.slice(0, MOST_OF_A_FIELD);
  const aliases = boundNames(entry.aliases);
  return {
    id: entry.id,
    title,
    text,
    aliases,
    entities: findEntities([title, text, ...aliases].join("\n")),
    links: boundNames(entry.links),
    group: entry.group,
    order: entry.order ?? sequence,
    at: entry.date === undefined ? undefined : readDate(entry.date),
    weight: entry.role === "assistant" ? ASSISTANT_WEIGHT : 1,
  };
}

/** The term counts of an entry. Deterministic, so that the entry can be removed again. */
export function toBag(
  { id, aliases, at, group, text, title, weight }: Kept,
  splitTerms: (text: string) => string[],
): Bag {
  const counts = new Map<string, number>();
  const add = (terms: readonly string[], weight: number): void => {
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + weight);
  };
  add(splitTerms(title), TITLE_WEIGHT);
  for (const alias of aliases) add(splitTerms(alias), TITLE_WEIGHT);
  add(splitTerms(text), 1);
  if (at !== undefined) add(planDateTerms(at), 1);
  return { id, group, counts, weight };
}

function boundNames(names: readonly string[] = []): string[] {
  return names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
}

/* Input and output of a recall index. */

/** Something worth finding again. Only `id` and `text` are required; every other field makes it easier to find. */
export interface RecallEntry {
  /** Adding another entry under the same id replaces this one. */
  readonly id: string;
  /** The first 20,000 characters are indexed. */
  readonly text: string;
  /** Counts twice as much as the text. */
  readonly title?: string;
  /** Other words people would search for. */
  readonly aliases?: readonly string[];
  /** When it was said or done: an ISO date, milliseconds since 1970, or words such as "1:56 pm on 8 May, 2023". */
  readonly date?: string | number | Date;
  /** The conversation or session it belongs to. A query that matches the group as a whole raises its entries. */
  readonly group?: string;
  /** Its position in the group; defaults to the order of adding. The neighbours of a hit are raised. */
  readonly order?: number;
  /**
   * Whose words they are, for entries of a chat. The assistant says more and repeats what the user said, so its entries
   * count less, except for a query such as "what did you recommend".
   */
  readonly role?: "user" | "assistant";
  /** Ids of related entries. */
  readonly links?: readonly string[];
  /** Never given to an embedder. */
  readonly isPrivate?: boolean;
}

/** An entry that matches a query. */
export interface RecallHit {
  readonly id: string;
  /** Above 0; comparable only within one query. */
  readonly score: number;
  /** For people, for example `port, 8080; near turn-12; link #34`. */
  readonly why: string;
}

export interface SearchOptions {
  /** Default 10, at most 1,000. */
  readonly limit?: number;
}

/**
 * Turns texts into vectors, by a model or by a table.
 *
 * Contract: one vector per text, all of the same length, `undefined` for an unknown text. It may throw or be slow: an
 * entry without a vector is found by its words. A vector is kept as long as its entry.
 */
export interface Embedder {
  /** The most that similarity adds to a score; the best match of words scores 1. */
  readonly weight: number;
  embed(texts: readonly string[]): Promise<readonly (Float32Array | undefined)[]>;
  /** The vector of a query, if it can be had at once; without this method, `embed` is awaited. */
  embedQuery?(text: string): Promise<Float32Array | undefined>;
}
