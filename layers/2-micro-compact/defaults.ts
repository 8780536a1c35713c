export const defaults = {
  microCompact: {
    enabled: true,
    idleMinutes: 60,
    keepRecent: 5,
    horizon: 10,
    floor: 6_000,
    cacheMinutes: {},
  },
} as const;
