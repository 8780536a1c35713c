/** The settings of someone who sets nothing. Apart from the schema, so that they pay nothing for checking. */
export const defaults = {
  toolResults: {
    enabled: true,
    threshold: 30_000,
    perTool: {},
    turnBudget: 200_000,
    maxAgeDays: 30,
    maxTotalMegabytes: 1_000,
  },
  microCompact: {
    enabled: true,
    idleMinutes: 60,
    keepRecent: 5,
    horizon: 10,
    floor: 6_000,
    cacheMinutes: {},
  },
  sessionMemory: { enabled: true, updateThreshold: 4_096, toolCallThreshold: 10, goalRefresh: 10 },
  autoCompact: { enabled: true, threshold: 140_000, retryLimit: 3, summaryTimeout: 180_000 },
  autoMemory: { enabled: true, maxLines: 200, maxSize: 25_000 },
  dream: { enabled: true, interval: 3_600_000, maxRuntime: 600_000, maxTokens: 50_000 },
  crossAgent: { enabled: true, onConflict: "warn", forkTimeout: 300_000, forkTokens: 200_000 },
  recall: { enabled: true },
  errors: { enabled: true },
  background: { enabled: "auto", dailyCalls: 100, dailyTokens: 200_000 },
  trust: { projects: [], remotes: [] },
  log: { level: "info" },
} as const;
