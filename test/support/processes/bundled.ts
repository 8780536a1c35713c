import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

/**
 * Makes one file of a script and all that it imports, for processes that must start fast. Its path, for its owner to
 * remove; in `folder`, or in a new one.
 */
export async function bundleScript(
  script: URL,
  folder = mkdtempSync(join(tmpdir(), "strata-script-")),
): Promise<string> {
  const file = join(folder, "script.mjs");
  await build({
    input: fileURLToPath(script),
    platform: "node",
    logLevel: "warn",
    output: { file, format: "esm", codeSplitting: false },
  });
  return file;
}
