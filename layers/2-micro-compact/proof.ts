import { countEvents, type Proof } from "../../src/kernel/proof.js";

export const proof: Proof = {
  settings: { microCompact: { keepRecent: 0, floor: 0 } },
  acted: (seen) => countEvents(seen, "cleared", "cleared"),
};
