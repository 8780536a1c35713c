export const defaults = {
  autoCompact: {
    enabled: true,
    threshold: 80_000,
    coldThreshold: false,
    retryLimit: 3,
    summaryTimeout: 180_000,
  },
} as const;
