/** Compares the vectors of entries with that of a query. */
import { createRequire } from "node:module";
import { type Embedder, normalizeVector } from "./embedder.js";
import { MOST_OF_A_FIELD, stopWords } from "./terms.js";

/** Similarity to the text by entry id, 0 to 1, similar entries only; `undefined` if there is no vector to compare. */
export type Likenesses = ReadonlyMap<string, number> | undefined;

/** Similarity by word vectors. Synchronous. */
export interface WordLikeness {
  add(id: string, text: string): void;
  remove(id: string): void;
  compare(text: string): Likenesses;
}

/** Below this, two texts share a tone rather than a subject. */
const LEAST_LIKENESS = 0.3;
/** The same for vectors of an embedder; many models give more to any two texts, see `keepOutstanding`. */
const LEAST_EMBEDDED = 0.2;

export function createWordLikeness(words: WordVectors): WordLikeness {
  const vectors = createVectorTable();
  return {
    add(id, text) {
      const vector = toUnit(words.vectorOf(text));
      if (vector) vectors.set(id, vector);
    },
    remove: vectors.remove,
    compare: (text) => compareWith(vectors, toUnit(words.vectorOf(text)), LEAST_LIKENESS),
  };
}

/** Similarity by an embedder's vectors, fetched in the background. */
export interface EmbedderLikeness {
  add(id: string, text: string): void;
  remove(id: string): void;
  /** True if the entry has a vector. */
  has(id: string): boolean;
  /** Fetches missing vectors. Rejects with the embedder's error; the next call retries the rest. */
  fill(): Promise<void>;
  /** Never rejects. */
  compare(text: string): Promise<Likenesses>;
}

const ROUNDING = 1e-6;
/** Number of texts per call of the embedder: the most that some servers take. */
const BATCH = 32;

export function createEmbedderLikeness(embedder: Embedder): EmbedderLikeness {
  const vectors = createVectorTable();
  const waiting = new Map<string, string>();
  let filling: Promise<void> | undefined;

  return {
    add(id, text) {
      waiting.set(id, text);
    },
    remove(id) {
      waiting.delete(id);
      vectors.remove(id);
    },
    has: vectors.has,
    fill() {
      filling ??= fetchMissing().finally(() => {
        filling = undefined;
      });
      return filling;
    },
    async compare(text) {
      if (vectors.size === 0) return undefined;
      try {
        const given = embedder.embedQuery
          ? await embedder.embedQuery(text)
          : (await embedder.embed([text]))[0];
        return keepOutstanding(compareWith(vectors, toUnit(given), -1));
      } catch {
        return undefined;
      }
    },
  };

  /** Entries that change while the embedder works keep waiting. */
  async function fetchMissing(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, BATCH);
      const found = await embedder.embed(batch.map(([, text]) => text));
      for (const [n, [id, text]] of batch.entries()) {
        if (waiting.get(id) !== text) continue;
        waiting.delete(id);
        const vector = toUnit(found[n]);
        if (vector) vectors.set(id, vector);
      }
    }
  }
}

/**
 * The entries that stand out, scaled so that the most similar is 1: models differ in what they give to texts that have
 * nothing in common, so an entry counts that is a standard deviation above the mean. `undefined` if none is.
 */
function keepOutstanding(alike: Likenesses): Likenesses {
  if (!alike) return undefined;
  const values = [...alike.values()];
  const mean = sum(values) / values.length;
  const deviation = Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / values.length);
  const least = Math.max(LEAST_EMBEDDED, mean + deviation - ROUNDING);
  const outstanding = [...alike].filter(([, value]) => value >= least);
  if (outstanding.length === 0) return undefined;
  const best = Math.max(...outstanding.map(([, value]) => value));
  const scale = (value: number): number => (best - mean > ROUNDING ? (value - mean) / (best - mean) : 1);
  return new Map(outstanding.map(([id, value]) => [id, scale(value)]));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function toUnit(vector: Float32Array | undefined): Float32Array | undefined {
  return vector && normalizeVector(vector);
}

function compareWith(vectors: VectorTable, asked: Float32Array | undefined, least: number): Likenesses {
  return asked && vectors.compare(asked, least);
}

/*
 * Many vectors of one length, row by row in one array: a search by meaning spends most of its time comparing one vector
 * with all, and looking each up by name would take five times as long.
 */

export interface VectorTable {
  /** Adds or replaces a vector of norm 1; ignores one whose dimension differs from the first. */
  set(id: string, vector: Float32Array): void;
  remove(id: string): void;
  has(id: string): boolean;
  readonly size: number;
  /** Cosines with this vector by id, above `least` only. */
  compare(asked: Float32Array, least: number): Map<string, number>;
}

const FIRST_ROWS = 256;

export function createVectorTable(): VectorTable {
  const rows = new Map<string, number>();
  const ids: (string | undefined)[] = [];
  const free: number[] = [];
  let length = 0;
  let values = new Float32Array(0);

  return {
    get size() {
      return rows.size;
    },

    set(id, vector) {
      if (rows.size === 0) length = vector.length;
      if (vector.length !== length) return;
      const row = rows.get(id) ?? free.pop() ?? ids.length;
      rows.set(id, row);
      ids[row] = id;
      if ((row + 1) * length > values.length) grow();
      values.set(vector, row * length);
    },

    remove(id) {
      const row = rows.get(id);
      if (row === undefined) return;
      rows.delete(id);
      ids[row] = undefined;
      free.push(row);
      if (rows.size === 0) forget();
    },

    has: (id) => rows.has(id),

    compare(asked, least) {
      const alike = new Map<string, number>();
      if (asked.length !== length) return alike;
      for (let row = 0; row < ids.length; row++) {
        const id = ids[row];
        if (id === undefined) continue;
        const likeness = multiply(asked, values, row * length);
        if (likeness > least) alike.set(id, likeness);
      }
      return alike;
    },
  };

  function grow(): void {
    const grown = new Float32Array(Math.max(FIRST_ROWS * length, 2 * values.length));
    grown.set(values);
    values = grown;
  }

  /** The next vectors may have another dimension. */
  function forget(): void {
    ids.length = 0;
    free.length = 0;
    values = new Float32Array(0);
  }
}

function multiply(asked: Float32Array, values: Float32Array, start: number): number {
  let product = 0;
  for (let n = 0; n < asked.length; n++) product += (asked[n] as number) * (values[start + n] as number);
  return product;
}

/*
 * The built-in word vectors for English. A text's vector is the mean of its words' vectors minus the mean of all words;
 * similarity is the cosine. The table has 20,000 everyday words and no names, so it only helps with queries that
 * paraphrase.
 */

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
