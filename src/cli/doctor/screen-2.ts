/** Whether OpenCode 2 shows the plugin's part of the screen. The entry of the plugin loads it, and its TUI has a list of its own. */
import { dirname, join } from "node:path";
import { isStrata, readPluginEntries, resolveSpec } from "../../config/plugin-entries.js";
import { findGlobalFolder } from "../../host/config-files.js";
import type { Project } from "../project.js";
import type { Configured } from "./configured.js";
import { type Finding, note, warning } from "./finding.js";

export async function checkScreen2({ cli }: Project, configured: Configured): Promise<Finding[]> {
  const { files } = cli;
  const path = join(findGlobalFolder(cli), "cli.json");
  const entries = (await readPluginEntries(files, [{ path, origin: "user" }])).filter(isStrata);
  const findings: Finding[] = [];
  const isFile = async (target: string): Promise<boolean> => (await files.stat(target))?.kind === "file";
  // Where OpenCode loads files by themselves, it looks for no second half beside them.
  if (configured.spec === configured.place && (await isFile(configured.spec)))
    findings.push(
      note(
        `${configured.place} is a file, which OpenCode 2 loads without its sidebar and dialogs`,
        "remove the file, then run strata init",
      ),
    );
  for (const { file, spec } of entries) {
    const target = resolveSpec(spec, dirname(file));
    const names = target === undefined ? undefined : await files.list(target).catch(() => []);
    if (!names || names.some((name) => /^tui(\.[cm]?[jt]sx?)?$/.test(name))) continue;
    const what = `"${spec}" in ${file} has no tui.js, so the TUI of OpenCode 2 shows nothing of it`;
    findings.push(
      warning(what, "strata init --global --remove; the entry in opencode.json loads both halves"),
    );
  }
  return findings;
}
