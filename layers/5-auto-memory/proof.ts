import { countEvents, type Proof } from "../../src/kernel/proof.js";

const RULE = "---\ntitle: Answer in whole sentences.\npinned: true\n---\nAnswer in whole sentences.\n";
const content = "The doctor was here, to see whether memories can be kept.";
const KEPT = ".opencode/memory/knowledge/";

export const proof: Proof = {
  files: { ".opencode/memory/directive/doctor.md": RULE },
  calls: [{ call: "memory_remember", args: { type: "knowledge", content } }],
  acted(seen) {
    const shown = countEvents(seen, "extended", "memories shown", "auto-memory");
    return shown && seen.paths.some((path) => path.startsWith(KEPT)) ? `${shown}, one stored` : undefined;
  },
};
