import type { Proof } from "../../src/kernel/proof.js";

const TWICE =
  "---\ntitle: A bell that rings when the tests are done.\n---\nA bell that rings when the tests are done.\n";
const PAGE = ".opencode/memory/DREAMS.md";

export const proof: Proof = {
  files: { ".opencode/memory/idea/bell.md": TWICE, ".opencode/memory/idea/bell-again.md": TWICE },
  command: "dream",
  leaves: PAGE,
  acted: ({ paths }) => (paths.includes(PAGE) ? "a duplicate archived" : undefined),
};
