/** Every known kind of damage to a memory, planted in an intact project, and what `strata check` says of it. */
import { hashOf } from "../../src/base/hash.js";
import type { Issue } from "../../src/cli/check/find-memory-issues.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import type { MemoryFiles } from "./memory-files.js";
import { runStrata } from "./shell.js";
import { FOLDER, SECRET, STATE } from "./sound-project.js";

const DECISION = `${FOLDER}/decision/server-listens-port-8080.md`;
const INDEX = `${FOLDER}/MEMORY.md`;
const write = (name: string, contents: string | Uint8Array) => (files: MemoryFiles) =>
  files.writeWhole(`${FOLDER}/decision/${name}.md`, contents);
const edit = (files: MemoryFiles, path: string, change: (text: string) => string) =>
  files.writeWhole(path, change(files.text(path) ?? ""));
const ledgerOf = (files: MemoryFiles): string =>
  [...files.contents.keys()].find((path) => path.startsWith(`${FOLDER}/ledger/`)) ?? "";
const editLedger = (change: (text: string) => string) => (files: MemoryFiles) =>
  edit(files, ledgerOf(files), change);

async function formatDeadToken(): Promise<string> {
  const own = await createRunningProcesses().own();
  const process = { ...own, id: 4_194_999, start: "1" };
  return JSON.stringify({ id: "dead", instance: "gone", process, since: "2026-11-20T09:00:00Z" });
}

/** A lock that came with a copy, an image or a commit of the project. */
export function formatForeignToken(): string {
  const process = { id: 1234, start: "1", host: "laptop", machine: "laptop" };
  return JSON.stringify({ id: "theirs", instance: "x", process, since: "2025-01-01T00:00:00Z" });
}

async function plantPending(files: MemoryFiles, path: string): Promise<void> {
  const ledger = ledgerOf(files);
  const line = JSON.parse((files.text(ledger) ?? "").split("\n")[1] ?? "");
  const contents = `${line.contents}\nAnd a third.\n`;
  const begun = { ...line, id: "begun", key: "idea/third", path, contents, after: hashOf(contents) };
  const pending = { lines: [begun], ledgerFile: ledger.slice(ledger.lastIndexOf("/") + 1) };
  await files.writeWhole(`${STATE}/pending.json`, JSON.stringify(pending));
}

async function plantConflict(files: MemoryFiles): Promise<void> {
  await runStrata(files, "remember --type decision --title Harbour ships land at pier four");
  await runStrata(files, "remember --type decision --title Harbour cranes belong to the city");
}

function plantLink(files: MemoryFiles): void {
  files.contents.set(`${FOLDER}/decision/link.md`, Buffer.from("theirs"));
  files.links.add(`${FOLDER}/decision/link.md`);
}

export interface Damage {
  what: string;
  plant(files: MemoryFiles): unknown;
  file: RegExp;
  says: RegExp;
  level: Issue["level"];
  isFixed?: true;
}

const LEDGER = /ledger\/2026-11-\w+\.jsonl/;
const damage = (
  level: Issue["level"],
  what: string,
  plant: Damage["plant"],
  file: RegExp,
  says: RegExp,
): Damage => ({ level, what, plant, file, says });
const fixed = (...given: Parameters<typeof damage>): Damage => ({ ...damage(...given), isFixed: true });

const unreadable = (
  [
    ["bad YAML", "---\ntitle: [a\n---\nx", /not valid YAML/],
    ["half a file", "---\ntitle: a\ncreated: 2026-", /does not end/],
    ["an empty file", "", /empty/],
    ["a binary file", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]), /UTF-8|NUL/],
    ["a conflict marker", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n", /conflict markers/],
    ["a file of 10 MB", "x".repeat(10_000_000), /10000000 bytes/],
    ["a secret in a file written by hand", `# the token is ${SECRET}`, /it holds a secret \(GitHub token\)/],
  ] as const
).map(([what, contents, says]) =>
  damage("problem", what, write("broken", contents), /decision\/broken\.md/, says),
);

