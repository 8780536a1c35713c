import type { FileKind } from "../../src/file-kinds.js";

export const files: readonly FileKind[] = [
  { path: ".opencode/session-memory/<id>.md" },
  {
    path: ".opencode/session-memory/<id>.previous.md",
    expiry: { what: "an earlier version of notes", days: 1 },
  },
  { path: ".opencode/session-memory/<id>.json" },
  { path: ".opencode/session-memory/.gitignore" },
];
