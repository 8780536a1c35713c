/**
 * Facts that files of a project state: a table says which fields of which file state what. A fact quotes its file: each
 * piece of inline code in its content is a value of the file as written there, or its beginning followed by "…".
 * Nothing is inferred.
 */
import { isRecord, type PlainRecord } from "../../base/shape.js";
import { toCode, toLine } from "../../base/text.js";
import { parseConfig } from "../../config/plugin-entries.js";
import { readRules } from "./rules.js";
import { type Fact, type Reader, toValues } from "./taken.js";

interface SourceKind {
  /** Matches the end of the path, with `/`. */
  pattern: RegExp;
  read: Reader;
}

/** The kind of the file at this path, with `/`. */
export const findKind = (path: string): SourceKind | undefined =>
  sourceKinds.find(({ pattern }) => pattern.test(path));

/* A fact as text: a sentence, and a list of values. */

/** A line of a fact: a name and its values, or values alone. */
interface Row {
  name?: string;
  values: readonly string[];
  /** The name is a heading for the rows that follow. */
  isHeading?: true;
}

const MOST_VALUE_CHARACTERS = 240;
const MOST_VALUES = 12;
const MOST_ROWS = 40;

/** Nothing without rows. */
function listFact({ lead, rows, ...rest }: Omit<Fact, "content"> & { lead: string; rows: Row[] }): Fact[] {
  const named = rows.filter(({ name, values }) => values.length > 0 || name !== undefined);
  if (named.length === 0) return [];
  const left = named.length - MOST_ROWS;
  const lines = named.slice(0, MOST_ROWS).map(formatRow);
  const more = left > 0 ? [`(${left} more in the file)`] : [];
  return [{ ...rest, title: toLine(rest.title, 100), content: [lead, ...lines, ...more].join("\n") }];
}

function formatRow({ isHeading, name, values }: Row): string {
  const shown = values.slice(0, MOST_VALUES).map((value) => toCode(value, MOST_VALUE_CHARACTERS));
  const more = values.length > MOST_VALUES ? [`${values.length - MOST_VALUES} more`] : [];
  const list = [...shown, ...more].join(", ");
  const head = name === undefined ? "" : toCode(name, MOST_VALUE_CHARACTERS);
  return `- ${[head, list].filter(Boolean).join(": ")}${isHeading && list === "" ? ":" : ""}`;
}

const recordOf = (value: unknown): PlainRecord => (isRecord(value) ? value : {});

/** The lines of a text, each cut to a maximum length: expressions with several parts are slow on long lines. */
const splitLines = (text: string): string[] => text.split(/\r?\n/).map((line) => line.slice(0, 1_000));

/* Manifests. */

type Subject = "about" | "commands" | "versions" | "layout" | "dependencies";

const subjects: Record<Subject, Pick<Fact, "type" | "title" | "importance"> & { says: string }> = {
  about: { title: "What NAME is", says: "says", type: "knowledge", importance: 0.55 },
  commands: { title: "Commands of NAME", says: "names these commands", type: "procedure", importance: 0.65 },
  versions: { title: "Versions that NAME needs", says: "asks for", type: "knowledge", importance: 0.45 },
  layout: {
    ...{ title: "Entry points and workspaces of NAME", says: "names these entry points and folders" },
    ...{ type: "knowledge", importance: 0.5 },
  },
  dependencies: { title: "Dependencies of NAME", says: "depends on", type: "knowledge", importance: 0.4 },
};

interface Manifest {
  parse(text: string): PlainRecord | Promise<PlainRecord>;
  name: readonly string[];
  /** How its commands are run: other words to find them by. */
  run?: readonly string[];
  /**
   * Paths of fields by subject; `*` stands for any name. A record gives a row for each of its entries, a list one for
   * itself, or with `[]` one for each value.
   */
  fields: Partial<Record<Subject, readonly string[]>>;
}

const readManifest =
  ({ fields, name: names, parse, run }: Manifest): Reader =>
  async (text, path) => {
    const tree = await parse(text);
    const [name = path] = names.flatMap((one) => findAll(tree, one.split("/"))).flatMap(toValues);
    return Object.entries(subjects).flatMap(([key, { says, title, ...subject }]) =>
      listFact({
        ...{ key, ...subject, title: title.replace("NAME", () => name), lead: `${path} ${says}:` },
        ...(key === "commands" && run && { aliases: run }),
        rows: (fields[key as Subject] ?? []).flatMap((field) => listRows(tree, field)),
      }),
    );
  };

