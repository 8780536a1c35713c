export const defaults = {
  toolResults: {
    enabled: true,
    threshold: 30_000,
    perTool: {},
    turnBudget: 200_000,
    maxAgeDays: 30,
    maxTotalMegabytes: 1_000,
  },
} as const;
