import type * as z from "zod";

/**
 * Settings of a layer: one group or more, each with its own switch. The layer's `settings.ts` adds the types of its
 * groups to `Config` and `StrataOptions` in `schema.ts`.
 */
export interface SettingsPart {
  /** Defaults by group. Kept out of the schemas, so that reading them does not load zod. */
  readonly defaults: Readonly<Record<string, { readonly enabled: boolean }>>;
  /** Schemas by group. Called only if there are settings to check. */
  loadSchemas(): Promise<Readonly<Record<string, z.ZodObject>>>;
}

/** Names of the groups, each of which has a switch. */
export const listSwitches = (parts: readonly SettingsPart[]): string[] =>
  parts.flatMap(({ defaults }) => Object.keys(defaults));

export const isSwitchedOn = (config: object, group: string): boolean =>
  (config as Readonly<Record<string, { enabled?: boolean } | undefined>>)[group]?.enabled === true;

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
