/** Facts of TOML manifests and lock files: Python, Rust. Loads the TOML package. Pure. */
import toml from "toml";
import { isRecord, type PlainRecord } from "../../records.js";
import { listFact, type Reader, type Row, toRows, toTitle, toValues } from "../fact.js";

export const readPyproject: Reader = (text, path) => {
  const { "build-system": build, "dependency-groups": groups, project: given, tool } = readTable(text);
  const { poetry, uv } = recordOf(tool);
  const project = recordOf(given);
  const old = recordOf(poetry);
  const name = toValues(project.name ?? old.name)[0] ?? path;
  const extras = Object.entries({ ...recordOf(project["optional-dependencies"]), ...recordOf(groups) });
  const oldGroups = Object.values(recordOf(old.group)).flatMap((group) =>
    toVersions(recordOf(group).dependencies),
  );
  return [
    ...listFact({
      ...{ key: "about", type: "knowledge", importance: 0.55 },
      title: toTitle(`What ${name} is`),
      lead: `${path} describes the Python project:`,
      rows: toValues(project.description ?? old.description).map((value) => ({ name, values: [value] })),
    }),
    ...listFact({
      ...{ key: "commands", type: "procedure", importance: 0.6 },
      title: toTitle(`Commands that ${name} installs`),
      lead: `${path} installs these commands:`,
      rows: toRows({ ...recordOf(old.scripts), ...recordOf(project.scripts) }),
    }),
    ...listFact({
      ...{ key: "versions", type: "knowledge", importance: 0.45 },
      title: toTitle(`Python and build backend of ${name}`),
      aliases: ["python version"],
      lead: `${path} asks for:`,
      rows: [
        ...toRows({ "requires-python": project["requires-python"] }),
        ...toRows({ python: recordOf(old.dependencies).python }),
        ...toRows({ "build-backend": recordOf(build)["build-backend"] }),
      ],
    }),
    ...listFact({
      ...{ key: "dependencies", type: "knowledge", importance: 0.4 },
      title: toTitle(`Dependencies of ${name}`),
      lead: `${path} depends on:`,
      rows: [
        ...toValues(project.dependencies).map((value) => ({ values: [value] })),
        ...extras.map(([group, values]) => ({ name: group, values: toValues(values) })),
        ...toVersions(old.dependencies),
        ...oldGroups,
      ],
    }),
    ...listFact({
      ...{ key: "layout", type: "knowledge", importance: 0.5 },
      title: toTitle(`Workspace members of ${name}`),
      lead: `${path} names these workspace members:`,
      rows: toValues(recordOf(recordOf(uv).workspace).members).map((value) => ({ values: [value] })),
    }),
  ];
};

export const readCargo: Reader = (text, path) => {
  const manifest = readTable(text);
  const own = recordOf(manifest.package);
  const workspace = recordOf(manifest.workspace);
  const name = toValues(own.name)[0] ?? path;
  const binaries = Array.isArray(manifest.bin) ? manifest.bin.map(recordOf) : [];
  return [
    ...listFact({
      ...{ key: "about", type: "knowledge", importance: 0.55 },
      title: toTitle(`What ${name} is`),
      lead: `${path} describes the crate:`,
      rows: toValues(own.description).map((value) => ({ name, values: [value.trim()] })),
    }),
    ...listFact({
      ...{ key: "versions", type: "knowledge", importance: 0.45 },
      title: toTitle(`Rust version of ${name}`),
      lead: `${path} asks for:`,
      rows: toRows({ ...readRust(workspace.package), ...readRust(own) }),
    }),
    ...listFact({
      ...{ key: "layout", type: "knowledge", importance: 0.5 },
      title: toTitle(`Workspace members and binaries of ${name}`),
      lead: `${path} names these crates and binaries:`,
      rows: [
        ...toValues(workspace.members).map((value) => ({ values: [value] })),
        ...binaries.flatMap(({ name: binary, path: file }) =>
          typeof binary === "string" ? [{ name: binary, values: toValues(file) }] : [],
        ),
      ],
    }),
    ...listFact({
      ...{ key: "dependencies", type: "knowledge", importance: 0.4 },
      title: toTitle(`Dependencies of ${name}`),
      lead: `${path} depends on:`,
      rows: [
        ...toVersions(manifest.dependencies),
        ...toVersions(manifest["dev-dependencies"]),
        ...toVersions(manifest["build-dependencies"]),
        ...Object.values(recordOf(manifest.target)).flatMap((one) => toVersions(recordOf(one).dependencies)),
        ...toVersions(workspace.dependencies),
      ],
    }),
  ];
};

/** Without values that a member inherits from its workspace. */
function readRust(given: unknown): PlainRecord {
  const { edition, "rust-version": version } = recordOf(given);
  const isOwnValue = ([, value]: [string, unknown]): boolean => value !== undefined && !isRecord(value);
  return Object.fromEntries(Object.entries({ edition, "rust-version": version }).filter(isOwnValue));
}

/** `Cargo.lock` and `uv.lock`: what the project's own packages depend on. */
export const readTomlLock: Reader = (text, path) => {
  const { package: given } = readTable(text);
  const packages = Array.isArray(given) ? given.map(recordOf) : [];
  const names = new Set(packages.filter(isOwn).flatMap(({ dependencies }) => listNames(dependencies)));
  for (const { name } of packages.filter(isOwn)) if (typeof name === "string") names.delete(name);
  const direct = packages.filter(({ name }) => typeof name === "string" && names.has(name));
  return listFact({
    ...{ key: "locked", type: "knowledge", importance: 0.35 },
    title: toTitle(`Locked versions in ${path}`),
    lead: `${path} locks the direct dependencies to:`,
    rows: direct.flatMap(({ name, version }) =>
      toValues(name).map((value) => ({ name: value, values: toValues(version) })),
    ),
  });
};

/** The project's packages have no source, or a local one. */
function isOwn({ source }: PlainRecord): boolean {
  return source === undefined || (isRecord(source) && ("virtual" in source || "editable" in source));
}

/** `serde`, `serde 1.0.1` and `{ name = "serde" }`. */
function listNames(dependencies: unknown): string[] {
  if (!Array.isArray(dependencies)) return [];
  return dependencies.flatMap((one) =>
    toValues(isRecord(one) ? one.name : one).map((name) => name.split(" ")[0] ?? name),
  );
}

/** From `name = "1"` and `name = { version = "1" }`; packages from other sources have no version. */
function toVersions(dependencies: unknown): Row[] {
  return Object.entries(recordOf(dependencies)).map(([name, value]) => ({
    name,
    values: toValues(isRecord(value) ? value.version : value),
  }));
}

function readTable(text: string): PlainRecord {
  for (const line of text.split("\n")) {
    const [key = ""] = line.split("=", 1);
    // The parser takes cubic time for many dots.
    if (countDots(key) > MOST_DOTS_OF_KEY || countDots(line) > MOST_DOTS_OF_LINE)
      throw new RangeError("a line has more dots than any manifest needs");
  }
  const table: unknown = toml.parse(text);
  return recordOf(table);
}

const [MOST_DOTS_OF_KEY, MOST_DOTS_OF_LINE] = [50, 1_000];
const countDots = (text: string): number => text.split(".").length - 1;

const recordOf = (value: unknown): PlainRecord => (isRecord(value) ? value : {});
