import { countEvents, type Proof, type ProofSeen } from "../../src/kernel/proof.js";

/** A host that ends at once on a busy machine may lose the ledger's line, but not the file and what was sent. */
export const proof: Proof = {
  settings: { toolResults: { threshold: 4_096 } },
  acted: (seen) => countEvents(seen, "spilled", "moved to a file") ?? countSent(seen),
};

/** Files with results that a request names. */
function countSent({ paths, requests }: ProofSeen): string | undefined {
  const moved = paths.filter((path) => /\.opencode\/tool-results\/[^/]+\.txt$/.test(path));
  const sent = moved.filter((path) => requests.some((body) => body.includes(path)));
  return sent.length === 0 ? undefined : `${sent.length} × moved to a file`;
}
