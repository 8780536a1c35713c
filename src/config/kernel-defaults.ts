/** Defaults of the kernel's own settings. Kept out of the schema, so that reading them does not load zod. */
export const kernelDefaults = {
  background: { enabled: "auto", dailyCalls: 100, dailyTokens: 200_000 },
  trust: { projects: [], remotes: [] },
  enabled: true,
  sync: { pullOnStart: true, worktrees: "auto" },
  log: { level: "info" },
  linkedFolders: [] as string[],
  committedFolders: [] as string[],
} as const;
