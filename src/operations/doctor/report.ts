/**
 * `strata doctor --report`: one text to paste into an issue. It shows versions, names of our own, counts and times. Of
 * sentences, which may contain anything, it shows only the words that stand in a row in Strata's own code, so that no
 * path, key, id, title or word of the user's is in it.
 */
import { arch, constants, platform, release } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatCount } from "../../base/format.js";
import { VERSION } from "../../base/version.js";
import { isStrata, PACKAGE, type PluginEntry, resolveSpec } from "../../config/plugin-entries.js";
import { decodeText, type Files } from "../../io/files.js";
import { logLevels } from "../../io/log.js";
import type { CallRecord, Count, LayerCounts } from "../../kernel/calls.js";
import { findOffSwitch } from "../../kernel/layer-context.js";
import { formatSections, type Row } from "../../status/format-status.js";
import { readCallRecords } from "../../status/status.js";
import type { Project } from "../project.js";
import type { ExplainedSetting } from "./configuration.js";
import { formatTime } from "./installed.js";
import { isTrouble, type Section } from "./machine.js";

interface Reported {
  sections: readonly Section[];
  settings: readonly ExplainedSetting[];
  /** OpenCode's, if it runs. */
  version: string | undefined;
}

const MOST_LOG_LINES = 10;
const LOG_BYTES = 100_000;
/** Text that a setting may have without being free text. */
const WORDS: readonly unknown[] = [...logLevels, "auto"];

export async function formatReport(project: Project, reported: Reported): Promise<string> {
  const { cli, folders } = project;
  const { config, layers, plugins } = await project.settings();
  const code = await readOwnCode(cli.files);
  const keep = (sentence: string): string => keepOwnWords(sentence, code);
  const last = (await readCallRecords(cli.files, folders.calls)).at(-1);
  const troubles = reported.sections.flatMap(({ findings }) => findings.filter(isTrouble));
  const sections: Record<string, Row[]> = {
    Versions: describeVersions(reported.version, last),
    "Loaded by": plugins.filter(isStrata).map(describeEntry),
    Layers: layers.map((layer) => {
      const isOff = findOffSwitch(layer, config) !== undefined;
      return [layer.name, isOff ? "off" : describeLayer(last?.layers[layer.name], keep)];
    }),
    Hooks: Object.entries(last?.hooks ?? {}).map(([hook, calls]) => [hook, describeCalls(calls)]),
    "Settings that are set": await describeSettings(project, reported.settings),
    "Found by the doctor": troubles.map(({ level, what }) => [level, keep(what)]),
    "Last errors in the log": await describeLog(cli.files, folders.log, keep),
  };
  const shown = Object.entries(sections).map(([heading, rows]) => ({
    heading,
    rows: rows.length > 0 ? rows : [["", "none"] as const],
  }));
  const intro = "Without paths, keys and words of the user: … is what was left out.";
  return `${intro}\n\n${formatSections(shown, cli.style)}`;
}

function describeVersions(host: string | undefined, last: CallRecord | undefined): Row[] {
  const { bun, node } = process.versions;
  const loaded = /^\d+\.\d+\.\d+[\w.-]{0,20}$/.exec(last?.version ?? "")?.[0] ?? "of unknown version";
  const loader = /^OpenCode [\d.]+/.exec(last?.host ?? "")?.[0] ?? "OpenCode 1";
  return [
    ["strata", VERSION],
    ["plugin", last ? `${loaded}, last started ${formatTime(last.startedMs)} in ${loader}` : "never started"],
    ["OpenCode", host === undefined ? "none in the PATH that runs" : `${host}, in the PATH`],
    ["system", `${bun ? `Bun ${bun}` : `Node ${node}`}, ${platform()} ${arch()} ${release()}`],
  ];
}

/** Whose configuration names the plugin, and how. */
function describeEntry({ file, origin, spec }: PluginEntry): Row {
  const [version = ""] = /@\d+\.\d+\.\d+$/.exec(spec) ?? [];
  const isPackage = resolveSpec(spec, dirname(file)) === undefined;
  return [`the ${origin}'s`, isPackage ? `package ${PACKAGE}${version}` : "a path"];
}

function describeLayer(seen: LayerCounts | undefined, keep: (sentence: string) => string): string {
  if (!seen) return "never asked";
  const { answered, asked, failed, lastFailure = "", lastMs } = seen;
  const why = failed > 0 ? `, ${formatCount(failed)} failed: ${keep(lastFailure)}` : "";
  return `${describeCalls({ count: asked, lastMs })}, ${formatCount(answered)} answered${why}`;
}

const describeCalls = ({ count, lastMs }: Count): string =>
  `${formatCount(count)} times, last ${formatTime(lastMs)}`;

async function describeSettings(project: Project, settings: readonly ExplainedSetting[]): Promise<Row[]> {
  const { configFiles } = await project.settings();
  return settings
    .filter(({ from }) => from !== "default")
    .map(({ from, key, value }) => {
      const isShown = typeof value === "boolean" || typeof value === "number" || WORDS.includes(value);
      const origin = configFiles.find(({ path }) => path === from)?.origin ?? "plugin";
      return [key, `${isShown ? value : "…"}, from the ${origin}'s configuration`];
    });
}

async function describeLog(files: Files, path: string, keep: (sentence: string) => string): Promise<Row[]> {
  const bytes = (await files.stat(path))?.bytes ?? 0;
  const end = await files.readFrom(path, Math.max(0, bytes - LOG_BYTES));
  const lines = [
    ...(end ? decodeText(end) : "").matchAll(/^(\d[\d-]+ \d\d:\d\d):\S+ (ERROR|WARN) +([a-z-]+) +(.*)$/gm),
  ];
  return lines.slice(-MOST_LOG_LINES).map(([, time = "", level, source, message = ""]) => {
    return [time, `${level} ${source}  ${keep(message)}`];
  });
}

/** The text of Strata's own code: the built files beside this one. */
async function readOwnCode(files: Files): Promise<string> {
  const folder = dirname(fileURLToPath(import.meta.url));
  const names = (await files.list(folder)).filter((name) => /\.[jt]s$/.test(name));
  const read = await Promise.all(names.map((name) => files.read(join(folder, name))));
  return joinWords(read.map((bytes) => (bytes ? decodeText(bytes) : "")).join(" "));
}

const joinWords = (text: string): string => ` ${text.replace(/[^\p{L}\p{N}]+/gu, " ")} `;

/** So many words in a row are ours, and not a user's that our code happens to have too. */
const LEAST_ROW = 3;

/** The sentence with "…" for what does not stand in a row in this code, given as its words; error codes are kept. */
export function keepOwnWords(sentence: string, code: string): string {
  // Words at even indices, what separates them at odd ones.
  const parts = sentence.split(/([^\p{L}\p{N}]+)/u);
  const kept: string[] = [];
  for (let from = 0, to = 0; from < parts.length; from = Math.max(to, from + 2)) {
    for (to = from; to < parts.length && isIn(code, parts.slice(from, to + 1)); ) to += 2;
    const isOwn = to - from >= 2 * (from === 0 ? LEAST_ROW - 1 : LEAST_ROW);
    if (!isOwn) to = Object.hasOwn(constants.errno, parts[from] ?? "") ? from + 2 : from;
    if (to > from) kept.push(...parts.slice(from, to));
    else if (parts[from] !== "" && kept.at(-1) !== "… ") kept.push("… ");
  }
  return kept.join("").trim();
}

const isIn = (code: string, parts: readonly string[]): boolean => code.includes(joinWords(parts.join("")));
