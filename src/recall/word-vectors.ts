/**
 * The built-in word vectors for English. A text's vector is the mean of its words' vectors minus the mean of all words;
 * similarity is the cosine. The table has 20,000 everyday words and no names, so it only helps with queries that
 * paraphrase.
 */
import { createRequire } from "node:module";
import { stopWords } from "./stop-words.js";
import { MOST_OF_A_FIELD } from "./terms.js";

export interface WordVectors {
  /** `undefined` for a text without a known word. */
  vectorOf(text: string): Float32Array | undefined;
}

const DIMENSIONS = 100;
/** Words read per text: beyond that, the mean hardly changes. */
const MOST_WORDS = 400;

interface Table {
  rows: ReadonlyMap<string, number>;
  values: Int8Array;
  common: readonly number[];
}

/** Loads the table, 3 MB, with the first text. If the file is missing, no word is known. */
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
  /** The mean of all vectors. */
  common: readonly number[];
  /** Base64 of int8 rows. */
  vectors: string;
}

/** Uses `require` so that the file is read on first use, not at import. */
function readPacked(): Packed | undefined {
  try {
    return createRequire(import.meta.url)(findPlace(import.meta.url));
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw thrown;
    return undefined;
  }
}

/** Path of the table relative to this module, which lies in `src/recall/`, or bundled in `dist/`: never outside the package. */
export function findPlace(moduleURL: string): string {
  return /\/src\/recall\/[^/]+$/.test(moduleURL) ? "../../vectors/words.json" : "../vectors/words.json";
}
