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
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { StrataError } from "../../base/error.js";
import { isRecord, parseJson } from "../../base/records.js";
import { VERSION } from "../../base/version.js";
import { decodeStrictly } from "../../io/files.js";
import { type BackedUp, backupRoots } from "./backup-files.js";

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
