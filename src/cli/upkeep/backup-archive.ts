/**
 * `strata backup`: everything that Strata keeps of this project and of the user's memories, in one verified file, JSON
 * Lines compressed with gzip.
 *
 *     {"strata":"backup","v":1,"version":"0.1.0","created":"2026-11-22T09:00:00.000Z"}
 *     {"root":"project","path":".opencode/memory/decision/x.md","sha256":"…","text":"…"}     UTF-8
 *     {"root":"project","path":".opencode/tool-results/….bin","sha256":"…","base64":"…"}     any other file
 *     {"end":true,"files":2}
 *
 * Holds only one file's contents in memory at a time, besides the compressed archive.
 */
import { createHash } from "node:crypto";
import { join, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip, createGzip } from "node:zlib";
import { StrataError } from "../../base/error.js";
import { formatCount } from "../../base/format.js";
import { isRecord, type PlainRecord, parseJson } from "../../base/shape.js";
import { VERSION } from "../../base/version.js";
import { decodeStrictly } from "../../io/files.js";
import { listFilesBelow } from "../../io/files-below.js";
import { type FileKind, kernelFiles, patternOf } from "../../kernel/file-kinds.js";
import { type CliContext, exitCodes, type Run } from "../../operations/command.js";
import { createProgress } from "../../operations/progress.js";
import { openProject, type Project } from "../../operations/project.js";

/** `project`: the project's folder; `global`: OpenCode's global configuration folder. */
export type BackupRoot = "project" | "global";

export interface BackedUp {
  root: BackupRoot;
  /** Relative to the root, with `/` as separator. */
  path: string;
}

export interface BackupEntry extends BackedUp {
  contents: Uint8Array;
}

const FORMAT = 1;
/** In characters; Strata writes no longer line. */
const LONGEST_LINE = 200_000_000;

export const run: Run = async (cli, { force }, [given]) => {
  const { clock, files, say, style, warn } = cli;
  const project = await openProject(cli);
  const created = new Date(clock.now()).toISOString();
  const usual = `strata-backup-${created.slice(0, 16).replace(/[:T]/g, "-")}.jsonl.gz`;
  const path = resolve(cli.folder, given ?? usual);
  const archive = await buffer(Readable.from(packBackup(project, created)).pipe(createGzip()));
  if (force === true) await files.writeWhole(path, archive);
  else if (!(await files.create(path, archive)))
    throw new StrataError(
      "IN_THE_WAY",
      `${path} already exists; choose another file, or replace it with --force`,
    );
  const written = await files.read(path);
  if (!written) throw new StrataError("ENOTWRITTEN", `${path} was written but is gone`);
  let count = 0;
  for await (const _ of unpackBackup(written)) count++;
  say(`Backed up and verified: ${countFiles(count)}, ${formatCount(archive.length)} bytes, ${path}`);
  if (!relative(project.root, path).startsWith(".."))
    warn(`${style.yellow("Private")}  it holds private memories: keep it out of git`);
  return exitCodes.fine;
};

/** The lines of an archive. Skips files that are removed meanwhile. */
async function* packBackup(project: Project, created: string): AsyncGenerator<string> {
  const listed = await listBackedUp(project);
  const progress = createProgress(project.cli, "Backing up");
  let files = 0;
  yield formatLine({ strata: "backup", v: FORMAT, version: VERSION, created });
  for (const [n, { path, root }] of listed.entries()) {
    progress.step(n, listed.length);
    const contents = await project.cli.files.read(join(folderOf(project, root), path));
    if (!contents) continue;
    const text = decodeStrictly(contents);
    // Text that would not give the same bytes again is kept as bytes.
    const isText = text !== undefined && Buffer.from(text).equals(contents);
    const held = isText ? { text } : { base64: Buffer.from(contents).toString("base64") };
    yield formatLine({ root, path, sha256: hash(contents), ...held });
    files++;
  }
  yield formatLine({ end: true, files });
  progress.end();
}

const formatLine = (line: object): string => `${JSON.stringify(line)}\n`;
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
    const { strata, v } = line;
    if (number === 1) {
      if (strata !== "backup") throw damaged("it was not written by strata backup");
      if (v !== FORMAT)
        throw damaged(`it has format ${v}, and this version reads ${FORMAT}; update opencode-strata`);
    } else if (line.end === true) {
      if (line.files !== files) throw damaged(`it should hold ${line.files} files, and holds ${files}`);
      isComplete = true;
    } else {
      yield readEntry(line, number);
      files++;
    }
  }
  if (!isComplete) throw damaged("its end is missing");
}

function readEntry({ base64, path, root, sha256, text }: PlainRecord, number: number): BackupEntry {
  const isRoot = root === "project" || root === "global";
  const held = typeof text === "string" ? text : base64;
  if (!isRoot || typeof path !== "string" || typeof held !== "string")
    throw damaged(`line ${number} is not a file`);
  const contents = Buffer.from(held, held === text ? "utf8" : "base64");
  if (hash(contents) !== sha256) throw damaged(`${path} differs from its hash`);
  return { root, path, contents };
}

const damaged = (why: string): StrataError =>
  new StrataError("WRONG_SOURCE", `the backup cannot be used: ${why}; nothing was restored`);

async function* readLines(archive: Uint8Array): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let last = "";
  try {
    for await (const chunk of Readable.from([archive]).pipe(createGunzip())) {
      const [first = "", ...others] = decoder.decode(chunk as Buffer, { stream: true }).split("\n");
      // Only joined, and never searched again: a line may have thousands of chunks.
      last += first;
      if (last.length > LONGEST_LINE) throw damaged("a line is too long");
      for (const line of others) {
        yield last;
        last = line;
      }
    }
  } catch (thrown) {
    if (thrown instanceof StrataError) throw thrown;
    throw damaged("it is not a gzip file, or is damaged");
  }
  if (last !== "") throw damaged("it ends within a line");
}

/* Selects the files of a backup. */

const OPENCODE = ".opencode/";
const FOLDERS: Readonly<Record<BackupRoot, readonly string[]>> = {
  project: ["memory", "session-memory", "tool-results", "strata"].map((name) => `${OPENCODE}${name}`),
  global: ["memory"],
};
/** Files that only running processes need, or that can be rebuilt from the rest. */
const PASSING =
  /\.lock$|\/strata\.log|\/state\/memory\/(?:internal|private)\/[^/]+$|\/stats\.html$|\/state\/(?:instances|calls|mail|edits|leases|views|screen|background|vectors|prices)\b/;

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
