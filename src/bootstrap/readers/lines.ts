/** Facts of manifests that are read line by line: Go, Ruby, CMake, make, just, and files with one version. Pure. */
import { listFact, type Reader, type Row, splitLines, toTitle } from "../fact.js";

export const readGoMod: Reader = (text, path) => {
  const written = splitLines(text);
  const lines = written.map((line) => line.replace(/\/\/.*$/, "").trim());
  const [name = path] = lines.flatMap((line) => /^module\s+"?([^\s"]+)/.exec(line)?.[1] ?? []);
  const required = lines.flatMap((line) => {
    const [, module = "", version = ""] = /^(?:require\s+)?([\w./~-]+)\s+(v\d\S*)/.exec(line) ?? [];
    return module.includes(".") ? [{ name: module, values: [version] }] : [];
  });
  // This comment marks dependencies of dependencies.
  const indirect = new Set(
    written.map((line) => /^\s*(?:require\s+)?(\S+)\s+v\S+\s*\/\/\s*indirect/.exec(line)?.[1]),
  );
  const versions = lines.flatMap((line) => {
    const [, directive, version] = /^(go|toolchain)\s+(\S+)/.exec(line) ?? [];
    return directive !== undefined && version !== undefined ? [{ name: directive, values: [version] }] : [];
  });
  return [
    ...listFact({
      ...{ key: "versions", type: "knowledge", importance: 0.45 },
      title: toTitle(`Go version of ${name}`),
      lead: `${path} declares:`,
      rows: [...(name === path ? [] : [{ name: "module", values: [name] }]), ...versions],
    }),
    ...listFact({
      ...{ key: "dependencies", type: "knowledge", importance: 0.4 },
      title: toTitle(`Dependencies of ${name}`),
      lead: `${path} requires:`,
      rows: required.filter((row) => !indirect.has(row.name)),
    }),
  ];
};

export const readGemfile: Reader = (text, path) => {
  const lines = listLines(text).filter((line) => !line.startsWith("#"));
  const gems = lines.flatMap((line): Row[] => {
    const [, name, rest = ""] = /^gem\s+["']([^"']+)["'](.*)$/.exec(line) ?? [];
    const versions = [...rest.matchAll(/(?:^|,)\s*["']([^"']+)["']/g)].map(([, version = ""]) => version);
    return name === undefined ? [] : [{ name, values: versions }];
  });
  const ruby = lines.flatMap((line) => /^ruby\s+["']([^"']+)["']/.exec(line)?.[1] ?? []);
  return [
    ...listFact({
      ...{ key: "versions", type: "knowledge", importance: 0.45 },
      title: toTitle(`Ruby version in ${path}`),
      lead: `${path} asks for:`,
      rows: ruby.map((version) => ({ name: "ruby", values: [version] })),
    }),
    ...listFact({
      ...{ key: "dependencies", type: "knowledge", importance: 0.4 },
      title: toTitle(`Gems in ${path}`),
      lead: `${path} depends on:`,
      rows: gems,
    }),
  ];
};

export const readCMake: Reader = (text, path) => {
  const code = text.replace(/#.*$/gm, "");
  const [, name] = /\bproject\s*\(\s*([\w.-]+)/i.exec(code) ?? [];
  const [, least] = /\bcmake_minimum_required\s*\(\s*VERSION\s+([\d.]+(?:\.\.\.[\d.]+)?)/i.exec(code) ?? [];
  const named = (command: string): string[] =>
    [...code.matchAll(new RegExp(`\\b${command}\\s*\\(\\s*([\\w.-]+)`, "gi"))].map(([, one = ""]) => one);
  return listFact({
    ...{ key: "layout", type: "knowledge", importance: 0.45 },
    title: toTitle(`CMake project in ${path}`),
    aliases: ["cmake"],
    lead: `${path} declares:`,
    rows: [
      { name: "project", values: name === undefined ? [] : [name] },
      { name: "cmake_minimum_required", values: least === undefined ? [] : [least] },
      ...["find_package", "add_subdirectory", "add_executable", "add_library"].map((command) => ({
        name: command,
        values: named(command),
      })),
    ].filter(({ values }) => values.length > 0),
  });
};

/** Targets; if there is a `.PHONY` line, only those that it names, as the others are files. */
export const readMakefile: Reader = (text, path) => {
  const lines = text.replace(/\\\r?\n/g, " ").split(/\r?\n/);
  const phony = lines.flatMap((line) => /^\.PHONY\s*:(.*)$/.exec(line)?.[1]?.trim().split(/\s+/) ?? []);
  const targets = lines.flatMap((line) => {
    const [, target, help] = /^([A-Za-z0-9][\w./-]*)\s*:(?![=:])(?:[^#]*##\s*(.*))?/.exec(line) ?? [];
    return target === undefined ? [] : [{ name: target, values: toHelp(help) }];
  });
  const known = new Set(phony);
  const shown = new Map(
    targets.filter(({ name }) => known.size === 0 || known.has(name)).map((row) => [row.name, row]),
  );
  return listFact({
    ...{ key: "commands", type: "procedure", importance: 0.6 },
    title: toTitle(`Targets of ${path}`),
    aliases: ["make"],
    lead: `Targets in ${path}, run with make NAME:`,
    rows: [...shown.values()],
  });
};

export const readJustfile: Reader = (text, path) => {
  const recipes = text.split(/\r?\n/).flatMap((line) => {
    const [, name] = /^@?([A-Za-z][\w-]*)(?:\s[^:=]*)?:(?!=)/.exec(line) ?? [];
    return name === undefined || /^(set|alias|export|import|mod)$/.test(name) ? [] : [{ name, values: [] }];
  });
  return listFact({
    ...{ key: "commands", type: "procedure", importance: 0.6 },
    title: toTitle(`Recipes of ${path}`),
    aliases: ["just"],
    lead: `Recipes in ${path}, run with just NAME:`,
    rows: recipes,
  });
};

/** `.nvmrc`, `.python-version` and the like, and `.tool-versions`. */
export const readVersion: Reader = (text, path) =>
  listFact({
    ...{ key: "versions", type: "knowledge", importance: 0.45 },
    title: toTitle(`Versions in ${path}`),
    lead: `${path} names:`,
    rows: listLines(text.replace(/#.*$/gm, "")).map((line) => ({ values: [line] })),
  });

/** A lock file of which only the writer is recorded. */
export const readLockOf =
  (manager: string): Reader =>
  (_text, path) => [
    {
      ...{ key: "manager", type: "knowledge", importance: 0.45 },
      title: toTitle(`${manager} locks the dependencies in ${path}`),
      content: `${path} is the lock file of ${manager}.`,
      aliases: ["package manager"],
    },
  ];

/** By convention, `##` after a target begins its help. */
const toHelp = (help: string | undefined): string[] => (help?.trim() ? [help.trim()] : []);

const listLines = (text: string): string[] =>
  splitLines(text)
    .map((line) => line.trim())
    .filter((line) => line !== "");
