import type { MemoryType } from "../../src/memory/memory.js";

export const defaults = {
  autoMemory: {
    enabled: true,
    keepOutOfGit: ["preference", "feedback"] as readonly MemoryType[],
    maxLines: 200,
    maxSize: 25_000,
  },
  recall: {
    enabled: true,
    embeddings: { timeoutMs: 10_000, allowPrivate: false },
    entities: { background: false, hosts: [] },
  },
} as const;
