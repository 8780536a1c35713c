/** What OpenCode 2.0.15 cannot do, in the titles of tests. */
import { test } from "vitest";
import { HOST } from "./stage/which-host.js";

/**
 * A test that OpenCode 2 cannot pass, for this reason. It is played there all the same and must fail, so that a later
 * OpenCode that can is noticed.
 */
export const only1 = (_reason: string) => (HOST === 1 ? test : test.fails);
