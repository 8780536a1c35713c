/**
 * Finds what is wrong with the memories and their files. The store is opened over files whose changes stay in memory:
 * what it would write there shows what is out of step, and nothing on disk changes.
 */

import { randomUUID } from "node:crypto";
import { join, relative } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { formatError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import { parseJson } from "../../base/shape.js";
import { createDryFiles, formatLock } from "../../io/dry-files.js";
import type { Files } from "../../io/files.js";
import { createGit } from "../../io/node-git.js";
import { type ExpiredFile, findExpired, removeIfUnchanged } from "../../kernel/expired-files.js";
import { kernelFiles, stateFolderFiles } from "../../kernel/kernel-files.js";
import { findPrivateID } from "../../memory/draft.js";
import { formatPrefix, type Memory } from "../../memory/memory.js";
import { LEDGER } from "../../memory/path.js";
import { formatLine, INDEX_MARK } from "../../memory/store/index-page.js";
import { readPending } from "../../memory/store/journal.js";
import { type LedgerLine, readLedgerLine } from "../../memory/store/ledger-line.js";
import type { CollectionPlace } from "../../memory/store/places.js";
import { listItself, readTextWithin } from "../../memory/store/scan.js";
import { findLocks } from "../../operations/doctor/machine.js";
import { listPlaces } from "../../operations/memory-files.js";
import { withMemories } from "../../operations/open-memories.js";
import { createCliLog, openLocks, type Project } from "../../operations/project.js";
import { hideFromGit, hidesAll } from "../../project/folders.js";
import { findOwnFlaws } from "../../project/own-flaws.js";
import { findSecrets } from "../../text/secrets/secrets.js";
import { checkSetAside } from "../doctor/settings-in-force.js";
import { findMemoryIssues } from "./find-memory-issues.js";
import type { CheckOptions, Fix, Issue } from "./issue.js";

export interface Found {
  /** By file. */
  issues: readonly Issue[];
  /** Number of memories that can be read, including archived ones. */
  memories: number;
}

export async function findIssues(project: Project, options: CheckOptions): Promise<Found> {
  const { cli, folders } = project;
  const dry = createDryFiles(cli.files, cli.clock);
  const said: string[] = [];
  const opened: Project = {
    ...project,
    cli: { ...cli, files: dry, warn() {} },
    log: createCliLog((message) => said.push(message)),
  };
  const { all, issues } = await withMemories(opened, async (memories) => {
    const list = await memories.list({ archived: true });
    await memories.onIdle();
    const files = { disk: cli.files, dry };
    const inFiles = await Promise.all(
      listPlaces(project).map(async (place) => [
        ...(await findLedgerIssues(project, place, { ...options, dry, memories: list })),
        ...(await findIndexIssues(files, place, list)),
        ...(await findPending(cli.files, place)),
        ...(await findUnhidden(cli.files, place)),
      ]),
    );
    const unused = memories.problems().map(({ path, what }): Issue => {
      const todo = "correct it by hand, or restore it from git or with strata backup restore";
      return { level: "problem", file: path, what, todo };
    });
    const inMemories = await findMemoryIssues(opened, memories, list);
    return { all: list, issues: [...unused, ...inFiles.flat(), ...inMemories] };
  });
  issues.push(...(await findLockIssues(project)));
  const flaws = await findFolderIssues(project);
  issues.push(...flaws.filter(({ file }) => !issues.some((issue) => issue.file === file)));
  for (const { todo = "", what } of await checkSetAside(project))
    issues.push({ level: "warning", file: folders.memory, what, todo });
  issues.push(...(await findOldFiles(project, options.days)));
  for (const what of new Set(said))
    if (!issues.some(({ file }) => what.includes(file)))
      issues.push({ level: "warning", file: folders.memory, what, todo: "see the log for more" });
  return { issues: issues.sort((a, b) => compare(a.file, b.file)), memories: all.length };
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The path relative to the project, if it is inside. */
export function formatPath(file: string, root: string): string {
  const inside = relative(root, file);
  return inside.startsWith("..") ? file : inside;
}

interface BothFiles {
  disk: Files;
  /** What the store would write. */
  dry: Files;
}

/** The order of an index changes with use and time, so only its lines count. */
async function findIndexIssues(
  { disk, dry }: BothFiles,
  { folder }: CollectionPlace,
  memories: readonly Memory[],
): Promise<Issue[]> {
  const file = join(folder, "MEMORY.md");
  const page = await readTextWithin(disk, folder, "MEMORY.md");
  const fresh = await readTextWithin(dry, folder, "MEMORY.md");
  if (page !== undefined && !page.startsWith(INDEX_MARK)) {
    const what = "it was not written by Strata, so there is no index here";
    return [{ level: "note", file, what, todo: "rename it to get an index" }];
  }
  if (fresh === undefined || page === fresh) return [];
  const known = new Set(memories.map(formatLine));
  const wrong = page && listLines(page).find((line) => !known.has(line));
  if (page && wrong === undefined && countMemories(page) === countMemories(fresh)) return [];
  const line = wrong && ` in its line for ${/\((.*?)\)/.exec(wrong)?.[1] ?? wrong}`;
  return [
    {
      level: "warning",
      file,
      what: page ? `the index is out of date${line ?? ""}` : "the index is missing",
      todo: "nothing; the next use rebuilds it",
      fix: { says: "rebuild it from the files" },
    },
  ];
}

const listLines = (page: string): string[] => page.split("\n").filter((line) => line.startsWith("- ["));

/** Both those listed and those for which there was no room. */
function countMemories(page: string): number {
  const leftOut = /^([\d,]+) memor(?:y|ies) more:/m.exec(page)?.[1] ?? "0";
  return listLines(page).length + Number(leftOut.replaceAll(",", ""));
}

/** A change that a killed process has left half done, or a repository has brought along. */
async function findPending(files: Files, place: CollectionPlace): Promise<Issue[]> {
  const file = join(place.state, "pending.json");
  const reading = await readPending(files, file, formatPrefix(place));
  if (!reading) return [];
  const says = reading.kind === "pending" ? "finish it" : "rename it";
  const what =
    reading.kind === "pending"
      ? "a change of memory was started but not finished"
      : `it is not a valid pending change, and nothing of it is done: ${reading.why}`;
  const todo = `nothing; the next change will ${says}`;
  return [{ level: reading.kind === "pending" ? "warning" : "problem", file, what, todo, fix: { says } }];
}

/** In the folder of private memories git ignores everything. */
async function findUnhidden(files: Files, { folder, sensitivity }: CollectionPlace): Promise<Issue[]> {
  if (sensitivity !== "private" || (await files.list(folder)).length === 0) return [];
  if (hidesAll((await readTextWithin(files, folder, ".gitignore")) ?? "")) return [];
  return [
    {
      level: "problem",
      file: join(folder, ".gitignore"),
      what: "it does not keep the whole folder out of git: private memories would be committed",
      todo: "add the line * at its end, and git rm --cached what is already committed",
      fix: { says: "add the line *", prepare: () => hideFromGit(files, folder, ["*"]) },
    },
  ];
}

/** Folders that lead out of the project, or that git would commit. */
async function findFolderIssues({ cli: { files }, folders, settings }: Project): Promise<Issue[]> {
  const { config } = await settings();
  const flaws = await findOwnFlaws({ files, folders, config, git: createGit() });
  return flaws.map(({ lacking, path, todo, what }) => ({
    ...{ level: "problem", file: path, what, todo },
    ...(lacking && {
      fix: {
        says: `add ${lacking.join(" and ")} at its end`,
        prepare: () => hideFromGit(files, join(path, ".."), lacking),
      },
    }),
  }));
}

async function findLockIssues(project: Project): Promise<Issue[]> {
  const { clock, files } = project.cli;
  const locks = openLocks(project, "check");
  const found: Issue[] = [];
  for (const folder of new Set(listPlaces(project).map(({ state }) => join(state, "..", ".."))))
    for (const file of await findLocks(files, folder)) {
      const state = await locks.inspect(file);
      const { isSilent, says } = formatLock(state, clock.now());
      const release = (): Promise<void> => locks.withLock(file, async () => {}, { waitMs: 0 });
      if (isSilent)
        found.push({
          ...{ level: "warning", file, what: says },
          todo: "nothing; the next process that needs it takes it over",
          fix: { says: "release it, unless a process holds it by then", prepare: release },
        });
      else if (state.kind !== "free" && !state.token)
        found.push({ level: "problem", file, what: says, todo: "wait a minute and check again" });
    }
  return found;
}

/** Files that no session needs any more. */
async function findOldFiles(project: Project, days: number): Promise<Issue[]> {
  const { cli, folders, processes, stateFolder: root } = project;
  const { clock, files } = cli;
  const world = { clock, files, folders, processes };
  const kinds = [...kernelFiles, ...(await cli.loadLayers()).flatMap((layer) => layer.files)];
  const old: ExpiredFile[] = [
    ...(await findExpired(world, kinds, days)),
    ...(await findExpired({ ...world, root }, stateFolderFiles, days)),
  ];
  return old.map((file) => ({
    ...{ level: "note", file: file.path, what: `${file.what}, no longer needed` },
    todo: "nothing; it only takes space",
    fix: { says: "remove it", run: () => removeIfUnchanged(files, file) },
  }));
}

/**
 * Mends what can be mended, each step on its own; returns why a step failed, by its issue. The issues that are left are
 * found by looking again.
 */
export async function fixIssues(project: Project, issues: readonly Issue[]): Promise<Map<Issue, string>> {
  const failed = new Map<Issue, string>();
  const tryEach = async (step: (fix: Fix) => Promise<void> | undefined): Promise<void> => {
    for (const issue of issues)
      try {
        if (issue.fix) await step(issue.fix);
      } catch (thrown) {
        failed.set(issue, formatError(thrown));
      }
  };
  await tryEach((fix) => fix.prepare?.());
  await withMemories(project, async (memories) => {
    await memories.list();
    await tryEach((fix) => fix.run?.(memories));
  });
  return failed;
}

/* Damage to a ledger, secrets in it, and files that were changed without it. */

export interface LedgerOptions extends CheckOptions {
  /** What the store would write: lines that it would add are changes made by hand. */
  dry: Files;
  /** Archived ones too. */
  memories: readonly Memory[];
}

const APPEND_ONLY = "restore the file from git, or remove the line; the memories themselves are intact";
const REVOKE = "remove it; if it was committed, revoke it as well, because git keeps old versions";

export async function findLedgerIssues(
  { cli: { clock, files } }: Project,
  place: CollectionPlace,
  { days, dry, isArchiveDue, memories }: LedgerOptions,
): Promise<Issue[]> {
  const issues: Issue[] = [];
  const lastMs = new Map<string, number>();
  const folder = join(place.folder, LEDGER);
  for (const name of (await listItself(dry, folder)).filter((one) => one.endsWith(".jsonl"))) {
    const text = (await readTextWithin(files, folder, name)) ?? "";
    const wet = (await readTextWithin(dry, folder, name)) ?? "";
    const file = join(folder, name);
    const isShared = place.sensitivity === "internal";
    const { faults, lines } = readLines(text, { file, isShared, prefix: formatPrefix(place) });
    issues.push(...faults);
    if (wet.startsWith(text)) issues.push(...findHandEdits(wet.slice(text.length), place));
    for (const { at, key } of lines) lastMs.set(key, Math.max(lastMs.get(key) ?? 0, Date.parse(at)));
  }
  if (!isArchiveDue || place.scope !== "project") return issues;
  const nowMs = clock.now();
  const run = randomUUID().slice(0, 8);
  for (const { id, pinned, sensitivity, scope, status } of memories) {
    const isHere = scope === place.scope && sensitivity === place.sensitivity;
    // Without a line of the ledger nobody knows when it was put aside: then it is not old.
    const isOld = nowMs - (lastMs.get(id) ?? nowMs) > days * DAY_MS;
    if (isHere && status === "archived" && !pinned && isOld) issues.push(isLongArchived(place, id, run));
  }
  return issues;
}

const isLongArchived = ({ folder }: CollectionPlace, id: string, run: string): Issue => ({
  level: "note",
  file: join(folder, "archive", `${id.replace(/^private\//, "")}.md`),
  what: "a memory that was archived long ago; the ledger keeps its words",
  todo: "nothing; it only takes space",
  fix: {
    says: "remove it",
    isAsked: true,
    async run(memories) {
      const written = await memories.discard(id, { operation: "gc", run });
      if (written.kind === "refused") throw new Error(written.why);
    },
  },
});

function readLines(
  text: string,
  { file, isShared, prefix }: { file: string; isShared: boolean; prefix: string },
): { lines: LedgerLine[]; faults: Issue[] } {
  const lines: LedgerLine[] = [];
  const faults: Issue[] = [];
  const add = (number: number, what: string, todo = APPEND_ONLY): void => {
    faults.push({ level: "problem", file, what: `line ${number} ${what}`, todo });
  };
  for (const [n, raw] of text.split("\n").entries()) {
    const value = parseJson(raw);
    if (raw.trim() === "") continue;
    const reading = readLedgerLine(value, prefix);
    if (reading.kind === "line") lines.push(reading.line);
    else add(n + 1, reading.what);
    const { after, contents, key } = reading.kind === "line" ? reading.line : {};
    if (contents !== undefined && hashOf(contents) !== after)
      add(n + 1, `(${key}) was changed after it was written: its hash does not match`);
    const [secret] = findSecrets(contents ?? raw);
    if (secret) add(n + 1, `holds a secret (${secret.name})`, REVOKE);
    const hidden = isShared ? findPrivateID(contents ?? raw) : undefined;
    if (hidden) add(n + 1, `names the private memory ${hidden} and may be committed`, "remove the name");
  }
  return { lines, faults };
}

/** From the lines that the store would add for what a person has changed. */
function findHandEdits(added: string, place: CollectionPlace): Issue[] {
  return added.split("\n").flatMap((raw) => {
    const reading = readLedgerLine(parseJson(raw), formatPrefix(place));
    if (reading.kind !== "line" || reading.line.by !== "person") return [];
    const { after, before, path } = reading.line;
    const how = before === null ? "added" : after === null ? "removed" : "edited";
    return [
      {
        ...{ level: "note", file: join(place.folder, path), what: `it was ${how} by hand` },
        todo: "nothing if it was intended: the next use records it",
        fix: { says: "record that in the ledger" },
      },
    ];
  });
}