function listRows(tree: PlainRecord, field: string): Row[] {
  const parts = field.replace(/\[\]$/, "").split("/");
  return findAll(tree, parts).flatMap((value): Row[] => {
    if (field.endsWith("[]")) return toValues(value).map((one) => ({ values: [one] }));
    // `[[bin]]` of a Cargo.toml.
    if (Array.isArray(value) && value.some(isRecord))
      return value.map(recordOf).map(({ name, path }) => ({ name: String(name), values: toValues(path) }));
    const values = toValues(value).map((one) => one.trim());
    if (!isRecord(value)) return values.length > 0 ? [{ name: parts.at(-1) ?? "", values }] : [];
    return Object.entries(value).flatMap(([name, entry]) => toRow(name, entry));
  });
}

/** What `npm init` writes if there are no tests. */
const NO_TEST = /^echo \\?"Error: no test specified\\?" && exit 1$/;

/** `name = "1"`, `name = { version = "1" }`, or without a version if it has another source. */
function toRow(name: string, value: unknown): Row[] {
  const values = toValues(isRecord(value) ? value.version : value);
  const isShown = isRecord(value) || values.length > 0;
  return isShown && !values.some((one) => NO_TEST.test(one)) ? [{ name, values }] : [];
}

function findAll(value: unknown, [part, ...rest]: readonly string[]): unknown[] {
  if (part === undefined) return value === undefined ? [] : [value];
  const entries = Object.entries(recordOf(value)).filter(([name]) => part === "*" || part === name);
  return entries.flatMap(([, one]) => findAll(one, rest));
}

async function parseJson(text: string): Promise<PlainRecord> {
  const value = await parseConfig(text);
  if (typeof value === "string") throw new SyntaxError(value);
  return value;
}

/** The parsers take about 1 µs for a character of TOML, and 10 µs for a newline, a bracket and the like of YAML. */
const [MOST_TOML, MOST_SIGNS] = [48 * 1024, 3_000];

async function parseToml(text: string): Promise<PlainRecord> {
  if (text.length > MOST_TOML) throw new RangeError(`it has more than ${MOST_TOML} characters`);
  // The parser takes cubic time for many dots.
  for (const line of text.split("\n"))
    if ((line.split("=", 1)[0] ?? "").split(".").length > 50 || line.split(".").length > 1_000)
      throw new RangeError("a line has more dots than any manifest needs");
  const { default: toml } = await import("toml");
  return recordOf(toml.parse(text));
}

/** Direct dependencies only: a comment marks those of dependencies. */
function parseGoMod(text: string): PlainRecord {
  const tree: PlainRecord & { require: PlainRecord } = { require: {} };
  for (const line of splitLines(text)) {
    const [, directive, value] = /^(module|go|toolchain)\s+"?([^\s"]+)/.exec(line) ?? [];
    if (directive !== undefined) tree[directive] = value;
    const [, module, version] = /^\s*(?:require\s+)?([\w/~-]+\.[\w./~-]+)\s+(v\d\S*)/.exec(line) ?? [];
    if (module !== undefined && !/\/\/\s*indirect/.test(line)) tree.require[module] = version;
  }
  return tree;
}

