import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

/**
 * Bundles a script with its imports, for processes that must start fast. Returns the path, in `folder` or a new folder;
 * the caller removes it.
 */
export async function bundleScript(
  script: URL,
  folder = mkdtempSync(join(tmpdir(), "strata-script-")),
): Promise<string> {
  const file = join(folder, "script.mjs");
  await build({
    input: fileURLToPath(script),
    platform: "node",
    external: ["bun:sqlite"],
    logLevel: "warn",
    output: { file, format: "esm", codeSplitting: false },
  });
  return file;
}
