export const defaults = {
  autoCompact: {
    enabled: true,
    threshold: 80_000,
    coldThreshold: 80_000,
    retryLimit: 3,
    summaryTimeout: 180_000,
  },
} as const;
