import type { Proof } from "../../src/kernel/proof.js";

const NOTES = /^\.opencode\/session-memory\/[^/]+\.md$/;

export const proof: Proof = {
  settings: { sessionMemory: { goalRefresh: 1, goalDistance: 0 } },
  acted: ({ paths }) => (paths.some((path) => NOTES.test(path)) ? "notes written" : undefined),
};
