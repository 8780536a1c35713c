/** Facts of package.json, pyproject.toml and Cargo.toml: a table says which of their fields state what. Pure. */
import toml from "toml";
import { isRecord, type PlainRecord } from "../../../base/shape.js";
import { parseConfig } from "../../../config/config-files.js";
import { type Fact, listFact, type Reader, type Row, toTitle, toValues } from "../fact.js";

/** A subject of the facts of a manifest. */
type Subject = "about" | "commands" | "versions" | "layout" | "dependencies";

/**
 * Fields by subject, as paths in which `*` stands for any name. A record gives a row for each of its entries, a list one
 * for itself, or with `[]` one for each value.
 */
type Fields = Readonly<Partial<Record<Subject, readonly string[]>>>;

interface Manifest {
  parse(text: string): Promise<PlainRecord>;
  /** Where its name stands. */
  name: readonly string[];
  fields: Fields;
  /** Other words to find its commands by. */
  aliases?: readonly string[];
}

const subjects: Readonly<
  Record<Subject, Pick<Fact, "type" | "importance"> & { title(name: string): string; says: string }>
> = {
  about: { type: "knowledge", importance: 0.55, title: (name) => `What ${name} is`, says: "says" },
  commands: {
    type: "procedure",
    importance: 0.65,
    title: (name) => `Scripts of ${name}`,
    says: "names these scripts",
  },
  versions: {
    type: "knowledge",
    importance: 0.45,
    title: (name) => `Versions that ${name} needs`,
    says: "asks for",
  },
  layout: {
    type: "knowledge",
    importance: 0.5,
    title: (name) => `Entry points and workspaces of ${name}`,
    says: "names these entry points and folders",
  },
  dependencies: {
    type: "knowledge",
    importance: 0.4,
    title: (name) => `Dependencies of ${name}`,
    says: "depends on",
  },
};

const packageJson: Manifest = {
  parse: parseJson,
  name: ["name"],
  aliases: ["npm run", "build", "test"],
  fields: {
    about: ["description"],
    commands: ["scripts"],
    versions: ["engines", "packageManager"],
    layout: ["main", "module", "types", "bin", "workspaces", "workspaces/packages", "files"],
    dependencies: ["dependencies", "devDependencies"],
  },
};

const pyproject: Manifest = {
  parse: parseToml,
  name: ["project/name", "tool/poetry/name"],
  fields: {
    about: ["project/description", "tool/poetry/description"],
    commands: ["tool/poetry/scripts", "project/scripts"],
    versions: ["project/requires-python", "tool/poetry/dependencies/python", "build-system/build-backend"],
    layout: ["tool/uv/workspace/members[]"],
    dependencies: [
      "project/dependencies[]",
      "project/optional-dependencies",
      "dependency-groups",
      "tool/poetry/dependencies",
      "tool/poetry/group/*/dependencies",
    ],
  },
};

const cargo: Manifest = {
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
};

export const readPackageJson: Reader = (text, path) => readManifest(packageJson, text, path);
export const readPyproject: Reader = (text, path) => readManifest(pyproject, text, path);
export const readCargo: Reader = (text, path) => readManifest(cargo, text, path);

async function readManifest(
  { aliases, fields, name: names, parse }: Manifest,
  text: string,
  path: string,
): Promise<readonly Fact[]> {
  const tree = await parse(text);
  const [name = path] = names.flatMap((one) => findAll(tree, one.split("/"))).flatMap(toValues);
  return Object.entries(subjects).flatMap(([key, { says, title, ...subject }]) =>
    listFact({
      ...{ key, ...subject, title: toTitle(title(name)), lead: `${path} ${says}:` },
      ...(key === "commands" && aliases && { aliases }),
      rows: (fields[key as Subject] ?? []).flatMap((field) => listRows(tree, field)),
    }),
  );
}

/** What `npm init` writes if there are no tests. */
const NO_TEST = /^echo \\?"Error: no test specified\\?" && exit 1$/;

function listRows(tree: PlainRecord, field: string): Row[] {
  const parts = field.replace(/\[\]$/, "").split("/");
  const name = parts.at(-1) ?? field;
  return findAll(tree, parts).flatMap((value): Row[] => {
    if (field.endsWith("[]")) return toValues(value).map((one) => ({ values: [one] }));
    if (Array.isArray(value) && value.some(isRecord)) return value.flatMap(toNamedRow);
    if (!isRecord(value))
      return toValues(value).length > 0 ? [{ name, values: toValues(value).map((one) => one.trim()) }] : [];
    return Object.entries(value).flatMap(([key, entry]) => toRow(key, entry));
  });
}

/** `[[bin]]` of a Cargo.toml. */
function toNamedRow(value: unknown): Row[] {
  const { name, path } = isRecord(value) ? value : {};
  return typeof name === "string" ? [{ name, values: toValues(path) }] : [];
}

/** `name = "1"`, `name = { version = "1" }`, or without a version if it has another source. */
function toRow(name: string, value: unknown): Row[] {
  const values = toValues(isRecord(value) ? value.version : value);
  const isShown = isRecord(value) || values.length > 0;
  return isShown && !values.some((one) => NO_TEST.test(one)) ? [{ name, values }] : [];
}

/** The values at this path; `*` stands for any name. */
function findAll(value: unknown, [part, ...rest]: readonly string[]): unknown[] {
  if (part === undefined) return value === undefined ? [] : [value];
  if (!isRecord(value)) return [];
  return part === "*"
    ? Object.values(value).flatMap((one) => findAll(one, rest))
    : Object.hasOwn(value, part)
      ? findAll(value[part], rest)
      : [];
}

async function parseJson(text: string): Promise<PlainRecord> {
  const value = await parseConfig(text);
  if (typeof value === "string") throw new SyntaxError(value);
  return value;
}

async function parseToml(text: string): Promise<PlainRecord> {
  for (const line of text.split("\n")) {
    const [key = ""] = line.split("=", 1);
    // The parser takes cubic time for many dots.
    if (countDots(key) > MOST_DOTS_OF_KEY || countDots(line) > MOST_DOTS_OF_LINE)
      throw new RangeError("a line has more dots than any manifest needs");
  }
  const table: unknown = toml.parse(text);
  return isRecord(table) ? table : {};
}

const [MOST_DOTS_OF_KEY, MOST_DOTS_OF_LINE] = [50, 1_000];
const countDots = (text: string): number => text.split(".").length - 1;
