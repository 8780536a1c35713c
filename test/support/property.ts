/**
 * fast-check as the property tests use it: with another seed in every run on a developer's machine, and the same one
 * on the CI, where a failure has to mean that the change brought it about.
 */
import fc from "fast-check";
import { sizeOf } from "./sizes.js";

const CI_SEED = 20_260_731;

if (process.env.CI) fc.configureGlobal({ seed: CI_SEED });

export { fc };

/** How many values a property is tried with. */
export const runs = (usual: number, long: number, values: string): number =>
  sizeOf({ usual, long, of: values, because: "the property is the same" });
