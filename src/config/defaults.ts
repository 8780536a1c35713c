import { kernelDefaults } from "./kernel-defaults.js";
import type { SettingsPart } from "./part.js";
import type { Config } from "./schema.js";

/** The settings of someone who sets nothing. */
export function composeDefaults(parts: readonly SettingsPart[]): Config {
  const groups = parts.map(({ defaults }) => defaults);
  // Each layer's part of `Config` has the type of its own schema, and a test compares the two.
  return structuredClone(Object.assign({}, ...groups, kernelDefaults)) as Config;
}
