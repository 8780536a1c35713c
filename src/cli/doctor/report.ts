/**
 * `strata doctor --report`: one text to paste into an issue. It has versions, the entry, what the layers did last, the
 * settings that differ and the last errors. It has no words of the user and no paths: of a setting only numbers, switches
 * and their kind are shown, of an error only the plugin's own words.
 */
import { basename, join } from "node:path";
import type { LayerPulse, PulseRecord } from "../../dispatcher/pulse.js";
import { parsePulse } from "../../dispatcher/pulse.js";
import { parseJson } from "../../records.js";
import { readText } from "../../seams/files.js";
import { VERSION } from "../../version.js";
import { openOwnState } from "../open-own.js";
import type { Project } from "../project.js";
import type { Configured, OnDisk } from "./configured.js";
import type { ExplainedSetting } from "./explain.js";
import { formatTime } from "./loaded.js";

export interface ReportParts {
  configured: Configured | undefined;
  /** Version of the OpenCode in PATH. */
  host: string | undefined;
  onDisk: OnDisk | undefined;
  settings: readonly ExplainedSetting[];
}

const MOST_ERRORS = 10;
/** `2026-11-21 07:30:12.123 WARN  memory  message`; see `record/log.ts`. */
const COMPLAINT = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\S* (ERROR|WARN) +(\S+) +(.*)$/;

export async function formatReport(project: Project, parts: ReportParts): Promise<string> {
  const { cli, folders, root } = project;
  const pulses = await readPulses(project);
  const log = (await readText(cli.files, folders.log).catch(() => undefined)) ?? "";
  const { arch, platform, versions } = process;
  const [last] = pulses;
  return [
    "strata doctor --report",
    `strata       ${VERSION}, ${versions.bun ? `Bun ${versions.bun}` : `Node ${versions.node}`}, ${platform} ${arch}`,
    `OpenCode     ${parts.host ?? "not found"}${last?.host ? `, last run in ${last.host.name}` : ""}`,
    `project      ${basename(root)}`,
    `entry        ${formatEntry(parts)}`,
    `last loaded  ${last ? `${last.version} at ${formatTime(last.startedMs)}` : "never in this project"}`,
    "",
    "layers, last asked:",
    ...listOrNone(sumLayers(pulses).map(formatLayer)),
    "",
    "settings that differ:",
    ...listOrNone(parts.settings.filter(({ from }) => from !== "default").map(formatSetting)),
    "",
    `last errors and warnings, at most ${MOST_ERRORS}:`,
    ...listOrNone(
      log
        .replaceAll(root, "…")
        .replaceAll(cli.home, "…")
        .split("\n")
        .flatMap(readComplaint)
        .slice(-MOST_ERRORS),
    ),
  ].join("\n");
}

const listOrNone = (lines: readonly string[]): string[] =>
  lines.length === 0 ? ["  none"] : lines.map((line) => `  ${line}`);

function formatEntry({ configured, onDisk }: ReportParts): string {
  if (!configured) return "none: no configuration file names the plugin";
  const form = configured.isPackage
    ? "a package"
    : /\.[cm]?[jt]s$/.test(configured.spec)
      ? "a file"
      : "a folder";
  const version = onDisk?.version === undefined ? "" : `, version ${onDisk.version}`;
  return `${form}${version}${onDisk?.fault ? ", which OpenCode cannot load" : ""}`;
}

/** Newest first. */
async function readPulses(project: Project): Promise<PulseRecord[]> {
  const { folders } = project;
  // Machine state that came with a repository appears absent.
  const { files } = openOwnState(project);
  const names = await files.list(folders.pulse).catch(() => []);
  const texts = await Promise.all(
    names.map((name) => readText(files, join(folders.pulse, name)).catch(() => undefined)),
  );
  return texts
    .flatMap((text) => parsePulse(parseJson(text ?? "")) ?? [])
    .sort((a, b) => b.startedMs - a.startedMs);
}

function sumLayers(pulses: readonly PulseRecord[]): [name: string, sum: LayerPulse][] {
  const sums = new Map<string, LayerPulse>();
  for (const [name, { answered, asked, failed, lastMs }] of pulses.flatMap(({ layers }) =>
    Object.entries(layers),
  )) {
    const sum = sums.get(name) ?? { asked: 0, answered: 0, failed: 0, lastMs: 0 };
    sums.set(name, {
      asked: sum.asked + asked,
      answered: sum.answered + answered,
      failed: sum.failed + failed,
      lastMs: Math.max(sum.lastMs, lastMs),
    });
  }
  return [...sums];
}

function formatLayer([name, { answered, asked, failed, lastMs }]: [string, LayerPulse]): string {
  const failures = failed > 0 ? `, ${failed} failed` : "";
  return `${name}: ${formatTime(lastMs)}, answered ${answered} of ${asked}${failures}`;
}

/** Text, lists and maps may name models, addresses, paths or people. */
function formatSetting({ key, value }: ExplainedSetting): string {
  const isPlain = typeof value === "number" || typeof value === "boolean" || value === "auto";
  return `${key}: ${isPlain ? String(value) : `(${Array.isArray(value) ? "a list" : typeof value})`}`;
}

/** The fixed words of a message: nothing quoted, no path, id or address, and of a cause only the system's. */
function readComplaint(line: string): string[] {
  const [, time, level, source, message] = COMPLAINT.exec(line) ?? [];
  if (message === undefined) return [];
  const plain = message
    .replace(/"[^"]*"?|`[^`]*`?|'[^']*'?|“[^”]*”?/g, "…")
    .replace(/\S*[\\/@]\S*?(?=:?(?:\s|$))/g, "…")
    .replace(/\b[\w-]*\d[\w-]*\b/g, (word) => (/^\d{1,6}$/.test(word) ? word : "…"));
  const [what = "", ...causes] = plain.split(": ");
  const at = causes.findIndex((cause) => /^E[A-Z]{2,}$/.test(cause));
  const cause = at === -1 ? "" : `: ${causes.slice(at, at + 2).join(": ")}`;
  return [`${time} ${level} ${source}: ${what}${cause}`];
}
