/** Files with past conversations: JSON Lines of messages, `{id, session, role?, text, at?}`, or session exports. */
import { resolve } from "node:path";
import type { PastTurn } from "../../../layers/5-auto-memory/learn/learner.js";
import { createTurnSplitter, type StoredSession } from "../../../layers/5-auto-memory/learn/past-sessions.js";
import { StrataError } from "../../base/error.js";
import { isRecord, type PlainRecord, parseJson } from "../../base/shape.js";
import { type ExportedSession, isExportedMessage, readExportedSession } from "../../host/1/past-sessions.js";
import { decodeStrictly, decodeText, type Files } from "../../io/files.js";
import { isToolPart, type Message, type Part } from "../../io/message.js";
import type { CliContext } from "../../operations/command.js";
import { createExportScanner, type ExportPart } from "./export-scanner.js";

export interface SourcedTurn extends PastTurn {
  /** Message and session as the file names them, if it may use numbers. */
  given?: { id: string | number; session: string | number };
}

/** A part of a source that cannot be read. */
export interface SourceProblem {
  /** File and line, or session. */
  place: string;
  /** What was expected, and what came. */
  what: string;
}

export interface SourceEvents {
  onProblem(problem: SourceProblem): void;
  /** Position in the source, in its own unit. */
  onProgress(done: number, all: number): void;
}

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

export interface Line {
  /** From 1. */
  number: number;
  /** `undefined` if the line is longer than `LONGEST_LINE`. */
  bytes: Uint8Array | undefined;
}

/** More is not a message; 16 MB. */
export const LONGEST_LINE = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Lines of a stream, without their newlines; holds one line at a time. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, void> {
  let number = 1;
  let pieces: Uint8Array[] = [];
  let length = 0;
  const add = (piece: Uint8Array): void => {
    length += piece.byteLength;
    if (length > LONGEST_LINE) pieces = [];
    else if (piece.byteLength > 0) pieces.push(piece);
  };
  const take = (): Line => {
    const bytes = length > LONGEST_LINE ? undefined : Buffer.concat(pieces);
    [pieces, length] = [[], 0];
    return { number: number++, bytes };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      yield take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield take();
}

export type LineReading =
  | { kind: "turn"; turn: SourcedTurn; undated?: string }
  /** Blank, or the message of somebody other than the user. */
  | { kind: "nothing" }
  /** What came instead of a message. */
  | { kind: "problem"; what: string };

/** Reads one line. A message without a date is of `nowMs`. Pure. */
export function readLine({ bytes }: Pick<Line, "bytes">, nowMs: number): LineReading {
  if (!bytes) return problem(`more than ${LONGEST_LINE / 1024 / 1024} MB came`);
  const text = decodeStrictly(bytes);
  if (text === undefined) return problem("bytes that are not UTF-8 came");
  if (text.trim() === "") return { kind: "nothing" };
  const value = parseJson(text);
  if (value === undefined) return problem("text that is not JSON came");
  if (!isRecord(value)) return problem(`${nameOf(value)} came`);
  const { id, role, session, text: said } = value;
  for (const [field, given] of Object.entries({ id, session }))
    if (!isName(given)) return problem(`${field} is ${nameOf(given)}`);
  if (role !== undefined && role !== null && typeof role !== "string")
    return problem(`role is ${nameOf(role)}`);
  if (typeof said !== "string") return problem(`text is ${nameOf(said)}`);
  if (typeof role === "string" && role !== "user") return { kind: "nothing" };
  return toTurn({ id: id as string, session: session as string, text: said }, readAt(value, nowMs));
}

const isName = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || Number.isFinite(value);

const problem = (what: string): LineReading => ({
  kind: "problem",
  what: `expected a message {"id", "session", "role"?, "text", "at"?}, ${what}`,
});

function nameOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (value === "") return "empty";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function toTurn(
  given: { id: string | number; session: string | number; text: string },
  at: { atMs: number; undated?: string },
): LineReading {
  const session = String(given.session);
  const info = { id: String(given.id), sessionID: session, role: "user", time: { created: at.atMs } };
  const message: Message = { info, parts: [{ type: "text", text: given.text }] };
  const turn = { session, messages: [message], given: { id: given.id, session: given.session } };
  return { kind: "turn", turn, ...(at.undated !== undefined && { undated: at.undated }) };
}

/** ISO date-time or milliseconds since 1970. Nothing was said in the future: a clock was wrong. */
function readAt({ at }: PlainRecord, nowMs: number): { atMs: number; undated?: string } {
  if (at === undefined || at === null) return { atMs: nowMs };
  const atMs = typeof at === "string" ? Date.parse(at) : at;
  if (typeof atMs === "number" && atMs > 0 && atMs <= MOST_MS) return { atMs: Math.min(atMs, nowMs) };
  return { atMs: nowMs, undated: `expected "at" as an ISO date-time or milliseconds, ${nameOf(at)} came` };
}

/** The last time that JavaScript can express. */
const MOST_MS = 8.64e15;

/* Session exports (`opencode export`). */

/** How an export begins, whatever its spacing. */
const BEGINS = /^\s*\{\s*"(?:info"\s*:\s*\{|messages"\s*:\s*\[)/;

/** Is the file that begins with these bytes an export? */
export function isExport(first: Uint8Array): boolean {
  return BEGINS.test(decodeText(first.subarray(0, 4_096)).replace(/^\ufeff/, ""));
}

/** Sessions that people opened, one after the other. Subagents' are left out. */
export async function* readExports(
  chunks: AsyncIterable<Uint8Array>,
  onProblem: (line: number, what: string) => void,
): AsyncGenerator<StoredSession, void, void> {
  const scanner = createExportScanner();
  let session: ExportedSession | undefined;
  let messages: Message[] = [];
  const take = (part: ExportPart): StoredSession | undefined => {
    if (part.kind === "problem") onProblem(part.line, part.what);
    else if (part.kind === "end") {
      const ended = session;
      const read = messages;
      [session, messages] = [undefined, []];
      const id = ended?.id ?? read[0]?.info.sessionID;
      if (id === undefined || ended?.isPersons === false) return undefined;
      return { id, messages: ended?.selectMessages(read) ?? read };
    } else {
      const value = parseJson(decodeText(part.text));
      if (part.kind === "info") session = readExportedSession(value);
      else if (isExportedMessage(value)) messages.push(slim(value));
      else onProblem(part.line, "expected a message with info and parts, something else came");
    }
    return undefined;
  };
  for await (const chunk of chunks)
    for (const part of scanner.scan(chunk)) {
      const read = take(part);
      if (read) yield read;
    }
  for (const part of scanner.end()) {
    const read = take(part);
    if (read) yield read;
  }
}

/** Tools by which an agent saves memories itself: what extraction looks at in an answer. */
const MEMORY_TOOL = /^memory_/;

/** The message without what learning does not read: results of tools and files may be large. */
function slim({ info, parts }: Message): Message {
  const isRead = (part: Part): boolean =>
    info.role === "user"
      ? part.type === "text" && part.synthetic !== true
      : isToolPart(part) && MEMORY_TOOL.test(part.tool);
  const left = parts.map((part) => (isRead(part) ? part : pick(part)));
  return { info, parts: info.role === "user" ? left : left.filter(isRead) };
}

function pick(part: Part): Part {
  const { ignored, synthetic, type } = part;
  const id = (part as { id?: unknown }).id;
  return {
    type,
    ...(ignored && { ignored }),
    ...(synthetic && { synthetic }),
    ...(id !== undefined && { id }),
  };
}
