export const defaults = { errors: { enabled: true } } as const;
