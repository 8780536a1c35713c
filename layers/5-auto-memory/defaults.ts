export const defaults = {
  autoMemory: { enabled: true, maxLines: 200, maxSize: 25_000 },
  recall: { enabled: true, embeddings: { timeoutMs: 10_000, allowPrivate: false } },
} as const;
