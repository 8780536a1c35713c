import { countEvents, type Proof } from "../../src/kernel/proof.js";

const failing = { call: "bash", args: { command: "strata-doctor-fails", description: "fails" } };

export const proof: Proof = {
  calls: [failing, failing],
  acted: (seen) => countEvents(seen, "extended", "an earlier failure shown", "errors"),
};
