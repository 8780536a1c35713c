import { planDateTerms, readDate } from "./dates.js";
import { findEntities, normalizePath } from "./entities.js";
import type { RecallEntry } from "./entry.js";
import type { IndexedText } from "./lexical.js";
import { MOST_OF_A_FIELD } from "./terms.js";

/** An entry as the index holds it: bounded, and all that is found in it found once. */
export interface Kept {
  readonly id: string;
  readonly indexed: IndexedText;
  /** Title and text, for what looks at meaning and at whole groups. */
  readonly spoken: string;
  /** Names by which it may be called. */
  readonly names: readonly string[];
  /** What it speaks of that others may speak of as well. */
  readonly entities: readonly string[];
  readonly links: readonly string[];
  readonly group: string | undefined;
  readonly order: number;
  /** Is it about files? Then it goes out of date, and speaks in names rather than in words. */
  readonly isWork: boolean;
  readonly at: number | undefined;
}

/** More names, paths or links than this nobody has given by hand. */
const MOST_NAMES = 100;
const LONGEST_NAME = 300;

/** `sequence` is its place where the entry names none. */
export function keepEntry(entry: RecallEntry, sequence: number): Kept {
  const title = (entry.title ?? "").slice(0, MOST_OF_A_FIELD);
  const text = entry.text.slice(0, MOST_OF_A_FIELD);
  const names = boundNames(entry.aliases);
  const paths = boundNames(entry.paths).map(normalizePath);
  const atMs = entry.date === undefined ? undefined : readDate(entry.date);
  return {
    id: entry.id,
    indexed: {
      id: entry.id,
      title,
      aliases: names.join("\n"),
      text,
      paths: paths.join("\n"),
      date: atMs === undefined ? "" : planDateTerms(atMs).join(" "),
    },
    spoken: `${title}\n${text}`,
    names: [title, ...names].filter((name) => name !== "" && name.length <= LONGEST_NAME),
    entities: [...new Set([...paths, ...findEntities(`${title}\n${text}\n${names.join("\n")}`)])],
    links: boundNames(entry.links),
    group: entry.group,
    order: entry.order ?? sequence,
    isWork: paths.length > 0,
    at: atMs,
  };
}

function boundNames(names: readonly string[] = []): string[] {
  return names.slice(0, MOST_NAMES).map((name) => name.slice(0, LONGEST_NAME));
}
