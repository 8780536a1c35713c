/** Issues of single files: unreadable, invalid fields, names that other file systems do not accept. Pure. */
import { join } from "node:path";
import { memoryTypes } from "../../memory/memory.js";
import { readPage } from "../../memory/memory-file.js";
import { findNameFault, foldName } from "../../memory/name.js";
import { ARCHIVE, CONFLICTS, LEDGER, splitPath } from "../../memory/path.js";
import type { Looked } from "../../memory/store/entries.js";
import { isRecord } from "../../records.js";
import { idOf } from "../memory-files.js";
import { type Issue, note, problem, warning } from "./issue.js";
import type { ShelfState } from "./shelf-state.js";

export function findFileIssues(shelf: ShelfState): Issue[] {
  return [
    ...shelf.looked.flatMap((one) => findReadingIssues(shelf, one)),
    ...findTwins(shelf),
    ...findStrayFiles(shelf),
  ];
}

function findReadingIssues({ place }: ShelfState, { path, reading, text = "" }: Looked): Issue[] {
  const file = join(place.folder, path);
  if (reading.kind === "problem") {
    const todo = `correct it by hand; for earlier versions: strata history ${idOf(place, path)} --json`;
    return [problem({ file, what: reading.what, todo })];
  }
  const page = readPage(text);
  const faults = page ? findFieldFaults(page.front) : [];
  const name = splitPath(path)?.name ?? "";
  const fault = findNameFault(name);
  return [
    ...faults.map((what) => warning({ file, what, todo: "correct the field, or remove it" })),
    ...(text.includes("\r\n") ? [warning({ file, ...CRLF })] : []),
    ...(isUnportable(name) ? [warning({ file, ...UNPORTABLE })] : []),
    ...(fault === undefined ? [] : [warning({ file, ...withoutHistory(fault) })]),
  ];
}

const CRLF = {
  what: "its lines end in CRLF: if a checkout converts them, every memory looks edited",
  todo: "save it with LF, and add *.md text eol=lf to .gitattributes so that git keeps it",
};
const UNPORTABLE = {
  what: "its name is not valid on Windows, so the repository cannot be checked out there",
  todo: "rename it",
};

const withoutHistory = (fault: string): Pick<Issue, "what" | "todo"> => ({
  what: `${fault}; it is read and used, but has no history, and Strata does not change it`,
  todo: "rename it",
});

/** Microsoft, "Naming Files, Paths, and Namespaces". */
const isUnportable = (name: string): boolean =>
  /[<>:"|?*]|[. ]$/.test(name) || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name);

type Check = readonly [is: (value: unknown) => boolean, expected: string];

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
const TEXT: Check = [isText, "text"];
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

/** Whoever reads the memory ignores fields with invalid values. */
function findFieldFaults(front: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(CHECKS).flatMap(([name, [is, expected]]) => {
    const value = front[name];
    if (value === undefined || value === null || is(value)) return [];
    return [`field ${name} must be ${expected}, but is ${JSON.stringify(value)}; it is ignored`];
  });
}

/** Names that some file systems cannot tell apart, and memories that are both in the archive and outside it. */
function findTwins({ looked, place }: ShelfState): Issue[] {
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
          ? `${first} has the same id, and only one of the two is used`
          : `${first} differs only in case or accents; file systems that ignore those keep only one of the two`,
        todo: "rename one of the two",
      });
    });
  });
}

/** What lies among memories but is not one. */
function findStrayFiles({ looked, names, place }: ShelfState): Issue[] {
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
      return [
        note({ file, what: "it is not the folder of a memory type, so nothing in it is read", todo: TYPES }),
      ];
    return [];
  });
}

const KNOWN: ReadonlySet<string> = new Set([
  ...[ARCHIVE, LEDGER, CONFLICTS, `${ARCHIVE}/${CONFLICTS}`],
  ...["private", "dreams", "staging"],
]);
const TYPES = `the types are ${memoryTypes.join(", ")}`;
const NO_MEMORY = {
  what: "it is not a memory: those are files named NAME.md, with a NAME of at most 240 bytes",
  todo: "rename it, or move it elsewhere",
};
