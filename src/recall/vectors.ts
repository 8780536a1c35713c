/** The vectors of the entries, fetched behind everything else and compared with that of a query. */
import { cosine, type Embedder, normalizeVector } from "./embedder.js";

export interface Vectors {
  add(id: string, text: string): void;
  remove(id: string): void;
  /** Fetches those that are missing. Rejects with the embedder's error; what is left waits for the next time. */
  fill(): Promise<void>;
  /** How alike each entry is to the text, by cosine; `undefined` where that cannot be said. Never rejects. */
  compare(text: string): Promise<ReadonlyMap<string, number> | undefined>;
}

/** Texts that are given to the embedder at once. */
const BATCH = 64;

export function createVectors(embedder: Embedder): Vectors {
  const vectors = new Map<string, Float32Array>();
  const waiting = new Map<string, string>();
  let filling: Promise<void> | undefined;

  return {
    add(id, text) {
      waiting.set(id, text);
    },
    remove(id) {
      waiting.delete(id);
      vectors.delete(id);
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
        const asked = given && normalizeVector(given);
        return asked && new Map([...vectors].map(([id, vector]) => [id, cosine(asked, vector)]));
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
        const given = found[n];
        const vector = given && normalizeVector(given);
        if (vector) vectors.set(id, vector);
      }
    }
  }
}
