export const defaults = {
  dream: { enabled: true, interval: 3_600_000, maxRuntime: 600_000 },
} as const;
