export const defaults = { errors: { enabled: true, maxErrorHistory: 100, onRepeat: "tell" } } as const;
