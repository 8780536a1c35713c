import type { Sliced } from "../../src/base/slices.js";

/** Work that yields once and then returns `value`. */
export function* sliced<T>(value: T): Sliced<T> {
  yield;
  return value;
}
