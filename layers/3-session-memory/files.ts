import type { FileKind } from "../../src/kernel/file-kinds.js";

export const files: readonly FileKind[] = [
  { path: ".opencode/session-memory/<id>.md" },
  {
    path: ".opencode/session-memory/<id>.previous.md",
    expiry: { what: "an earlier version of notes", days: 1 },
  },
  { path: ".opencode/session-memory/<id>.json" },
  ...["<id>.md", "<id>.previous.md", "<id>.json"].map((name) => ({
    path: `.opencode/session-memory/archive/${name}`,
    expiry: { what: "archived notes of an unused session", days: 30 },
  })),
  { path: ".opencode/session-memory/.gitignore" },
];
