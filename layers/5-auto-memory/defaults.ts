export const defaults = {
  autoMemory: { enabled: true, maxLines: 200, maxSize: 25_000 },
  recall: { enabled: true },
} as const;
