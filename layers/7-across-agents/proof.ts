import type { Proof } from "../../src/kernel/proof.js";

const ITEM = "strata doctor";

export const proof: Proof = {
  calls: [{ call: "lease", args: { op: "claim", item: ITEM } }],
  acted: ({ requests }) =>
    requests.some((body) => body.includes(`Claimed: ${ITEM}`)) ? "a lease claimed" : undefined,
};
