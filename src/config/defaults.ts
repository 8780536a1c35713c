import { kernelDefaults } from "./kernel-defaults.js";
import type { SettingsPart } from "./part.js";
import type { Config } from "./schema.js";

/** Default values of all settings. */
export function composeDefaults(parts: readonly SettingsPart[]): Config {
  const groups = parts.map(({ defaults }) => defaults);
  // The type of each layer's part of `Config` is that of its schema; a test compares the two.
  return structuredClone(Object.assign({}, ...groups, kernelDefaults)) as Config;
}
