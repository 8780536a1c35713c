/**
 * `strata check`: what is wrong with the memories and their files, found by reading them. Nothing on disk changes: starts and
 * dreams mend what can be mended, and the rest is for a person.
 */
import { join } from "node:path";
import * as z from "zod";
import { countMemories, formatCounted } from "../base/format.js";
import { hashOf } from "../base/hash.js";
import { parseJson } from "../base/shape.js";
import { type Files, pathBelow, readPlainText } from "../io/files.js";
import { createGit } from "../io/node-git.js";
import { findPrivateID } from "../memory/draft.js";
import { formatPrefix, type Memory } from "../memory/memory.js";
import { findNameFault, LEDGER } from "../memory/path.js";
import { listSetAside, readPending } from "../memory/store/journal.js";
import { readLedgerLine } from "../memory/store/ledger.js";
import { type CollectionPlace, listItself } from "../memory/store/scan.js";
import { hidesAll } from "../project/folders.js";
import { findOwnFlaws } from "../project/own-flaws.js";
import { findSecrets } from "../text/secrets/secrets.js";
import type { CliContext } from "./command.js";
import { readCollections } from "./memory-files.js";
import { defineTerminalOperation } from "./operation.js";
import type { Project } from "./project.js";

/** Issues with the same remedy that are printed; `--json` has all of them. */
const MOST_ALIKE = 10;

export const check = defineTerminalOperation(z.object({}), async (project) => {
  const { cli, root } = project;
  const { issues, memories } = await findIssues(project);
  const isSound = issues.length === 0;
  const lines = [...formatIssues(cli, issues, root), `${countMemories(memories)} checked: ${count(issues)}.`];
  return {
    text: lines.join("\n"),
    data: { project: root, memories, isSound, issues },
    isProblem: !isSound,
  };
});

/** One line for each issue and one for its remedy. */
function formatIssues({ style }: CliContext, issues: readonly Issue[], root: string): string[] {
  const signs = { warning: style.yellow("warning"), problem: style.red("problem") };
  const alike = new Map<string, number>();
  const lines = issues.flatMap(({ file, level, todo, what }) => {
    const seen = (alike.get(todo) ?? 0) + 1;
    alike.set(todo, seen);
    if (seen > MOST_ALIKE) return [];
    return [
      `${signs[level]}  ${pathBelow(root, file) ?? file}: ${what}`,
      `         ${style.dim("→")} ${todo}`,
    ];
  });
  const hidden = [...alike.values()].reduce((sum, seen) => sum + Math.max(0, seen - MOST_ALIKE), 0);
  return hidden === 0 ? lines : [...lines, `         and ${hidden} more like these; --json lists all`];
}

/** "2 problems, 1 warning" */
function count(issues: readonly Issue[]): string {
  const counts = (["problem", "warning"] as const).flatMap((level) => {
    const some = issues.filter((issue) => issue.level === level).length;
    return some === 0 ? [] : [formatCounted(some, level)];
  });
  return counts.join(", ") || "no problems";
}

export interface Issue {
  /** `problem`: does not work. `warning`: needs attention. */
  level: "problem" | "warning";
  file: string;
  what: string;
  todo: string;
}

/** `memories`: how many can be read, archived ones too. */
async function findIssues(project: Project): Promise<{ issues: readonly Issue[]; memories: number }> {
  const { cli } = project;
  const collections = await readCollections(project, true);
  const issues: Issue[] = [];
  let memories = 0;
  for (const { looked, place } of collections) {
    for (const { path, reading } of looked) {
      const file = join(place.folder, path);
      if (reading.kind === "memory") {
        memories++;
        issues.push(...findMemoryIssues(file, reading.memory));
        continue;
      }
      const todo = "correct it by hand, or restore it from git or with strata backup restore";
      issues.push({ level: "problem", file, what: reading.what, todo });
    }
    const look: Look = { place, files: cli.files };
    for (const find of [findLedgerIssues, findPending, findSetAside, findUnhidden])
      issues.push(...(await find(look)));
  }
  const known = new Set(issues.map(({ file }) => file));
  issues.push(...(await findFolderIssues(project)).filter(({ file }) => !known.has(file)));
  issues.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return { issues, memories };
}

