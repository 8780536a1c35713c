/**
 * `strata backup`: everything that Strata keeps of this project and of the user's memories, in one verified file, JSON
 * Lines compressed with gzip. `strata backup restore` brings back what is missing.
 *
 *     {"strata":"backup","v":1,"version":"0.1.0","created":"2026-11-22T09:00:00.000Z"}
 *     {"root":"project","path":".opencode/memory/decision/x.md","sha256":"…","text":"…"}     UTF-8
 *     {"root":"project","path":".opencode/tool-results/….bin","sha256":"…","base64":"…"}     any other file
 *     {"end":true,"files":2}
 */
import { createHash } from "node:crypto";
import { dirname, join, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip, gunzipSync } from "node:zlib";
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { formatCount, formatCounted } from "../base/format.js";
import { isRecord, type PlainRecord, parseJson } from "../base/shape.js";
import { VERSION } from "../base/version.js";
import { decodeStrictly, decodeText, listFilesBelow } from "../io/files.js";
import { type FileKind, kernelFiles, patternOf } from "../kernel/file-kinds.js";
import { isWaiting } from "../memory/memory.js";
import { formatPath, splitPath } from "../memory/path.js";
import { hideFromGit } from "../project/folders.js";
import { type CliContext, createProgress, FORCE, writeNew } from "./command.js";
import { listPlaces } from "./memory-files.js";
import { withMemories } from "./open-memories.js";
import { defineTerminalOperation, flag, text } from "./operation.js";
import { openLocks, type Project } from "./project.js";

/** `project`: the project's folder; `global`: OpenCode's global configuration folder. */
type Root = "project" | "global";

/** `path`: relative to the root, with `/` as separator. */
type BackedUp = { root: Root; path: string };
type Entry = BackedUp & { contents: Uint8Array };

const FORMAT = 1;

const backupInput = z.object({ file: z.string().optional(), force: flag.default(false).describe(FORCE) });

export const backup = defineTerminalOperation(backupInput, async (project, { file, force }) => {
  const { cli } = project;
  const { clock, files, style } = cli;
  const created = new Date(clock.now()).toISOString();
  const usual = `strata-backup-${created.slice(0, 16).replace(/[:T]/g, "-")}.jsonl.gz`;
  const archive = await buffer(Readable.from(packBackup(project, created)).pipe(createGzip()));
  const path = await writeNew(cli, file ?? usual, archive, force);
  const written = await files.read(path);
  if (!written) throw new StrataError("ENOTWRITTEN", `${path} was written but is gone`);
  const count = [...unpackBackup(written)].length;
  const isInside = !relative(project.root, path).startsWith("..");
  return {
    text: `Backed up and verified: ${formatCounted(count, "file")}, ${formatCount(archive.length)} bytes, ${path}`,
    data: { file: path, files: count, bytes: archive.length },
    notes: isInside ? [`${style.yellow("Private")}  it holds private memories: keep it out of git`] : [],
  };
});

/** The lines of an archive, one file's contents at a time. Skips files that are removed meanwhile. */
async function* packBackup(project: Project, created: string): AsyncGenerator<string> {
  const listed = await listBackedUp(project);
  const progress = createProgress(project.cli, "Backing up");
  let files = 0;
  yield formatLine({ strata: "backup", v: FORMAT, version: VERSION, created });
  for (const [n, { path, root }] of listed.entries()) {
    progress.step(n, listed.length);
    const contents = await project.cli.files.read(join(folderOf(project, root), path));
    if (!contents) continue;
    const decoded = decodeStrictly(contents);
    // Text that would not give the same bytes again is kept as bytes.
    const isText = decoded !== undefined && Buffer.from(decoded).equals(contents);
    const held = isText ? { text: decoded } : { base64: Buffer.from(contents).toString("base64") };
    yield formatLine({ root, path, sha256: hash(contents), ...held });
    files++;
  }
  yield formatLine({ end: true, files });
  progress.end();
}

const hash = (contents: Uint8Array): string => createHash("sha256").update(contents).digest("hex");
const formatLine = (line: object): string => `${JSON.stringify(line)}\n`;

/** The files of an archive, each checked against its hash. @throws StrataError WRONG_SOURCE unless it is whole */
function* unpackBackup(archive: Uint8Array): Generator<Entry> {
  let files: number | undefined;
  let isComplete = false;
  for (const line of readLines(archive)) {
    if (!isRecord(line) || isComplete) throw damaged("a line is not part of a backup");
    if (files === undefined) {
      if (line.strata !== "backup") throw damaged("it was not written by strata backup");
      if (line.v !== FORMAT)
        throw damaged(`it has format ${line.v}, and this version reads ${FORMAT}; update opencode-strata`);
      files = 0;
    } else if (line.end === true) {
      if (line.files !== files) throw damaged(`it should hold ${line.files} files, and holds ${files}`);
      isComplete = true;
    } else {
      yield readEntry(line);
      files++;
    }
  }
  if (!isComplete) throw damaged("its end is missing");
}

