/** Compares the vectors of entries with that of a query. */
import { type Embedder, normalizeVector } from "./embedder.js";
import { createVectorTable, type VectorTable } from "./vector-table.js";
import type { WordVectors } from "./word-vectors.js";

/** Cosine similarity to the text by entry id, similar entries only; `undefined` if there is no vector to compare. */
export type Likenesses = ReadonlyMap<string, number> | undefined;

/** Similarity by word vectors. Synchronous. */
export interface WordLikeness {
  add(id: string, text: string): void;
  remove(id: string): void;
  compare(text: string): Likenesses;
}

/** Below this, two texts share a tone rather than a subject. */
const LEAST_LIKENESS = 0.3;

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

/** Number of texts per call of the embedder. */
const BATCH = 64;

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
        const [given] = await embedder.embed([text]);
        return compareWith(vectors, toUnit(given), 0);
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

function toUnit(vector: Float32Array | undefined): Float32Array | undefined {
  return vector && normalizeVector(vector);
}

function compareWith(vectors: VectorTable, asked: Float32Array | undefined, least: number): Likenesses {
  return asked && vectors.compare(asked, least);
}
