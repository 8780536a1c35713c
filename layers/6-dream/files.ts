import type { FileKind } from "../../src/file-kinds.js";

export const files: readonly FileKind[] = [
  { path: ".opencode/memory/DREAMS.md" },
  { path: ".opencode/memory/private/DREAMS.md" },
  { path: ".opencode/strata/dream/staged.json" },
  { path: ".opencode/strata/state/dream.json" },
];
