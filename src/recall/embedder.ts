/** Meaning as numbers. */

/**
 * Turns texts into vectors, by a model or by a table.
 *
 * Contract: one vector a text, all of the same length, `undefined` for a text it knows nothing of. It may throw or take
 * its time: what has no vector is found by its words. A vector that has come is kept as long as its entry.
 */
export interface Embedder {
  /** What a perfect likeness adds to a score in which the best fit of words counts 1. */
  readonly weight: number;
  embed(texts: readonly string[]): Promise<readonly (Float32Array | undefined)[]>;
}

/** Scales to length 1, so that a product of two is their cosine; `undefined` for what has no direction. */
export function normalizeVector(vector: Float32Array): Float32Array | undefined {
  let square = 0;
  for (const value of vector) square += value * value;
  if (!(square > 0) || !Number.isFinite(square)) return undefined;
  const length = Math.sqrt(square);
  return vector.map((value) => value / length);
}
