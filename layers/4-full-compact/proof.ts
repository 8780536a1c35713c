import { countEvents, type Proof } from "../../src/kernel/proof.js";

export const proof: Proof = {
  settings: { autoCompact: { threshold: 10_000 } },
  acted: (seen) => countEvents(seen, "cut", "history replaced"),
};
