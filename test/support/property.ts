/**
 * fast-check as the property tests use it: with another seed in every run on a developer's machine, and the same one
 * on the CI, where a failure has to mean that the change brought it about.
 */
import fc from "fast-check";

const CI_SEED = 20_260_731;

if (process.env.CI) fc.configureGlobal({ seed: CI_SEED });

export { fc };
