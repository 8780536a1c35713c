/** BM25+ (Lv and Zhai 2011): what a term is worth, and what it gives to a text that has it. */

/** As Lucene and others set them. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.7;
const FLOOR = 0.5;

/** The rarer a term, the more it says; `having` of `all` texts have it. */
export function rarityOf(having: number, all: number): number {
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
}

/** What `count` occurrences are worth. `length` is the text's, as a share of the average. */
export function saturate(count: number, length: number): number {
  return (
    FLOOR + (count * (SATURATION + 1)) / (count + SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length))
  );
}