function readEntry({ base64, path, root, sha256, text }: PlainRecord): Entry {
  const isRoot = root === "project" || root === "global";
  const held = typeof text === "string" ? text : base64;
  if (!isRoot || typeof path !== "string" || typeof held !== "string") throw damaged("a line is not a file");
  const contents = Buffer.from(held, held === text ? "utf8" : "base64");
  if (hash(contents) !== sha256) throw damaged(`${path} differs from its hash`);
  return { root, path, contents };
}

function* readLines(archive: Uint8Array): Generator<unknown> {
  const text = unzip(archive);
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    if (end === -1) throw damaged("it ends within a line");
    yield parseJson(text.toString("utf8", from, end));
    from = end + 1;
  }
}

function unzip(archive: Uint8Array): Buffer {
  try {
    return gunzipSync(archive);
  } catch {
    throw damaged("it is not a gzip file, or is damaged");
  }
}

const damaged = (why: string): StrataError =>
  new StrataError("WRONG_SOURCE", `the backup cannot be used: ${why}; nothing was restored`);

/* Selects the files of a backup. */

const OPENCODE = ".opencode/";
const FOLDERS: Readonly<Record<Root, readonly string[]>> = {
  project: ["memory", "session-memory", "tool-results", "strata"].map((name) => `${OPENCODE}${name}`),
  global: ["memory"],
};
/** Files that only running processes need, or that can be rebuilt from the rest. */
const PASSING =
  /\.lock$|\/strata\.log|\/state\/memory\/(?:internal|private)\/[^/]+$|\/stats\.html$|\/state\/(?:instances|calls|mail|leases|views|screen|background|vectors|prices)\b/;

const folderOf = ({ globalFolder, root }: Project, of: Root): string =>
  of === "project" ? root : globalFolder;

/** Returns a predicate for paths allowed in a backup. Refuses every path that could lead elsewhere. */
async function readBackedUp(cli: CliContext): Promise<(file: BackedUp) => boolean> {
  const kinds: FileKind[] = [...kernelFiles, ...(await cli.loadLayers()).flatMap(({ files }) => files)];
  const patterns = kinds.map(patternOf);
  return ({ path, root }) => {
    const whole = root === "project" ? path : `${OPENCODE}${path}`;
    const isPlain =
      !/[\\:]|\p{Cc}/u.test(path) && path.split("/").every((part) => !["", ".", ".."].includes(part));
    const isBelow = FOLDERS[root].some((folder) => path.startsWith(`${folder}/`));
    return isPlain && isBelow && !PASSING.test(whole) && patterns.some((pattern) => pattern.test(whole));
  };
}

/** Every file to back up, by root and path, without links. */
async function listBackedUp(project: Project): Promise<BackedUp[]> {
  const isBackedUp = await readBackedUp(project.cli);
  const found: BackedUp[] = [];
  for (const root of ["project", "global"] as const)
    for (const folder of FOLDERS[root]) {
      const place = join(folderOf(project, root), folder);
      const { paths } = await listFilesBelow(project.cli.files, place, () => true);
      found.push(...paths.map((path) => ({ root, path: `${folder}/${path}` })));
    }
  return found.filter(isBackedUp);
}

/* Restores the missing files of a backup. */

const restoreInput = z.object({
  file: text("must name a backup"),
  global: flag.default(false).describe("includes global memories"),
  force: flag.default(false).describe("replaces files that differ"),
  dryRun: flag.default(false).describe("shows what would be restored"),
});
type RestoreOptions = z.output<typeof restoreInput>;

const MOST_LISTED = 20;

/** Paths by what became of them. `keep`: they differ here. `moved`: memories archived or in use since. */
type Restored = Record<"create" | "replace" | "same" | "keep" | "moved" | "global", string[]>;

