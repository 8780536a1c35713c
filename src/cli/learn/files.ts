/** Files with past conversations: JSON Lines of messages, or session exports. */
import { resolve } from "node:path";
import { StrataError } from "../../error.js";
import type { Files } from "../../seams/files.js";
import type { CliContext } from "../command.js";
import { createTurnSplitter, isExport, readExports } from "./exports.js";
import { readLine, splitLines } from "./json-lines.js";
import type { SourcedTurn, SourceEvents } from "./source.js";

export interface PastFile {
  path: string;
  bytes: number;
}

/** Throws if one of them is missing, before any is read. */
export async function findFiles(
  { files, folder }: Pick<CliContext, "files" | "folder">,
  names: readonly string[],
): Promise<PastFile[]> {
  const found: PastFile[] = [];
  for (const path of names.map((name) => resolve(folder, name))) {
    const stat = await files.stat(path);
    if (stat?.kind === "file") found.push({ path, bytes: stat.bytes });
    else
      throw new StrataError(
        "NO_SOURCE",
        `${path} ${stat ? "is not a file" : "does not exist"}; strata learn reads JSON Lines and files made by: opencode export`,
      );
  }
  return found;
}

const FIRST_BYTES = 4_096;

/** The turns of all files, in order. Rejects with the system's error. */
export async function* readFiles(
  { clock, files }: Pick<CliContext, "clock" | "files">,
  found: readonly PastFile[],
  events: SourceEvents,
): AsyncGenerator<SourcedTurn, void, void> {
  const all = found.reduce((sum, { bytes }) => sum + bytes, 0);
  const split = createTurnSplitter();
  let done = 0;
  for (const { bytes, path } of found) {
    const chunks = readChunks(files, path, (read) => events.onProgress(done + read, all));
    const onProblem = (line: number, what: string): void =>
      events.onProblem({ place: `${path}:${line}`, what });
    const first = (await files.readFrom(path, 0, { maxBytes: FIRST_BYTES })) ?? new Uint8Array();
    if (isExport(first)) for await (const session of readExports(chunks, onProblem)) yield* split(session);
    else yield* readTurns(chunks, clock.now, onProblem);
    done += bytes;
  }
}

async function* readTurns(
  chunks: AsyncIterable<Uint8Array>,
  now: () => number,
  onProblem: (line: number, what: string) => void,
): AsyncGenerator<SourcedTurn, void, void> {
  for await (const line of splitLines(chunks)) {
    const reading = readLine(line, now());
    if (reading.kind === "problem") onProblem(line.number, reading.what);
    if (reading.kind !== "turn") continue;
    if (reading.undated !== undefined) onProblem(line.number, `${reading.undated}; read as said now`);
    yield reading.turn;
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** The file's bytes in pieces of at most 1 MB, however long it is. Rejects with the system's error. */
async function* readChunks(
  files: Pick<Files, "readFrom">,
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  for (let offset = 0; ; ) {
    const chunk = await files.readFrom(path, offset, { maxBytes: CHUNK_BYTES });
    if (!chunk || chunk.byteLength === 0) return;
    offset += chunk.byteLength;
    yield chunk;
    onRead(offset);
  }
}
