export const defaults = {
  crossAgent: { enabled: true, onConflict: "warn" },
} as const;
