/**
 * fast-check for the property tests. Developers' machines use a new seed in every run; the CI uses a fixed one, so that
 * a failure there is caused by the change.
 */
import fc from "fast-check";
import { sizeOf } from "./sizes.js";

const CI_SEED = 20_260_731;

if (process.env.CI) fc.configureGlobal({ seed: CI_SEED });

export { fc };

/** Number of values to try for a property. */
export const runs = (usual: number, long: number, values: string): number =>
  sizeOf({ usual, long, of: values, because: "the property is the same" });
