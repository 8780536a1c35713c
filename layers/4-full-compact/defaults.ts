export const defaults = {
  autoCompact: {
    enabled: true,
    threshold: 140_000,
    coldThreshold: 80_000,
    retryLimit: 3,
    summaryTimeout: 180_000,
  },
} as const;
