/** Compares the vectors of entries with that of a query: an embedder's, or those of the built-in table of words. */

import { createRequire } from "node:module";
import { MOST_OF_A_FIELD } from "../base/text.js";
import type { Embedder } from "./kept.js";
import { stopWords } from "./terms.js";

/** Similarity to the text by entry id, 0 to 1, similar entries only; `undefined` if there is no vector to compare. */
export type Likenesses = ReadonlyMap<string, number> | undefined;

/** Below this, two texts share a tone rather than a subject. */
const LEAST_LIKENESS = 0.3;

/** Similarity by word vectors. */
export function createWordLikeness(words: WordVectors) {
  const vectors = new Map<string, Float32Array>();
  return {
    add(id: string, text: string): void {
      const vector = toUnit(words.vectorOf(text));
      if (vector) vectors.set(id, vector);
    },
    remove: (id: string) => void vectors.delete(id),
    compare: (text: string): Likenesses => compareWith(vectors, words.vectorOf(text), LEAST_LIKENESS),
  };
}

/** Number of texts per call of the embedder: the most that some servers take. */
const BATCH = 32;

/** Similarity by an embedder's vectors, fetched in the background. */
export function createEmbedderLikeness(embedder: Embedder) {
  const vectors = new Map<string, Float32Array>();
  const waiting = new Map<string, string>();
  let filling: Promise<void> | undefined;

  return {
    add: (id: string, text: string) => void waiting.set(id, text),
    remove(id: string): void {
      waiting.delete(id);
      vectors.delete(id);
    },
    /** True if the entry has a vector. */
    has: (id: string): boolean => vectors.has(id),
    /** Fetches missing vectors. Rejects with the embedder's error; the next call retries the rest. */
    fill(): Promise<void> {
      filling ??= fetchMissing().finally(() => {
        filling = undefined;
      });
      return filling;
    },
    /** Never rejects. */
    compare: async (text: string): Promise<Likenesses> => keepOutstanding(await compareAll(text)),
    /** Those that certainly mean the same. Never rejects. */
    async compareStrictly(text: string): Promise<Likenesses> {
      const alike = await compareAll(text);
      return alike && keepCertain(alike, [...vectors.values()]);
    },
  };

  async function compareAll(text: string): Promise<Likenesses> {
    if (vectors.size === 0) return undefined;
    try {
      const given = embedder.embedQuery ? await embedder.embedQuery(text) : (await embedder.embed([text]))[0];
      return compareWith(vectors, given, -1);
    } catch {
      return undefined;
    }
  }

  /** Entries that change while the embedder works keep waiting. */
  async function fetchMissing(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, BATCH);
      const found = await embedder.embed(batch.map(([, text]) => text));
      for (const [n, [id, text]] of batch.entries()) {
        if (waiting.get(id) !== text) continue;
        waiting.delete(id);
        const vector = toUnit(found[n]);
        // Those of another model do not compare.
        const [first] = vectors.values();
        if (vector && (!first || first.length === vector.length)) vectors.set(id, vector);
      }
    }
  }
}

const ROUNDING = 1e-6;
/** Many models give more than nothing to any two texts. */
const LEAST_EMBEDDED = 0.2;

/**
 * The entries that stand out, scaled so that the most similar is 1: models differ in what they give to texts that have
 * nothing in common, so an entry counts that is a standard deviation above the mean. `undefined` if none is.
 */
function keepOutstanding(alike: Likenesses): Likenesses {
  if (!alike) return undefined;
  const { deviation, mean } = spreadOf([...alike.values()]);
  const least = Math.max(LEAST_EMBEDDED, mean + deviation - ROUNDING);
  const outstanding = [...alike].filter(([, value]) => value >= least);
  if (outstanding.length === 0) return undefined;
  const best = Math.max(...outstanding.map(([, value]) => value));
  const scale = (value: number): number => (best - mean > ROUNDING ? (value - mean) / (best - mean) : 1);
  return new Map(outstanding.map(([id, value]) => [id, scale(value)]));
}

