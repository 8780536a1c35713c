/**
 * Similarity in meaning of entries to a query: by the embedder's vectors where an entry has one, by the built-in word
 * vectors otherwise.
 */
import type { Embedder } from "./embedder.js";
import { MEANING_WEIGHT, spread } from "./fuse.js";
import { type Kept, toSpoken } from "./kept.js";
import { createEmbedderLikeness, createWordLikeness, type Likenesses } from "./vectors.js";
import type { Judgement } from "./weigh.js";
import type { WordVectors } from "./word-vectors.js";

export interface Meaning {
  /** An entry that is withheld is never given to the embedder. */
  add(entry: Kept, isWithheld: boolean): void;
  remove(id: string): void;
  /** Embeds the entries that wait for it. Rejects with the embedder's error; the next call retries the rest. */
  embed(): Promise<void>;
  judgeByWords(text: string): Judgement[];
  /** `judgeByWords` if the embedder fails. Never rejects. */
  judge(text: string): Promise<Judgement[]>;
}

export interface MeaningOptions {
  embedder: Embedder | undefined;
  wordVectors: WordVectors | false;
}

export function createMeaning({ embedder, wordVectors }: MeaningOptions): Meaning {
  const byWords = wordVectors ? createWordLikeness(wordVectors) : undefined;
  const byEmbedder = embedder && createEmbedderLikeness(embedder);
  const compareWords = (text: string): Likenesses => {
    const alike = byWords?.compare(text);
    return alike && spread(alike);
  };
  const toJudgements = (alike: Likenesses, weight = MEANING_WEIGHT): Judgement[] =>
    alike ? [{ alike, weight }] : [];

  return {
    add(entry, isWithheld) {
      if (!entry.isWork) byWords?.add(entry.id, toSpoken(entry));
      if (!isWithheld) byEmbedder?.add(entry.id, toSpoken(entry));
    },
    remove(id) {
      byWords?.remove(id);
      byEmbedder?.remove(id);
    },
    embed: async () => byEmbedder?.fill(),
    judgeByWords: (text) => toJudgements(compareWords(text)),
    async judge(text) {
      const embedded = await byEmbedder?.compare(text);
      const others = compareWords(text);
      if (!embedded) return toJudgements(others);
      const rest = others && new Map([...others].filter(([id]) => !byEmbedder?.has(id)));
      return [...toJudgements(embedded, embedder?.weight), ...toJudgements(rest)];
    },
  };
}
