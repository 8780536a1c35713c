/** The interface of embedders. */
import { formatError } from "../base/error.js";

/**
 * Turns texts into vectors, by a model or by a table.
 *
 * Contract: one vector per text, all of the same length, `undefined` for an unknown text. It may throw or be slow: an
 * entry without a vector is found by its words. A vector is kept as long as its entry.
 */
export interface Embedder {
  /** The most that similarity adds to a score; the best match of words scores 1. */
  readonly weight: number;
  embed(texts: readonly string[]): Promise<readonly (Float32Array | undefined)[]>;
  /** The vector of a query, if it can be had at once; without this method, `embed` is awaited. */
  embedQuery?(text: string): Promise<Float32Array | undefined>;
}

/** The same sentence for the same error, so that it is logged once. */
export const formatWordsOnly = (thrown: unknown): string =>
  `memories are found by words only, not by meaning: ${formatError(thrown)}`;

/** Scales to length 1, so that the dot product of two is their cosine; `undefined` for a zero or infinite vector. */
export function normalizeVector(vector: Float32Array): Float32Array | undefined {
  let square = 0;
  for (const value of vector) square += value * value;
  if (!(square > 0) || !Number.isFinite(square)) return undefined;
  const length = Math.sqrt(square);
  return vector.map((value) => value / length);
}
