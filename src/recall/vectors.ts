/** The vectors of the entries, compared with that of a query. */
import { type Embedder, normalizeVector } from "./embedder.js";
import { createVectorTable, type VectorTable } from "./vector-table.js";
import type { WordVectors } from "./word-vectors.js";

/** How alike each entry is to the text, by cosine, of those that are alike at all; `undefined` where nobody can say. */
export type Likenesses = ReadonlyMap<string, number> | undefined;

/** The entries by what their words mean. Judges at once. */
export interface WordLikeness {
  add(id: string, text: string): void;
  remove(id: string): void;
  compare(text: string): Likenesses;
}

/** Below it two texts share a tone rather than a subject. */
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

/** The entries by an embedder's vectors, which are fetched behind everything else. */
export interface EmbedderLikeness {
  add(id: string, text: string): void;
  remove(id: string): void;
  /** Fetches those that are missing. Rejects with the embedder's error; what is left waits for the next time. */
  fill(): Promise<void>;
  /** Never rejects. */
  compare(text: string): Promise<Likenesses>;
}

/** Texts that are given to the embedder at once. */
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

  /** What was changed while the embedder was at work keeps waiting. */
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
