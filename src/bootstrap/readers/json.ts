/** Facts of JSON manifests and lock files: npm, Deno, Composer, TypeScript. Pure. */
import { parseConfig } from "../../config/config-files.js";
import { isRecord, type PlainRecord } from "../../records.js";
import { type Fact, listFact, type Reader, type Row, toRows, toTitle, toValues } from "../fact.js";

/** What `npm init` writes if there are no tests. */
const NO_TEST = /^echo \\?"Error: no test specified\\?" && exit 1$/;

export const readPackageJson: Reader = async (text, path) => {
  const manifest = await parse(text);
  const { bin, dependencies, devDependencies, engines, main, module: entry, scripts, types } = manifest;
  const name = nameOf(manifest, path);
  return [
    ...describe(manifest, { path, name, what: "package" }),
    ...listFact({
      ...{ key: "commands", type: "procedure", importance: 0.65 },
      title: toTitle(`Scripts of ${name}`),
      aliases: ["npm run", "build", "test"],
      lead: `Scripts in ${path}, run with npm run NAME or that of another package manager:`,
      rows: toRows(recordOf(scripts)).filter(({ values: [script = ""] }) => !NO_TEST.test(script)),
    }),
    ...listFact({
      ...{ key: "versions", type: "knowledge", importance: 0.45 },
      title: toTitle(`Runtime and package manager of ${name}`),
      aliases: ["node version"],
      lead: `${path} asks for these versions:`,
      rows: [...toRows(recordOf(engines)), ...toRows({ packageManager: manifest.packageManager })],
    }),
    ...listFact({
      ...{ key: "layout", type: "knowledge", importance: 0.5 },
      title: toTitle(`Entry points and workspaces of ${name}`),
      lead: `${path} names these entry points and folders:`,
      rows: [
        ...toRows({ main, module: entry, types }),
        ...(main !== undefined || entry !== undefined ? toRows({ type: manifest.type }) : []),
        ...listPrograms(bin),
        ...listRow(
          "workspaces",
          isRecord(manifest.workspaces) ? manifest.workspaces.packages : manifest.workspaces,
        ),
        ...listRow("files", manifest.files),
      ],
    }),
    ...listFact({
      ...{ key: "dependencies", type: "knowledge", importance: 0.4 },
      title: toTitle(`Dependencies of ${name}`),
      lead: `${path} depends on:`,
      rows: [...toRows(recordOf(dependencies)), ...toRows(recordOf(devDependencies))],
    }),
  ];
};

/** Locked versions of the direct dependencies, from version 2 of the format. */
export const readPackageLock: Reader = async (text, path) => {
  const { lockfileVersion, packages } = await parse(text);
  const locked = recordOf(packages);
  const root = recordOf(locked[""]);
  const direct = [root.dependencies, root.devDependencies, root.optionalDependencies].flatMap((names) =>
    Object.keys(recordOf(names)),
  );
  const versions = Object.fromEntries(
    direct.map((name) => [name, recordOf(locked[`node_modules/${name}`]).version]),
  );
  return [
    ...listFact({
      ...{ key: "manager", type: "knowledge", importance: 0.45 },
      title: toTitle(`npm locks the dependencies in ${path}`),
      aliases: ["package manager", "npm ci"],
      lead: `npm wrote the lock file ${path}:`,
      rows: toRows({ lockfileVersion }),
    }),
    ...listFact({
      ...{ key: "locked", type: "knowledge", importance: 0.35 },
      title: toTitle(`Locked versions in ${path}`),
      lead: `${path} locks the direct dependencies to:`,
      rows: toRows(versions),
    }),
  ];
};

export const readDeno: Reader = async (text, path) => {
  const manifest = await parse(text);
  const name = nameOf(manifest, path);
  return [
    ...listFact({
      ...{ key: "commands", type: "procedure", importance: 0.65 },
      title: toTitle(`Deno tasks of ${name}`),
      lead: `Tasks in ${path}, run with deno task NAME:`,
      rows: toRows(recordOf(manifest.tasks)),
    }),
    ...listFact({
      ...{ key: "dependencies", type: "knowledge", importance: 0.4 },
      title: toTitle(`Imports of ${name}`),
      lead: `${path} maps these imports:`,
      rows: toRows(recordOf(manifest.imports)),
    }),
  ];
};

export const readComposer: Reader = async (text, path) => {
  const manifest = await parse(text);
  const name = nameOf(manifest, path);
  const scripts = Object.entries(recordOf(manifest.scripts));
  return [
    ...describe(manifest, { path, name, what: "Composer package" }),
    ...listFact({
      ...{ key: "commands", type: "procedure", importance: 0.65 },
      title: toTitle(`Composer scripts of ${name}`),
      lead: `Scripts in ${path}, run with composer run NAME:`,
      rows: scripts.map(([script, steps]) => ({ name: script, values: toValues(steps) })),
    }),
    ...listFact({
      ...{ key: "dependencies", type: "knowledge", importance: 0.4 },
      title: toTitle(`Dependencies of ${name}`),
      lead: `${path} requires:`,
      rows: [...toRows(recordOf(manifest.require)), ...toRows(recordOf(manifest["require-dev"]))],
    }),
  ];
};

export const readTsconfig: Reader = async (text, path) => {
  const { compilerOptions, exclude, extends: base, include } = await parse(text);
  const { baseUrl, module: kind, outDir, rootDir, strict, target } = recordOf(compilerOptions);
  return listFact({
    ...{ key: "layout", type: "knowledge", importance: 0.4 },
    title: toTitle(`TypeScript settings in ${path}`),
    lead: `${path} sets:`,
    rows: [
      ...listRow("extends", base),
      ...toRows({ target, module: kind, baseUrl, rootDir, outDir }),
      ...(typeof strict === "boolean" ? [{ name: "strict", values: [String(strict)] }] : []),
      ...listRow("include", include),
      ...listRow("exclude", exclude),
    ],
  });
};

async function parse(text: string): Promise<PlainRecord> {
  const value = await parseConfig(text);
  if (typeof value === "string") throw new SyntaxError(value);
  return value;
}

/** The manifest's own description. */
function describe(
  { description }: PlainRecord,
  { name, path, what }: { path: string; name: string; what: string },
): readonly Fact[] {
  return listFact({
    ...{ key: "about", type: "knowledge", importance: 0.55 },
    title: toTitle(`What ${name} is`),
    lead: `${path} describes the ${what}:`,
    rows: typeof description === "string" ? [{ name, values: toValues(description) }] : [],
  });
}

/** `"bin": "./a.js"`, or `"bin": { "a": "./a.js" }`. */
function listPrograms(bin: unknown): Row[] {
  const programs = toRows(recordOf(bin));
  if (programs.length > 0) return [{ name: "bin", values: [], isHeading: true }, ...programs];
  return listRow("bin", bin);
}

const nameOf = ({ name }: PlainRecord, path: string): string => toValues(name)[0] ?? path;
const recordOf = (value: unknown): PlainRecord => (isRecord(value) ? value : {});
const listRow = (name: string, value: unknown): { name: string; values: string[] }[] => {
  const values = toValues(value);
  return values.length > 0 ? [{ name, values }] : [];
};
