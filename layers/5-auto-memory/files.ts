import type { FileKind } from "../../src/kernel/file-kinds.js";

export const files: readonly FileKind[] = [
  ...[".opencode/memory", ".opencode/memory/private"].flatMap((folder) => [
    { path: `${folder}/conflicts/<id>.md` },
    { path: `${folder}/archive/conflicts/<id>.md` },
  ]),
  { path: ".opencode/strata/state/extraction/<id>.json" },
  { path: ".opencode/strata/state/extraction/learned.jsonl" },
  { path: ".opencode/strata/state/extraction/past-sessions.json" },
];
