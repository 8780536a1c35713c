/** BM25+ (Lv and Zhai 2011): the weight of a term, and its contribution to a text's score. */

/** Common values, as in Lucene. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.7;
const FLOOR = 0.5;

/** Inverse document frequency: `having` of `all` texts have the term. */
export function rarityOf(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** Saturated weight of `count` occurrences. `length` is the text's length relative to the average. */
export function saturate(count: number, length: number): number {
  return (
    FLOOR + (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length))
  );
}
