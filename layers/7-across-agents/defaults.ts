export const defaults = {
  crossAgent: { enabled: true, onConflict: "warn", forkTimeout: 300_000, forkTokens: 200_000 },
} as const;
