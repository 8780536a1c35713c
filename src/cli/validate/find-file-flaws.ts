/** Flaws of single files: what cannot be read, fields that say nothing, names that another disk does not take. Pure. */
import { join } from "node:path";
import { memoryTypes } from "../../memory/memory.js";
import { readPage } from "../../memory/memory-file.js";
import { findNameFault, foldName } from "../../memory/name.js";
import { ARCHIVE, CONFLICTS, LEDGER, splitPath } from "../../memory/path.js";
import type { Looked } from "../../memory/store/entries.js";
import { isRecord } from "../../records.js";
import { idOf } from "../memory-files.js";
import { type Flaw, note, problem, warning } from "./flaw.js";
import type { ShelfState } from "./shelf-state.js";

export function findFileFlaws(shelf: ShelfState): Flaw[] {
  return [
    ...shelf.looked.flatMap((one) => findReadingFlaws(shelf, one)),
    ...findTwins(shelf),
    ...findStrangers(shelf),
  ];
}

function findReadingFlaws({ place }: ShelfState, { path, reading, text = "" }: Looked): Flaw[] {
  const file = join(place.folder, path);
  if (reading.kind === "problem") {
    const todo = `mend it by hand; what it said before: strata history ${idOf(place, path)} --json`;
    return [problem({ file, what: reading.what, todo })];
  }
  const page = readPage(text);
  const faults = page ? findFieldFaults(page.front) : [];
  const name = splitPath(path)?.name ?? "";
  const fault = findNameFault(name);
  return [
    ...faults.map((what) => warning({ file, what, todo: "write it so, or take the field out" })),
    ...(text.includes("\r\n") ? [warning({ file, ...CRLF })] : []),
    ...(isUnportable(name) ? [warning({ file, ...UNPORTABLE })] : []),
    ...(fault === undefined ? [] : [warning({ file, ...withoutHistory(fault) })]),
  ];
}

const CRLF = {
  what: "its lines end in CRLF: where a checkout changes them, every memory looks edited",
  todo: "save it with plain line ends, and keep git from changing them: *.md text eol=lf in .gitattributes",
};
const UNPORTABLE = {
  what: "its name is none on Windows, and the repository cannot be checked out there",
  todo: "give it another name",
};

const withoutHistory = (fault: string): Pick<Flaw, "what" | "todo"> => ({
  what: `${fault}: it is read and used, but has no history, and Strata does not change it`,
  todo: "give it another name",
});

/** Microsoft, "Naming Files, Paths, and Namespaces". */
const isUnportable = (name: string): boolean =>
  /[<>:"|?*]|[. ]$/.test(name) || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name);

type Check = readonly [is: (value: unknown) => boolean, expected: string];

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const TEXT: Check = [isText, "a text"];
const DATE: Check = [
  (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
  "a date such as 2026-12-31",
];
const isWord = (value: unknown): boolean => isText(value) || typeof value === "number";
const WORDS: Check = [
  (value) => (Array.isArray(value) ? value.every(isWord) : isWord(value)),
  "a list of words",
];
const STATUSES = ["active", "resolved", "superseded", "archived"];

const CHECKS: Readonly<Record<string, Check>> = {
  title: TEXT,
  status: [(value) => STATUSES.includes(String(value)), `one of ${STATUSES.slice(0, 3).join(", ")}`],
  importance: [(value) => typeof value === "number" && value >= 0 && value <= 1, "a number from 0 to 1"],
  pinned: [(value) => typeof value === "boolean", "true or false"],
  created: DATE,
  updated: DATE,
  expires: DATE,
  supersededBy: TEXT,
  aliases: WORDS,
  tags: WORDS,
  entities: WORDS,
  links: WORDS,
  when: WORDS,
  source: [
    (value) => isRecord(value) && ["user", "agent", "tool", "person"].includes(String(value.by)),
    "by: user, agent, tool or person",
  ],
};

/** A field that says what cannot be used is passed over by whoever reads the memory. */
function findFieldFaults(front: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(CHECKS).flatMap(([name, [is, expected]]) => {
    const value = front[name];
    if (value === undefined || value === null || is(value)) return [];
    return [`its field ${name} is to be ${expected}, is ${JSON.stringify(value)}, and is passed over`];
  });
}

/** Files that some disk takes for one, and those that are in the archive and out of it. */
function findTwins({ looked, place }: ShelfState): Flaw[] {
  const groups = new Map<string, string[]>();
  for (const { path } of looked) {
    const key = foldName(path.replace(/^archive\//, ""));
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  return [...groups.values()].flatMap((paths) => {
    const [first = "", ...others] = paths.sort();
    return others.map((other) => {
      const isSameName = other.replace(/^archive\//, "") === first.replace(/^archive\//, "");
      return warning({
        file: join(place.folder, other),
        what: isSameName
          ? `${first} has the same id, and only one of them is found`
          : `${first} has the same name but for case or accents, and a disk that passes over these keeps one of them`,
        todo: "rename one of them",
      });
    });
  });
}

/** What lies among memories and is none. */
function findStrangers({ looked, names, place }: ShelfState): Flaw[] {
  const read = new Set(looked.map(({ path }) => path));
  const types: readonly string[] = memoryTypes;
  return [...names].flatMap(([path, stat]) => {
    const file = join(place.folder, path);
    const parts = path.replace(/^archive\//, "").split("/");
    const isTemporary = /\.(\d+|[0-9a-f-]{36})$/.test(path);
    if (read.has(path) || isTemporary || parts.at(-1)?.startsWith(".")) return [];
    if (parts.length === 2 && types.includes(parts[0] ?? "")) return [warning({ file, ...NO_MEMORY })];
    const isUnknownFolder = stat.kind === "folder" && parts.length === 1 && !KNOWN.has(path);
    if (isUnknownFolder && !types.includes(parts[0] ?? "") && parts[0] !== undefined)
      return [note({ file, what: "it is the folder of no type, and nothing in it is read", todo: TYPES })];
    return [];
  });
}

const KNOWN: ReadonlySet<string> = new Set([ARCHIVE, LEDGER, CONFLICTS, "private", "dreams", "staging"]);
const TYPES = `types are ${memoryTypes.join(", ")}`;
const NO_MEMORY = {
  what: "it is no memory: those are files named ….md, with at most 240 bytes before that",
  todo: "rename it, or move it elsewhere",
};