/**
 * In standard deviations above the mean. A model that gives .2 and one that gives .8 to any two texts need no thresholds
 * of their own. Of fewer than eleven entries none can stand so far out; few are all shown at a session's beginning.
 * Measured by `npm run bench:recall` with the table of words in the place of a model, far coarser than any: at 2 a
 * hundredth of what is shown beside PrecisionMemBench's messages is wrong, at 3 nothing.
 */
const CERTAIN = 3;
/** Entries whose likeness to each other is looked at: 2,016 pairs, a few milliseconds. */
const MOST_PAIRED = 64;

/**
 * The entries that stand out twice: among all entries for this text, and above what any two entries have in common. The
 * first alone would find something for every text, the second everything for a text about the project as a whole.
 */
function keepCertain(alike: ReadonlyMap<string, number>, vectors: readonly Float32Array[]): Likenesses {
  const step = Math.ceil(vectors.length / MOST_PAIRED);
  const some = vectors.filter((_, n) => n % step === 0);
  const pairs = some.flatMap((one, n) => some.slice(0, n).map((other) => multiply(one, other)));
  if (pairs.length === 0) return undefined;
  const all = [spreadOf([...alike.values()]), spreadOf(pairs)];
  const least = Math.max(...all.map(({ deviation, mean }) => mean + CERTAIN * deviation));
  return new Map([...alike].filter(([, value]) => value >= least));
}

function spreadOf(values: readonly number[]): { mean: number; deviation: number } {
  const mean = sum(values) / values.length;
  return { mean, deviation: Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / values.length) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Scales to length 1, so that the dot product of two is their cosine; `undefined` for a zero or infinite vector. */
function toUnit(vector: Float32Array | undefined): Float32Array | undefined {
  const square = vector?.reduce((sum, value) => sum + value * value, 0) ?? 0;
  if (!(square > 0) || !Number.isFinite(square)) return undefined;
  const length = Math.sqrt(square);
  return vector?.map((value) => value / length);
}

/** Cosines by id, above `least` only. */
function compareWith(
  vectors: ReadonlyMap<string, Float32Array>,
  given: Float32Array | undefined,
  least: number,
): Likenesses {
  const asked = toUnit(given);
  if (!asked) return undefined;
  const alike = new Map<string, number>();
  for (const [id, vector] of vectors) {
    const likeness = vector.length === asked.length ? multiply(asked, vector) : -1;
    if (likeness > least) alike.set(id, likeness);
  }
  return alike;
}

function multiply(one: Float32Array, other: Float32Array): number {
  let product = 0;
  for (let n = 0; n < one.length; n++) product += (one[n] as number) * (other[n] as number);
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

type Table = NonNullable<ReturnType<typeof loadTable>>;

/** Loads the table, 3 MB, with the first text. If the file is missing, no word is known. */
export function createWordVectors(): WordVectors {
  let table: Table | undefined | "unread" = "unread";

  return {
    vectorOf(text) {
      if (table === "unread") table = loadTable();
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
  const known = words
    .flatMap((word) => (stopWords.has(word) ? [] : (rows.get(word) ?? [])))
    .slice(0, MOST_WORDS);
  if (known.length === 0) return undefined;
  const sums = new Int32Array(DIMENSIONS);
  for (const row of known)
    for (let n = 0; n < DIMENSIONS; n++)
      sums[n] = (sums[n] as number) + (values[row * DIMENSIONS + n] as number);
  return Float32Array.from(common, (value, n) => (sums[n] ?? 0) / known.length - value);
}

/** Uses `require` so that the file is read on first use, not at import. */
function loadTable() {
  try {
    const packed: Packed = createRequire(import.meta.url)(findPlace(import.meta.url));
    const bytes = Buffer.from(packed.vectors, "base64");
    const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return {
      rows: new Map(packed.words.split(" ").map((word, row) => [word, row])),
      values,
      common: packed.common,
    };
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw thrown;
    return undefined;
  }
}

interface Packed {
  words: string;
  /** The mean of all vectors. */
  common: readonly number[];
  /** Base64 of int8 rows. */
  vectors: string;
}

/** Path of the table relative to this module, which lies in `src/recall/`, or bundled in `dist/`: never outside the package. */
export function findPlace(moduleURL: string): string {
  return /\/src\/recall\/[^/]+$/.test(moduleURL) ? "../../vectors/words.json" : "../vectors/words.json";
}
