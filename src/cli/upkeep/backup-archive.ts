/**
 * The file of `strata backup`: JSON Lines, compressed with gzip.
 *
 *     {"strata":"backup","v":1,"version":"0.1.0","created":"2026-11-22T09:00:00.000Z"}
 *     {"root":"project","path":".opencode/memory/decision/x.md","sha256":"…","text":"…"}     UTF-8
 *     {"root":"project","path":".opencode/tool-results/….bin","sha256":"…","base64":"…"}     any other file
 *     {"end":true,"files":2}
 *
 * Holds only one file's contents in memory at a time, besides the compressed archive.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { StrataError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import { isRecord, parseJson } from "../../base/shape.js";
import { VERSION } from "../../base/version.js";
import { decodeStrictly } from "../../io/files.js";
import { type FileKind, patternOf } from "../../kernel/expired-files.js";
import { kernelFiles } from "../../kernel/kernel-files.js";
import { type CliContext, exitCodes, type Run } from "../../operations/command.js";
import { createProgress } from "../../operations/progress.js";
import { openProject, type Project } from "../../operations/project.js";

export interface BackupEntry extends BackedUp {
  contents: Uint8Array;
}

const FORMAT = 1;
/** In characters; Strata writes no longer line. */
const LONGEST_LINE = 200_000_000;

/** The whole archive. */
export async function packBackup(entries: AsyncIterable<BackupEntry>, createdMs: number): Promise<Buffer> {
  const gzip = createGzip();
  const chunks: Buffer[] = [];
  gzip.on("data", (chunk: Buffer) => chunks.push(chunk));
  const add = async (line: object): Promise<void> => {
    if (!gzip.write(`${JSON.stringify(line)}\n`)) await once(gzip, "drain");
  };
  const created = new Date(createdMs).toISOString();
  await add({ strata: "backup", v: FORMAT, version: VERSION, created });
  let files = 0;
  for await (const { contents, path, root } of entries) {
    const text = decodeWhole(contents);
    const held = text === undefined ? { base64: Buffer.from(contents).toString("base64") } : { text };
    await add({ root, path, sha256: hash(contents), ...held });
    files++;
  }
  await add({ end: true, files });
  gzip.end();
  await once(gzip, "end");
  return Buffer.concat(chunks);
}

/** `undefined` if the text would not give the same bytes again. */
function decodeWhole(contents: Uint8Array): string | undefined {
  const text = decodeStrictly(contents);
  return text !== undefined && Buffer.from(text).equals(contents) ? text : undefined;
}

const hash = (contents: Uint8Array): string => createHash("sha256").update(contents).digest("hex");

/** The files of an archive, each checked against its hash. @throws StrataError WRONG_SOURCE unless it is whole */
export async function* unpackBackup(archive: Uint8Array): AsyncGenerator<BackupEntry> {
  let number = 0;
  let files = 0;
  let isComplete = false;
  for await (const text of readLines(archive)) {
    number++;
    const line = parseJson(text);
    if (!isRecord(line) || isComplete) throw damaged(`line ${number} is not part of a backup`);
    if (number === 1) checkHead(line);
    else if (line.end === true) {
      if (line.files !== files) throw damaged(`it should hold ${line.files} files, and holds ${files}`);
      isComplete = true;
    } else {
      yield readEntry(line, number);
      files++;
    }
  }
  if (!isComplete) throw damaged("its end is missing");
}

function checkHead({ strata, v }: Readonly<Record<string, unknown>>): void {
  if (strata !== "backup") throw damaged("it was not written by strata backup");
  if (typeof v !== "number" || v > FORMAT)
    throw damaged(`it has format ${v}, and this version reads ${FORMAT}; update opencode-strata`);
}

function readEntry(line: Readonly<Record<string, unknown>>, number: number): BackupEntry {
  const { base64, path, root: named, sha256, text } = line;
  const root = backupRoots.find((one) => one === named);
  const contents =
    typeof text === "string"
      ? Buffer.from(text)
      : typeof base64 === "string"
        ? Buffer.from(base64, "base64")
        : undefined;
  if (!root || typeof path !== "string" || !contents) throw damaged(`line ${number} is not a file`);
  if (hash(contents) !== sha256) throw damaged(`${path} differs from its hash`);
  return { root, path, contents };
}

const damaged = (why: string): StrataError =>
  new StrataError("WRONG_SOURCE", `the backup cannot be used: ${why}; nothing was restored`);

