import type { Sliced } from "../../src/base/slices.js";

/** Runs the work without a pause: for short texts, or if nothing else needs the thread. */
export function atOnce<T>(work: Sliced<T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}
