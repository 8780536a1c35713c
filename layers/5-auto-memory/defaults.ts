import type { MemoryType } from "../../src/memory/memory.js";

export const defaults = {
  autoMemory: {
    enabled: true,
    judge: "auto" as "auto" | "model" | "agent" | "off",
    keepOutOfGit: ["preference", "feedback"] as readonly MemoryType[],
    maxLines: 200,
    maxSize: 25_000,
    pastSessions: false,
  },
  findings: { enabled: true },
  boot: {
    enabled: true,
    activeSessions: true,
    blockers: true,
    directives: true,
    recentDecisions: false,
    maxItems: 200,
  },
  recall: {
    enabled: true,
    embeddings: { timeoutMs: 10_000, allowPrivate: false },
    entities: { background: false, hosts: [] },
  },
} as const;
