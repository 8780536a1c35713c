export const defaults = {
  microCompact: {
    enabled: true,
    idleMinutes: 60,
    floor: 6_000,
    horizon: 5,
    cacheMinutes: {},
    tools: {},
  },
} as const;