export const damages: readonly Damage[] = [
  ...unreadable,
  damage("problem", "a link out of the folder", plantLink, /decision\/link\.md/, /it is a link/),
  damage(
    "problem",
    "a torn line at the end of the ledger",
    editLedger((text) => `${text}{"v":1,"id":"ha`),
    LEDGER,
    /line 5 cannot be read/,
  ),
  damage(
    "problem",
    "a line of the ledger that cannot be read",
    editLedger((text) => `oops\n${text}`),
    LEDGER,
    /line 1 cannot be read/,
  ),
  damage(
    "problem",
    "a line of the ledger that was changed",
    editLedger((text) => text.replace("put aside", "put away")),
    LEDGER,
    /line 3 \(idea\/an-idea-put-aside\) was changed after it was written/,
  ),
  damage(
    "problem",
    "a secret in the ledger",
    editLedger((text) => text.replace("put aside", SECRET)),
    LEDGER,
    /line 3 holds a secret \(GitHub token\)/,
  ),
  damage(
    "problem",
    "a line of the ledger that names a file outside the folder",
    editLedger((text) => {
      const line = JSON.parse(text.split("\n")[0] ?? "");
      return `${text}${JSON.stringify({ ...line, id: "theirs", path: "../../../.bashrc" })}\n`;
    }),
    LEDGER,
    /line 5 is not a change of a memory and was not applied: "\.\.\/\.\.\/\.\.\/\.bashrc"/,
  ),
  fixed(
    "note",
    "no ledger",
    (files) => files.remove(ledgerOf(files)),
    /decision\/server-listens/,
    /it was added by hand/,
  ),
  fixed(
    "note",
    "a file edited by hand",
    (files) => edit(files, DECISION, (text) => text.replace("8080\n", "9090\n")),
    /decision\/server-listens/,
    /edited by hand/,
  ),
  fixed(
    "note",
    "a file removed by hand",
    (files) => files.remove(DECISION),
    /decision\/server-listens/,
    /removed by hand/,
  ),
  fixed("warning", "no index", (files) => files.remove(INDEX), /memory\/MEMORY\.md/, /the index is missing/),
  fixed(
    "warning",
    "an index with a different entry",
    (files) => edit(files, INDEX, (text) => text.replace("8080]", "9090]")),
    /memory\/MEMORY\.md/,
    /is out of date in its line for decision\//,
  ),
  fixed(
    "warning",
    "an index without one of the memories",
    (files) => edit(files, INDEX, (text) => text.replace(/^- .*second idea.*\n/m, "")),
    /memory\/MEMORY\.md/,
    /is out of date/,
  ),
  damage(
    "note",
    "an index written by hand",
    (files) => files.writeWhole(INDEX, "# My notes"),
    /memory\/MEMORY\.md/,
    /not written by Strata/,
  ),
  fixed(
    "warning",
    "a stale lock",
    async (files) => files.writeWhole(`${STATE}/lock`, await formatDeadToken()),
    /internal\/lock/,
    /stale lock: instance gone/,
  ),
  fixed(
    "warning",
    "a lock that came with a copy from another machine",
    (files) => files.writeWhole(`${STATE}/lock`, formatForeignToken()),
    /internal\/lock/,
    /stale lock: instance x \(process 1234 on laptop\)/,
  ),
  fixed(
    "warning",
    "a lock without an owner",
    (files) => files.writeWhole(`${STATE}/index.lock`, "?"),
    /internal\/index\.lock/,
    /without an owner/,
  ),
  fixed(
    "warning",
    "an unfinished change",
    (files) => plantPending(files, "idea/third.md"),
    /internal\/pending\.json/,
    /was started but not finished/,
  ),
  fixed(
    "problem",
    "a torn record of a change",
    (files) => files.writeWhole(`${STATE}/pending.json`, '{"line":'),
    /internal\/pending\.json/,
    /nothing of it is done: it is incomplete/,
  ),
  fixed(
    "problem",
    "an unfinished change of a file outside the folder",
    (files) => plantPending(files, "archive/../../x.md"),
    /internal\/pending\.json/,
    /nothing of it is done: .*"archive\/\.\.\/\.\.\/x\.md" is not a memory path/,
  ),
  damage(
    "warning",
    "an unfinished change that was set aside",
    (files) => files.writeWhole(`${STATE}/pending.refused-1.json`, "{}"),
    /./,
    /pending\.refused-1\.json was refused/,
  ),
  fixed(
    "problem",
    "private memories that git does not ignore",
    (files) => files.remove(`${FOLDER}/private/.gitignore`),
    /private\/\.gitignore/,
    /would be committed/,
  ),
  fixed(
    "problem",
    "private memories that the user has unignored in git",
    (files) => files.writeWhole(`${FOLDER}/private/.gitignore`, "*\n!preference/\n"),
    /private\/\.gitignore/,
    /does not keep the whole folder out of git/,
  ),
  fixed(
    "note",
    "a memory that has expired",
    (files) => edit(files, DECISION, (text) => text.replace("---\n", "---\nexpires: 2026-01-31\n")),
    /decision\/server-listens/,
    /expired on 2026-01-31/,
  ),
  damage(
    "warning",
    "a record of an unresolved conflict",
    plantConflict,
    /conflicts\/harbour-\w+\.md/,
    /decision\/harbour has two conflicting versions/,
  ),
  damage(
    "note",
    "broken links",
    write("linked", "---\nlinks: [idea/nothing]\n---\nx"),
    /decision\/linked\.md/,
    /names idea\/nothing, which does not exist/,
  ),
  damage(
    "problem",
    "a mention of a private memory",
    write("hint", "see private/preference/short-answers"),
    /decision\/hint\.md/,
    /names the private memory private\/preference\/short-answers/,
  ),
];
