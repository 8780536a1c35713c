/** Finds what is wrong with the memories and their files, by reading them: nothing on disk changes. */
import { randomUUID } from "node:crypto";
import { join, relative } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { formatError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import { parseJson } from "../../base/shape.js";
import { type Files, readPlainText, readText } from "../../io/files.js";
import { formatLock } from "../../io/locks.js";
import { createGit } from "../../io/node-git.js";
import { findExpired, kernelFiles, removeIfUnchanged, stateFolderFiles } from "../../kernel/file-kinds.js";
import { findPrivateID, refuseWithSecret } from "../../memory/draft.js";
import { formatPrefix, type Memory } from "../../memory/memory.js";
import { LEDGER } from "../../memory/path.js";
import { formatLine, INDEX_MARK } from "../../memory/store/index-page.js";
import { readPending } from "../../memory/store/journal.js";
import { readLedgerLine } from "../../memory/store/ledger.js";
import type { CollectionPlace } from "../../memory/store/places.js";
import { listItself } from "../../memory/store/scan.js";
import { findLocks } from "../../operations/doctor/machine.js";
import { listPlaces, readCollections } from "../../operations/memory-files.js";
import { withMemories } from "../../operations/open-memories.js";
import { openLocks, type Project } from "../../operations/project.js";
import { hideFromGit, hidesAll } from "../../project/folders.js";
import { findOwnFlaws } from "../../project/own-flaws.js";
import { findSecrets } from "../../text/secrets/secrets.js";
import { checkSetAside, findForeign } from "../doctor/settings-in-force.js";
import { findMemoryIssues, type Issue, type MemoryFile } from "./find-memory-issues.js";

export interface CheckOptions {
  /** Files that are no longer needed count from this age. */
  days: number;
  /** Do archived memories of that age count as well? */
  isArchiveDue: boolean;
}

export interface Found {
  /** By file. */
  issues: readonly Issue[];
  /** Number of memories that can be read, including archived ones. */
  memories: number;
}

export async function findIssues(project: Project, options: CheckOptions): Promise<Found> {
  const { cli, folders } = project;
  const collections = await readCollections(project, refuseWithSecret);
  const foreign = new Set(await findForeign(project, collections));
  const issues: Issue[] = [];
  const all: MemoryFile[] = [];
  for (const { looked, place } of collections) {
    const own: MemoryFile[] = [];
    for (const { path, reading } of looked) {
      const file = join(place.folder, path);
      if (reading.kind === "memory") {
        const isOthers = foreign.has(reading.memory.id);
        own.push({ file, memory: { ...reading.memory, ...(isOthers && { isForeign: true as const }) } });
        continue;
      }
      const todo = "correct it by hand, or restore it from git or with strata backup restore";
      issues.push({ level: "problem", file, what: reading.what, todo });
    }
    const look: Look = { ...options, place, files: cli.files, own, nowMs: cli.clock.now() };
    issues.push(...(await findLedgerIssues(look)), ...(await findIndexIssues(look)));
    issues.push(...(await findPending(look)), ...(await findUnhidden(look)));
    all.push(...own);
  }
  issues.push(...findMemoryIssues(all, cli.clock.now()), ...(await findLockIssues(project)));
  const known = new Set(issues.map(({ file }) => file));
  issues.push(...(await findFolderIssues(project)).filter(({ file }) => !known.has(file)));
  for (const { todo = "", what } of await checkSetAside(project))
    issues.push({ level: "warning", file: folders.memory, what, todo });
  issues.push(...(await findOldFiles(project, options.days)));
  issues.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return { issues, memories: all.length };
}

/** The path relative to the project, if it is inside. */
export function formatPath(file: string, root: string): string {
  const inside = relative(root, file);
  return inside.startsWith("..") ? file : inside;
}

/** One folder of memories. */
interface Look extends CheckOptions {
  place: CollectionPlace;
  files: Files;
  own: readonly MemoryFile[];
  nowMs: number;
}

const APPEND_ONLY = "restore the file from git, or remove the line; the memories themselves are intact";
const REVOKE = "remove it; if it was committed, revoke it as well, because git keeps old versions";

/** Damage to a ledger, secrets in it, and memories that were archived long ago. */
async function findLedgerIssues(look: Look): Promise<Issue[]> {
  const { files, place } = look;
  const issues: Issue[] = [];
  const lastMs = new Map<string, number>();
  const folder = join(place.folder, LEDGER);
  for (const name of (await listItself(files, folder)).filter((one) => one.endsWith(".jsonl"))) {
    const text = await readPlainText(files, join(folder, name));
    for (const [n, raw] of text.split("\n").entries())
      if (raw.trim() !== "")
        for (const { todo, what } of checkLine(raw, place, lastMs))
          issues.push({ level: "problem", file: join(folder, name), what: `line ${n + 1} ${what}`, todo });
  }
  return [...issues, ...findLongArchived(look, lastMs)];
}

/** Faults of one line; notes when its memory was changed. */
function checkLine(
  raw: string,
  place: CollectionPlace,
  lastMs: Map<string, number>,
): { what: string; todo: string }[] {
  const reading = readLedgerLine(parseJson(raw), formatPrefix(place));
  const faults: { what: string; todo: string }[] = [];
  const { after, at, contents, key = "" } = reading.kind === "line" ? reading.line : {};
  if (reading.kind === "problem") faults.push({ what: reading.what, todo: APPEND_ONLY });
  else lastMs.set(key, Math.max(lastMs.get(key) ?? 0, Date.parse(at ?? "")));
  if (contents !== undefined && hashOf(contents) !== after)
    faults.push({
      what: `(${key}) was changed after it was written: its hash does not match`,
      todo: APPEND_ONLY,
    });
  const [secret] = findSecrets(contents ?? raw);
  if (secret) faults.push({ what: `holds a secret (${secret.name})`, todo: REVOKE });
  const hidden = place.sensitivity === "internal" ? findPrivateID(contents ?? raw) : undefined;
  if (hidden)
    faults.push({
      what: `names the private memory ${hidden} and may be committed`,
      todo: "remove the name",
    });
  return faults;
}

function findLongArchived(
  { days, isArchiveDue, nowMs, own, place }: Look,
  lastMs: ReadonlyMap<string, number>,
): Issue[] {
  if (!isArchiveDue || place.scope !== "project") return [];
  const run = randomUUID().slice(0, 8);
  // Without a line of the ledger nobody knows when it was put aside: then it is not old.
  const isOld = ({ id, pinned, status }: Memory): boolean =>
    status === "archived" && !pinned && nowMs - (lastMs.get(id) ?? nowMs) > days * DAY_MS;
  return own
    .filter(({ memory }) => isOld(memory))
    .map(({ file, memory: { id } }) => ({
      level: "note",
      file,
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
    }));
}

/** The order of an index changes with use and time, so only its lines count, and those for which there was no room. */
async function findIndexIssues({ files, own, place: { folder } }: Look): Promise<Issue[]> {
  const file = join(folder, "MEMORY.md");
  const page = await readText(files, join(folder, "MEMORY.md"));
  const wanted = own.filter(({ memory: { status } }) => status === "active" || status === "resolved");
  if (page !== undefined && !page.startsWith(INDEX_MARK)) {
    const what = "it was not written by Strata, so there is no index here";
    return [{ level: "note", file, what, todo: "rename it to get an index" }];
  }
  if (page === undefined && wanted.length === 0) return [];
  const lines = (page ?? "").split("\n").filter((line) => line.startsWith("- ["));
  const leftOut = /^([\d,]+) memor(?:y|ies) more:/m.exec(page ?? "")?.[1] ?? "0";
  const known = new Set(wanted.map(({ memory }) => formatLine(memory)));
  const isWhole = lines.length + Number(leftOut.replaceAll(",", "")) === wanted.length;
  if (isWhole && lines.every((line) => known.has(line))) return [];
  const what = page === undefined ? "the index is missing" : "the index is out of date";
  const todo = "nothing; the next use rebuilds it";
  return [{ level: "warning", file, what, todo, fix: { says: "rebuild it from the files" } }];
}

/** A change that a killed process has left half done, or a repository has brought along. */
async function findPending({ files, place }: Look): Promise<Issue[]> {
  const file = join(place.state, "pending.json");
  const reading = await readPending(files, file, formatPrefix(place));
  if (!reading) return [];
  const isValid = reading.kind === "pending";
  const says = isValid ? "finish it" : "rename it";
  const what = isValid
    ? "a change of memory was started but not finished"
    : `it is not a valid pending change, and nothing of it is done: ${reading.why}`;
  const todo = `nothing; the next change will ${says}`;
  return [{ level: isValid ? "warning" : "problem", file, what, todo, fix: { says } }];
}

/** In the folder of private memories git ignores everything. */
async function findUnhidden({ files, place: { folder, sensitivity } }: Look): Promise<Issue[]> {
  if (sensitivity !== "private" || (await files.list(folder)).length === 0) return [];
  if (hidesAll(await readPlainText(files, join(folder, ".gitignore")))) return [];
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
  return flaws.map(({ lacking, path, todo, what }) => {
    const prepare = (): Promise<void> => hideFromGit(files, join(path, ".."), lacking);
    const fix = lacking && { says: `add ${lacking.join(" and ")} at its end`, prepare };
    return { level: "problem", file: path, what, todo, ...(fix && { fix }) };
  });
}

async function findLockIssues(project: Project): Promise<Issue[]> {
  const { files } = project.cli;
  const locks = openLocks(project, "check");
  const found: Issue[] = [];
  for (const folder of new Set(listPlaces(project).map(({ state }) => join(state, "..", ".."))))
    for (const file of await findLocks(files, folder)) {
      const state = await locks.inspect(file);
      const { isStale, says: what } = formatLock(state);
      const prepare = (): Promise<void> => locks.withLock(file, async () => {}, { waitMs: 0 });
      const fix = { says: "release it, unless a process holds it by then", prepare };
      const todo = "nothing; the next process that needs it takes it over";
      if (isStale) found.push({ level: "warning", file, what, todo, fix });
      else if (state.kind !== "free" && !state.token)
        found.push({ level: "problem", file, what, todo: "wait a minute and check again" });
    }
  return found;
}

/** Files that no session needs any more. */
async function findOldFiles(project: Project, days: number): Promise<Issue[]> {
  const { cli, folders, processes, stateFolder: root } = project;
  const { clock, files } = cli;
  const world = { clock, files, folders, processes };
  const kinds = [...kernelFiles, ...(await cli.loadLayers()).flatMap((layer) => layer.files)];
  const old = await findExpired(world, kinds, days);
  old.push(...(await findExpired({ ...world, root }, stateFolderFiles, days)));
  return old.map((file) => ({
    level: "note",
    file: file.path,
    what: `${file.what}, no longer needed`,
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
  const tryEach = async (step: (fix: NonNullable<Issue["fix"]>) => Promise<void> | undefined) => {
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