/** Checks the whole archive before writing the first file. */
export const restoreBackup = defineTerminalOperation(restoreInput, async (project, options) => {
  const { cli, folders } = project;
  const path = resolve(cli.folder, options.file);
  const archive = await cli.files.read(path);
  if (!archive) throw new StrataError("NO_SOURCE", `${path} does not exist`);
  const isBackedUp = await readBackedUp(cli);
  for (const entry of unpackBackup(archive))
    if (!isBackedUp(entry))
      throw new StrataError("WRONG_SOURCE", `${path} names ${entry.path}, which Strata does not write`);
  const done: Restored = { create: [], replace: [], same: [], keep: [], moved: [], global: [] };
  const restore = async (): Promise<void> => {
    // Before the first private file is written.
    if (!options.dryRun) await hideFromGit(cli.files, folders.strata);
    for (const entry of unpackBackup(archive))
      done[await restoreOne(project, entry, options)].push(entry.path);
  };
  await (options.dryRun ? restore() : withLocks(project, restore));
  const { notes, text } = report(project, done, options);
  const isChanged = !options.dryRun && done.create.length + done.replace.length > 0;
  const isProblem = done.keep.length + done.moved.length > 0;
  if (isChanged) notes.push(...(await lookAtMemories(project)));
  return { text, data: done, notes, isProblem };
});

/** Runs while holding the lock of every memory folder, so that no other process writes there. */
function withLocks<T>(project: Project, run: () => Promise<T>): Promise<T> {
  const locks = openLocks(project, "cli restore");
  return listPlaces(project).reduce<() => Promise<T>>(
    (inner, { state }) =>
      () =>
        locks.withLock(join(state, "lock"), inner),
    run,
  )();
}

async function restoreOne(
  project: Project,
  { contents, path, root }: Entry,
  { dryRun, force, global: withGlobal }: RestoreOptions,
): Promise<keyof Restored> {
  const { files } = project.cli;
  if (root === "global" && !withGlobal) return "global";
  const target = join(folderOf(project, root), path);
  const present = await files.read(target);
  const twin = present ? undefined : findTwin(path);
  if (twin !== undefined && (await files.statItself(join(folderOf(project, root), twin)))) return "moved";
  const plan = present ? planReplacing(path, contents, present, force) : "create";
  if (dryRun) return plan;
  if (plan === "replace") await files.writeWhole(target, contents);
  else if (plan === "create" && !(await files.create(target, contents)))
    throw new StrataError("IN_THE_WAY", `${dirname(target)} has something in the place of ${path}`);
  return plan;
}

/** The other place of the same memory, active or archived; `undefined` for any other file. */
function findTwin(path: string): string | undefined {
  const [, folder, collection = "", inside = ""] =
    /^((?:\.opencode\/)?memory\/)(private\/)?(.*)$/s.exec(path) ?? [];
  const parts = folder === undefined ? undefined : splitPath(inside);
  return parts && `${folder}${collection}${formatPath({ ...parts, isArchived: !parts.isArchived })}`;
}

/** Line files are append-only: the longer one contains both. */
function planReplacing(
  path: string,
  contents: Uint8Array,
  present: Uint8Array,
  isForced: boolean,
): "replace" | "same" | "keep" {
  if (Buffer.from(contents).equals(present)) return "same";
  if (path.endsWith(".jsonl")) {
    const [backup, now] = [decodeText(contents), decodeText(present)];
    if (now.startsWith(backup)) return "same";
    if (backup.startsWith(now)) return "replace";
  }
  // Generated from the memories, which the restore changes.
  if (/(^|\/)(MEMORY\.md|\.gitignore)$/.test(path)) return "same";
  return isForced ? "replace" : "keep";
}

function report({ cli: { style } }: Project, done: Restored, { dryRun }: RestoreOptions) {
  const restored = [...done.create, ...done.replace];
  const kept = [
    ...done.keep.map((path) => `${path} differs`),
    ...done.moved.map((path) => `${path} is ${/\barchive\//.test(path) ? "in use again" : "archived"} here`),
  ];
  const others = restored.length - MOST_LISTED;
  const counts = [
    [done.moved, "archived or in use since; strata memory archive and restore move them"],
    [done.same, "already there"],
    [done.keep, "differ and stay; --force replaces them"],
    [done.global, "are global; --global includes them"],
  ] as const;
  const head = `${dryRun ? "Would restore" : "Restored"}: ${formatCounted(restored.length, "file")}`;
  const more = counts.flatMap(([{ length }, what]) => (length > 0 ? [`${formatCount(length)} ${what}`] : []));
  const listed = [
    ...restored.slice(0, MOST_LISTED),
    ...(others > 0 ? [`and ${formatCount(others)} more`] : []),
  ];
  return {
    text: [...listed, [head, ...more].join(", ")].join("\n"),
    notes: kept.slice(0, MOST_LISTED).map((line) => `${style.yellow("Kept")}  ${line}`),
  };
}

/** Updates ledger and index, and reports memories that do not count as the user's on this machine. */
function lookAtMemories(project: Project): Promise<string[]> {
  return withMemories(project, async (memories) => {
    const foreign = (await memories.list()).filter(isWaiting).length;
    const what = `${foreign} memories do not count as yours on this machine; strata trust lists them`;
    return foreign > 0 ? [what] : [];
  });
}