async function* readLines(archive: Uint8Array): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  /** Pieces of the unfinished line; joined once, because there may be thousands. */
  let pieces: string[] = [];
  let length = 0;
  try {
    for await (const chunk of Readable.from([archive]).pipe(createGunzip())) {
      const [first = "", ...others] = decoder.decode(chunk as Buffer, { stream: true }).split("\n");
      pieces.push(first);
      length += first.length;
      if (length > LONGEST_LINE) throw damaged("a line is too long");
      const last = others.pop();
      if (last === undefined) continue;
      yield pieces.join("");
      yield* others;
      pieces = [last];
      length = last.length;
    }
  } catch (thrown) {
    if (thrown instanceof StrataError) throw thrown;
    throw damaged("it is not a gzip file, or is damaged");
  }
  if (length > 0) throw damaged("it ends within a line");
}

/* Selects the files of a backup. */

/** `project`: the project's folder; `global`: OpenCode's global configuration folder. */
export const backupRoots = ["project", "global"] as const;
export type BackupRoot = (typeof backupRoots)[number];

export interface BackedUp {
  root: BackupRoot;
  /** Relative to the root, with `/` as separator. */
  path: string;
}

const OPENCODE = ".opencode/";
const FOLDERS: Readonly<Record<BackupRoot, readonly string[]>> = {
  project: ["memory", "session-memory", "tool-results", "strata"].map((name) => `${OPENCODE}${name}`),
  global: ["memory"],
};
/** Files that only running processes need, or that can be rebuilt from the rest. */
const PASSING =
  /\.lock$|\/strata\.log|\/state\/memory\/(?:internal|private)\/[^/]+$|\/stats\.html$|\/state\/(?:instances|calls|mail|edits|leases|views|screen|background|vectors|prices)\b/;
/** Folders of Strata are at most this deep. */
const MOST_DEPTH = 8;

export const folderOf = ({ globalFolder, root }: Project, of: BackupRoot): string =>
  of === "project" ? root : globalFolder;

export const countFiles = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? "file" : "files"}`;

/** Returns a predicate for paths allowed in a backup. Refuses every path that could lead elsewhere. */
export async function readBackedUp(cli: CliContext): Promise<(file: BackedUp) => boolean> {
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
export async function listBackedUp(project: Project): Promise<BackedUp[]> {
  const { files } = project.cli;
  const isBackedUp = await readBackedUp(project.cli);
  const found: BackedUp[] = [];
  for (const root of backupRoots)
    for (const folder of FOLDERS[root]) await walk({ root, path: folder }, MOST_DEPTH);
  return found;

  async function walk({ path, root }: BackedUp, depth: number): Promise<void> {
    for (const name of await files.list(join(folderOf(project, root), path))) {
      const inside = { root, path: `${path}/${name}` };
      const kind = (await files.statItself(join(folderOf(project, root), inside.path)))?.kind;
      if (kind === "folder" && depth > 0) await walk(inside, depth - 1);
      else if (kind === "file" && isBackedUp(inside)) found.push(inside);
    }
  }
}

/* `strata backup`: everything that Strata keeps of this project and of the user's memories, in one verified file. */

export const run: Run = async (cli, { force }, [given]) => {
  const { clock, files, say, style, warn } = cli;
  const project = await openProject(cli);
  const path = resolve(cli.folder, given ?? nameBackup(clock.now()));
  const listed = await listBackedUp(project);
  const archive = await packBackup(readAll(project, listed), clock.now());
  if (force === true) await files.writeWhole(path, archive);
  else if (!(await files.create(path, archive)))
    throw new StrataError(
      "IN_THE_WAY",
      `${path} already exists; choose another file, or replace it with --force`,
    );
  const count = await verify(cli, path);
  say(`Backed up and verified: ${countFiles(count)}, ${formatCount(archive.length)} bytes, ${path}`);
  if (!relative(project.root, path).startsWith(".."))
    warn(`${style.yellow("Private")}  it holds private memories: keep it out of git`);
  return exitCodes.fine;
};

const nameBackup = (nowMs: number): string =>
  `strata-backup-${new Date(nowMs).toISOString().slice(0, 16).replace(/[:T]/g, "-")}.jsonl.gz`;

/** Skips files that are removed meanwhile. */
async function* readAll(
  project: Project,
  listed: Awaited<ReturnType<typeof listBackedUp>>,
): AsyncGenerator<BackupEntry> {
  const progress = createProgress(project.cli, "Backing up");
  for (const [n, { path, root }] of listed.entries()) {
    progress.step(n, listed.length);
    const contents = await project.cli.files.read(join(folderOf(project, root), path));
    if (contents) yield { root, path, contents };
  }
  progress.end();
}

/** Reads the written archive completely; returns the number of files in it. */
async function verify({ files }: CliContext, path: string): Promise<number> {
  const written = await files.read(path);
  if (!written) throw new StrataError("ENOTWRITTEN", `${path} was written but is gone`);
  let count = 0;
  for await (const _ of unpackBackup(written)) count++;
  return count;
}