/** Targets; if there is a `.PHONY` line, only those that it names, as the others are files. */
function parseMakefile(text: string): PlainRecord {
  const lines = splitLines(text.replace(/\\\r?\n/g, " "));
  const phony = lines.flatMap((line) => /^\.PHONY\s*:(.*)$/.exec(line)?.[1]?.trim().split(/\s+/) ?? []);
  const targets = lines.flatMap((line) => {
    // By convention, `##` after a target begins its help.
    const [, name, help] = /^([A-Za-z0-9][\w./-]*)\s*:(?![=:])(?:[^#]*##\s*(.*))?/.exec(line) ?? [];
    return name !== undefined && (phony.length === 0 || phony.includes(name))
      ? [[name, { version: help }]]
      : [];
  });
  return { targets: Object.fromEntries(targets) };
}

const readPackageJson = readManifest({
  parse: parseJson,
  name: ["name"],
  run: ["npm run", "build", "test"],
  fields: {
    about: ["description"],
    commands: ["scripts"],
    versions: ["engines", "packageManager"],
    layout: ["main", "module", "types", "bin", "workspaces", "workspaces/packages", "files"],
    dependencies: ["dependencies", "devDependencies"],
  },
});

const readPyproject = readManifest({
  parse: parseToml,
  name: ["project/name", "tool/poetry/name"],
  fields: {
    about: ["project/description", "tool/poetry/description"],
    commands: ["tool/poetry/scripts", "project/scripts"],
    versions: ["project/requires-python", "tool/poetry/dependencies/python", "build-system/build-backend"],
    layout: ["tool/uv/workspace/members[]"],
    dependencies: [
      ...["project/dependencies[]", "project/optional-dependencies", "dependency-groups"],
      ...["tool/poetry/dependencies", "tool/poetry/group/*/dependencies"],
    ],
  },
});

const readCargo = readManifest({
  parse: parseToml,
  name: ["package/name"],
  fields: {
    about: ["package/description"],
    versions: [
      ...["workspace/package/edition", "workspace/package/rust-version"],
      ...["package/edition", "package/rust-version"],
    ],
    layout: ["workspace/members[]", "bin"],
    dependencies: [
      ...["dependencies", "dev-dependencies", "build-dependencies"],
      ...["target/*/dependencies", "workspace/dependencies"],
    ],
  },
});

const readGoMod = readManifest({
  parse: parseGoMod,
  name: ["module"],
  fields: { versions: ["module", "go", "toolchain"], dependencies: ["require"] },
});

const readMakefile = readManifest({
  ...{ parse: parseMakefile, name: [], run: ["make"], fields: { commands: ["targets"] } },
});

/* What CI runs, by job. */

async function parseYaml(text: string): Promise<PlainRecord> {
  if ((text.match(/[^\w\s.]|\n/g)?.length ?? 0) > MOST_SIGNS)
    throw new RangeError(`it has more than ${MOST_SIGNS} lines and signs such as brackets`);
  const { parseDocument } = await import("yaml");
  // Every scalar stays as written: 3.10 is a version, not a number. The checks left out take quadratic time.
  const options = { logLevel: "error", merge: true, schema: "failsafe" } as const;
  const document = parseDocument(text, { ...options, uniqueKeys: false, prettyErrors: false });
  const [error] = document.errors;
  const { findFault } = await import("../../memory/memory-file.js");
  const fault = error?.message ?? findFault(document.contents, 0);
  if (fault !== undefined) throw new SyntaxError(fault);
  return recordOf(document.toJS());
}

const readWorkflow: Reader = async (text, path) => {
  const { jobs, name } = await parseYaml(text);
  const rows = Object.entries(recordOf(jobs)).flatMap(([job, settings]): Row[] => {
    const { "runs-on": machine, steps, strategy, uses } = recordOf(settings);
    const matrix = Object.entries(recordOf(recordOf(strategy).matrix)).flatMap(([axis, values]) => {
      const all = toValues(values);
      return all.length > 0 ? [{ name: axis, values: all }] : [];
    });
    const scripts = [steps].flat().map((step) => recordOf(step).run);
    return [
      { name: job, values: toValues(machine ?? uses), isHeading: true },
      ...matrix,
      ...toCommands(scripts),
    ];
  });
  return formatCI(path, rows, toValues(name)[0]);
};

/** Every entry with a `script` is a job. */
const readGitlab: Reader = async (text, path) => {
  const config = await parseYaml(text);
  const rows = Object.entries(config).flatMap(([job, settings]): Row[] => {
    const { before_script: before, image, script } = recordOf(settings);
    if (script === undefined) return [];
    return [{ name: job, values: toValues(image), isHeading: true }, ...toCommands([before, script].flat())];
  });
  const images = toValues(config.image).map((image) => ({ name: "image", values: [image] }));
  return formatCI(path, [...images, ...rows]);
};

function formatCI(path: string, rows: Row[], name?: string): readonly Fact[] {
  return listFact({
    ...{ key: "ci", type: "procedure", importance: 0.5, rows },
    title: `What CI runs${name === undefined ? "" : `: ${name}`} (${path})`,
    aliases: ["continuous integration", "pipeline"],
    lead: `${path} runs, by job:`,
  });
}

/** A line with one of these belongs to a shell program and means nothing by itself. */
const PROGRAM =
  /^(if|then|else|elif|fi|for|while|until|do|done|case|esac|function)\b|;\s*(then|do)$|<<-?\s*['"]?\w/;

/** The lines of these scripts, without shell programs. */
function toCommands(scripts: readonly unknown[]): Row[] {
  return scripts.flatMap(toValues).flatMap((script) => {
    const lines = script.split("\n").map((line) => line.trim());
    if (lines.some((line) => PROGRAM.test(line))) return [];
    return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => ({ values: [line] }));
  });
}

/* A README: its first paragraph of plain text, and the commands in its blocks of shell, by heading. */

const SHELLS = new Set(["sh", "bash", "shell", "console", "shell-session", "zsh", "terminal"]);
const MOST_PARAGRAPH_CHARACTERS = 900;

const readReadme: Reader = (text, path) => {
  const lines = splitLines(text);
  const paragraph: string[] = [];
  const rows: Row[] = [];
  let [heading, shown]: string[] = [];
  let [isDone, length] = [false, 0];
  let fence: { mark: string; isShell: boolean } | undefined;
  for (const [n, line] of lines.entries()) {
    const [, mark, language = ""] = /^ {0,3}(`{3,}|~{3,})\s*([\w-]*)/.exec(line) ?? [];
    const command = line.trim().replace(/^[$>]\s+/, "");
    const title = findHeading(line, lines[n + 1]);
    if (fence) {
      if (mark?.startsWith(fence.mark)) fence = undefined;
      else if (fence.isShell && command !== "" && !command.startsWith("#")) {
        if (heading !== undefined && heading !== shown)
          rows.push({ name: heading, values: [], isHeading: true });
        shown = heading;
        rows.push({ values: [command] });
      }
    } else if (mark !== undefined) fence = { mark, isShell: SHELLS.has(language.toLowerCase()) };
    else if (title !== undefined) heading = title;
    else if (!isDone && isProse(line)) {
      length += line.length + 1;
      if (length <= MOST_PARAGRAPH_CHARACTERS || paragraph.length === 0)
        paragraph.push(
          line
            .replace(/\p{Cc}+/gu, " ")
            .trim()
            .slice(0, MOST_PARAGRAPH_CHARACTERS),
        );
      continue;
    }
    isDone ||= paragraph.length > 0;
  }
  const about: Fact = {
    ...{ key: "about", type: "knowledge", importance: 0.5, title: toLine(`How ${path} begins`, 100) },
    content: `${path} begins:\n${paragraph.map((line) => `> ${line}`).join("\n")}`,
  };
  const commands = listFact({
    ...{ key: "commands", type: "procedure", importance: 0.5, title: `Commands in ${path}`, rows },
    lead: `${path} shows these commands, by heading:`,
  });
  return [...(paragraph.length > 0 ? [about] : []), ...commands];
};

/** The title in a line that begins with `#`, or has its underline below. */
function findHeading(line: string, next = ""): string | undefined {
  if (/^ {0,3}(={2,}|-{2,})\s*$/.test(next) && /\p{L}/u.test(line)) return line.trim();
  const title = /^ {0,3}#{1,6}\s(.*)$/.exec(line)?.[1]?.trim();
  return title?.replace(/(^|\s)#+$/, "").trimEnd();
}

/** Not markup, a badge, a quotation, a table or a line of signs. */
const isProse = (line: string): boolean =>
  /\p{L}/u.test(line) && !/^\s*([<|>!]|\[!?\[|\[[^\]]*\]:|[-*+=]{3,})/.test(line);

const sourceKinds: readonly SourceKind[] = [
  { pattern: /(^|\/)package\.json$/, read: readPackageJson },
  { pattern: /(^|\/)pyproject\.toml$/, read: readPyproject },
  { pattern: /(^|\/)Cargo\.toml$/, read: readCargo },
  { pattern: /(^|\/)go\.mod$/, read: readGoMod },
  { pattern: /(^|\/)(GNU)?[Mm]akefile$/, read: readMakefile },
  { pattern: /(^|\/)\.github\/workflows\/[^/]+\.ya?ml$/, read: readWorkflow },
  { pattern: /(^|\/)\.gitlab-ci\.yml$/, read: readGitlab },
  { pattern: /(^|\/)readme(\.md|\.markdown)?$/i, read: readReadme },
  { pattern: /(^|\/)CLAUDE(\.local)?\.md$/, read: readRules },
  { pattern: /(^|\/)\.(cursor|windsurf)rules$/, read: readRules },
  { pattern: /(^|\/)\.(cursor|windsurf)\/rules\/.+\.mdc?$/, read: readRules },
  { pattern: /(^|\/)\.github\/copilot-instructions\.md$/, read: readRules },
  { pattern: /(^|\/)\.github\/instructions\/.+\.instructions\.md$/, read: readRules },
];
