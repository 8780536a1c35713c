/**
 * What English words mean, roughly: the built-in judge of likeness. A text is the mean of its words' vectors, less what
 * all words have in common; two texts are alike as far as those point the same way. It knows 20,000 everyday words and
 * no names, which is why it only helps where somebody asks in other words than were used.
 */
import { createRequire } from "node:module";
import { stopWords } from "./stop-words.js";
import { MOST_OF_A_FIELD } from "./terms.js";

export interface WordVectors {
  /** `undefined` for a text without a word it knows. */
  vectorOf(text: string): Float32Array | undefined;
}

const DIMENSIONS = 100;
/** Seen from `src/recall/`, and from `dist/` as it is published. */
const PLACES = ["../../vectors/words.json", "../vectors/words.json"];
/** Words of a text that are read: its mean hardly moves any more. */
const MOST_WORDS = 400;

interface Table {
  rows: ReadonlyMap<string, number>;
  values: Int8Array;
  common: readonly number[];
}

/** Loads the table, 3 MB, when the first text comes. Without the file it knows no word. */
export function createWordVectors(): WordVectors {
  let table: Table | undefined;
  let isLoaded = false;

  return {
    vectorOf(text) {
      if (!isLoaded) table = loadTable();
      isLoaded = true;
      return table && meanOf(table, text);
    },
  };
}

function meanOf({ common, rows, values }: Table, text: string): Float32Array | undefined {
  const words =
    text
      .slice(0, MOST_OF_A_FIELD)
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  const sum = new Int32Array(DIMENSIONS);
  let count = 0;
  for (const word of words) {
    const row = rows.get(word);
    if (row === undefined || stopWords.has(word)) continue;
    const start = row * DIMENSIONS;
    for (let n = 0; n < DIMENSIONS; n++) sum[n] = (sum[n] as number) + (values[start + n] as number);
    if (++count === MOST_WORDS) break;
  }
  return count === 0 ? undefined : Float32Array.from(common, (value, n) => (sum[n] ?? 0) / count - value);
}

function loadTable(): Table | undefined {
  const packed = readPacked();
  if (!packed) return undefined;
  const bytes = Buffer.from(packed.vectors, "base64");
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows = new Map(packed.words.split(" ").map((word, row) => [word, row]));
  return { rows, values, common: packed.common };
}

interface Packed {
  words: string;
  /** The mean of all. */
  common: readonly number[];
  /** In base64. */
  vectors: string;
}

/** Required rather than imported, so that it is read when it is needed and not with the module. */
function readPacked(): Packed | undefined {
  const require = createRequire(import.meta.url);
  for (const place of PLACES) {
    try {
      return require(place);
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw thrown;
    }
  }
  return undefined;
}