type Look = { place: CollectionPlace; files: Files };

const APPEND_ONLY = "restore the file from git, or remove the line; the memories themselves are intact";
const REVOKE = "remove it; if it was committed, revoke it as well, because git keeps old versions";

/** Damage to a ledger, and secrets in it. */
async function findLedgerIssues({ files, place }: Look): Promise<Issue[]> {
  const issues: Issue[] = [];
  const folder = join(place.folder, LEDGER);
  for (const name of (await listItself(files, folder)).filter((one) => one.endsWith(".jsonl"))) {
    const text = await readPlainText(files, join(folder, name));
    for (const [n, raw] of text.split("\n").entries())
      if (raw.trim() !== "")
        for (const { todo, what } of checkLine(raw, place))
          issues.push({ level: "problem", file: join(folder, name), what: `line ${n + 1} ${what}`, todo });
  }
  return issues;
}

function checkLine(raw: string, place: CollectionPlace): { what: string; todo: string }[] {
  const reading = readLedgerLine(parseJson(raw), formatPrefix(place));
  const faults: ReturnType<typeof checkLine> = [];
  const { after, contents, key = "" } = reading.kind === "line" ? reading.line : {};
  if (reading.kind === "problem") faults.push({ what: reading.what, todo: APPEND_ONLY });
  const changed = `(${key}) was changed after it was written: its hash does not match`;
  if (contents !== undefined && hashOf(contents) !== after) faults.push({ what: changed, todo: APPEND_ONLY });
  const [secret] = findSecrets(contents ?? raw);
  if (secret) faults.push({ what: `holds a secret (${secret.name})`, todo: REVOKE });
  const hidden = place.sensitivity === "internal" ? findPrivateID(contents ?? raw) : undefined;
  const named = `names the private memory ${hidden} and may be committed`;
  if (hidden) faults.push({ what: named, todo: "remove the name" });
  return faults;
}

/** A change that a killed process has left half done, or a repository has brought along. */
async function findPending({ files, place }: Look): Promise<Issue[]> {
  const file = join(place.state, "pending.json");
  const reading = await readPending(files, file, formatPrefix(place));
  if (!reading) return [];
  if ("why" in reading) {
    const what = `it is not a valid pending change, so nothing was changed: ${reading.why}`;
    return [{ level: "problem", file, what, todo: "nothing; the next change will rename it" }];
  }
  const what = "a change of memory was started but not finished";
  return [{ level: "warning", file, what, todo: "nothing; the next change will finish it" }];
}

async function findSetAside({ files, place }: Look): Promise<Issue[]> {
  return (await listSetAside(files, place.state).catch(() => [])).map((file) => ({
    level: "warning",
    file,
    what: "it was refused as a pending change of memory, so nothing was changed",
    todo: "find out where it comes from, perhaps the repository, and delete it",
  }));
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
    },
  ];
}

/** Folders that lead out of the project, or that git would commit. */
async function findFolderIssues({ cli: { files }, folders, settings }: Project): Promise<Issue[]> {
  const { config } = await settings();
  const flaws = await findOwnFlaws({ files, folders, config, git: createGit() });
  return flaws.map(({ path, todo, what }) => ({ level: "problem", file: path, what, todo }));
}

/** Names that other disks refuse, and private memories that a file names which may be committed. */
function findMemoryIssues(file: string, memory: Memory): Issue[] {
  const { content, id, links, sensitivity, tags, title } = memory;
  const found: Issue[] = [];
  const fault = findNameFault(id.slice(id.lastIndexOf("/") + 1));
  if (fault !== undefined) {
    const what = `${fault}; it is read and used, but has no history, and Strata does not change it`;
    found.push({ level: "warning", file, what, todo: "rename it" });
  }
  const hidden = findPrivateID([title, content, ...tags, ...links].join("\n"));
  if (hidden !== undefined && sensitivity !== "private") {
    const what = `it names the private memory ${hidden} and may be committed`;
    found.push({ level: "problem", file, what, todo: "remove the name, or move the file to private/" });
  }
  return found;
}
