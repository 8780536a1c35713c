/** Which OpenCode a person works with, for whom an entry is written. */
import { isSecond } from "../base/tested.js";
import { readConfigFiles } from "../config/config-files.js";
import type { CliContext } from "./command.js";
import { findOpenCode, readVersion } from "./doctor/opencode.js";

export interface FoundHost {
  isSecond: boolean;
  /** For the person. */
  why: string;
}

/** Settings that OpenCode 1 has under other names. */
const OF_SECOND = ["plugins", "providers", "permissions", "agents"] as const;

/** The `opencode` in the PATH; if none runs, a configuration in OpenCode 2's form; else OpenCode 1. */
export async function findHost(cli: CliContext, configFiles: readonly string[]): Promise<FoundHost> {
  const binary = await findOpenCode(cli);
  const version = binary === undefined ? undefined : await readVersion(binary, cli.clock);
  if (version !== undefined)
    return { isSecond: isSecond(version), why: `${binary} in the PATH is OpenCode ${version}` };
  const none = "no opencode in the PATH tells its version";
  const { parsed } = await readConfigFiles(
    cli.files,
    configFiles.map((path) => ({ path, origin: "user" })),
  );
  for (const { contents, path } of parsed) {
    const key = OF_SECOND.find((name) => name in contents);
    if (key !== undefined) return { isSecond: true, why: `${none}, but ${path} has OpenCode 2's "${key}"` };
  }
  return { isSecond: false, why: `${none}, and no configuration is in OpenCode 2's form` };
}
