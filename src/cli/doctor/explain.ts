import { listFields, readPath } from "../../config/owners.js";
import type { Config, ConfigSchema } from "../../config/schema.js";
import type { Source } from "../../config/sources.js";

/** A setting's value, and where it comes from. */
export interface ExplainedSetting {
  /** `toolResults.threshold` */
  key: string;
  value: unknown;
  /** A file, or "default". */
  from: string;
}

/** Every setting with the strongest valid source that gives it its value. */
export function explainSettings(
  configSchema: ConfigSchema,
  config: Config,
  sources: readonly Source[],
): ExplainedSetting[] {
  const fields = listFields(configSchema);
  const anyones = new Set(fields.filter(({ owner }) => owner === "anyone").map(({ path }) => path.join(".")));
  const usual = configSchema.parse({});
  const given = fields.flatMap(({ path }) => {
    const value = readPath(config, path);
    return value === undefined ? [] : [{ path, value }];
  });
  return given.map(({ path, value }) => {
    const key = path.join(".");
    const having = sources.filter(({ settings }) => isSame(readPath(settings, path), value));
    const users = having.findLast(({ origin }) => origin === "user");
    // For a setting reserved to the user, a project counts only if it lowered the value.
    const isProjects = anyones.has(key) || (!users && !isSame(readPath(usual, path), value));
    return { key, value, from: (isProjects ? having.at(-1) : users)?.file ?? "default" };
  });
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
