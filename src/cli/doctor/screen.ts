/** Whether OpenCode's TUI loads the plugin's part of the screen. That of OpenCode 1 has a configuration of its own. */
import { dirname, join } from "node:path";
import { isRecord, parseJson } from "../../base/shape.js";
import {
  findInstalledFile,
  isStrata,
  PACKAGE,
  readPluginEntries,
  resolveSpec,
} from "../../config/plugin-entries.js";
import { findScreenRecord, listScreenFiles } from "../../host/screen-files.js";
import { type Finding, fine, note, warning } from "../../operations/doctor/machine.js";
import type { Project } from "../../operations/project.js";
import { findGlobalFolder } from "../../project/opencode-files.js";
import { type Configured, formatTime } from "./configured.js";

const RESTART = "restart OpenCode: its TUI reads tui.json only at the start";

/** About OpenCode 1. Later ones load both halves by one entry. */
export async function checkScreen({ cli, root }: Project): Promise<Finding[]> {
  const { env, files, folder, home } = cli;
  const screenFiles = listScreenFiles({ directory: folder, project: root, home, env });
  const entries = (await readPluginEntries(files, screenFiles)).filter(isStrata);
  const entry = entries.at(-1);
  if (!entry) {
    const what = `no tui.json names ${PACKAGE}: OpenCode shows no sidebar, dialogs or keys of it; its commands answer as text`;
    return [note(what, "strata init")];
  }
  const { file, spec } = entry;
  const place = `"${spec}" in ${file}`;
  const specs = new Set(entries.map((one) => resolveSpec(one.spec, dirname(one.file)) ?? one.spec));
  if (specs.size > 1) {
    const places = entries.map((one) => `"${one.spec}" in ${one.file}`);
    return [
      warning(`the sidebar is configured ${specs.size} times: ${places.join(", ")}`, "keep one of them"),
    ];
  }
  if (findInstalledFile(spec) !== undefined) {
    const what = `${place} is an archive, of which OpenCode's TUI loads nothing`;
    return [warning(what, "install it with npm, then run strata init --remove and strata init")];
  }
  const lastMs = await readLastLoaded(cli);
  return [
    lastMs === undefined
      ? note(`the sidebar is configured, ${place}, but OpenCode's TUI has not loaded it yet`, RESTART)
      : fine(
          `the sidebar is configured, ${place}; OpenCode's TUI last loaded it at ${formatTime(lastMs)}, in any project`,
        ),
  ];
}

async function readLastLoaded({ env, files, home }: Project["cli"]): Promise<number | undefined> {
  const contents = await files.read(findScreenRecord({ env, home })).catch(() => undefined);
  const all = contents && parseJson(new TextDecoder().decode(contents));
  const own = isRecord(all) ? all[PACKAGE] : undefined;
  return isRecord(own) && typeof own.last_time === "number" ? own.last_time : undefined;
}

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
