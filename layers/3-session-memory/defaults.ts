export const defaults = {
  sessionMemory: {
    enabled: true,
    updateThreshold: 4_096,
    toolCallThreshold: 10,
    goalRefresh: 10,
    goalDistance: 32_000,
  },
} as const;
