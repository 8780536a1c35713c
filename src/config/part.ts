import type * as z from "zod";

/**
 * What a layer adds to the settings: one group or more, each with its own switch. Its `settings.ts` adds the types of
 * its groups to `Config` and `StrataOptions` in `schema.ts`.
 */
export interface SettingsPart {
  /** By group: the values of someone who sets nothing. Apart from the schemas, so that reading them does not load zod. */
  readonly defaults: Readonly<Record<string, { readonly enabled: boolean }>>;
  /** By group. Called only where there is something to check. */
  loadSchemas(): Promise<Readonly<Record<string, z.ZodObject>>>;
}

/** The names of the groups, each of which switches something on and off. */
export const listSwitches = (parts: readonly SettingsPart[]): string[] =>
  parts.flatMap(({ defaults }) => Object.keys(defaults));

export const isSwitchedOn = (config: object, group: string): boolean =>
  (config as Readonly<Record<string, { enabled?: boolean } | undefined>>)[group]?.enabled === true;
