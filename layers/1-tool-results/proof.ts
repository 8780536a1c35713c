import { countEvents, type Proof } from "../../src/proof.js";

export const proof: Proof = {
  settings: { toolResults: { threshold: 4_096 } },
  acted: (seen) => countEvents(seen, "spilled", "moved to a file"),
};
