import type { Sliced } from "../../src/slices.js";

/** Work that may be left once and then has this. */
export function* sliced<T>(value: T): Sliced<T> {
  yield;
  return value;
}
