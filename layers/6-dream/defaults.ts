export const defaults = {
  dream: { enabled: true, interval: 3_600_000, maxRuntime: 600_000, maxTokens: 50_000 },
} as const;
