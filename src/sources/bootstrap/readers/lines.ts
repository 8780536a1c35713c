/** Facts of files that are read line by line: go.mod and makefiles. Pure. */
import { listFact, type Reader, splitLines, toTitle } from "../fact.js";

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

/** By convention, `##` after a target begins its help. */
const toHelp = (help: string | undefined): string[] => (help?.trim() ? [help.trim()] : []);
