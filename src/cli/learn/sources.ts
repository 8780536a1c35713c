/** Files with past conversations: JSON Lines of messages, `{id, session, role?, text, at?}`, or session exports. */

import { resolve } from "node:path";
import type { PastTurn } from "../../../layers/5-auto-memory/learn/learner.js";
import { createTurnSplitter, type StoredSession } from "../../../layers/5-auto-memory/learn/past-sessions.js";
import { StrataError } from "../../base/error.js";
import { isRecord, type PlainRecord, parseJson } from "../../base/shape.js";
import { isExportedMessage, readExportedSession } from "../../host/1/past-sessions.js";
import { decodeStrictly, decodeText } from "../../io/files.js";
import type { Message } from "../../io/message.js";
import type { CliContext } from "../../operations/command.js";
import type { SourceEvents } from "../../operations/open-sessions.js";
import { listLines } from "../../operations/transfer/json-export.js";

export interface SourcedTurn extends PastTurn {
  /** Message and session as the file names them, if it may use numbers. */
  given?: { id: string | number; session: string | number };
}

export type PastFile = { path: string; bytes: number };

/** Throws if one of them is missing, before any is read. */
export async function findFiles(
  { files, folder }: Pick<CliContext, "files" | "folder">,
  names: readonly string[],
): Promise<PastFile[]> {
  const found: PastFile[] = [];
  for (const path of names.map((name) => resolve(folder, name))) {
    const stat = await files.stat(path);
    if (stat?.kind === "file") found.push({ path, bytes: stat.bytes });
    else {
      const what = stat ? "is not a file" : "does not exist";
      const why = `${path} ${what}; strata learn reads JSON Lines and files made by: opencode export`;
      throw new StrataError("NO_SOURCE", why);
    }
  }
  return found;
}

/** The turns of all files, in order. Rejects with the system's error. */
export async function* readFiles(
  { clock, files }: Pick<CliContext, "clock" | "files">,
  found: readonly PastFile[],
  { onProblem, onProgress }: SourceEvents,
): AsyncGenerator<SourcedTurn, void, void> {
  const all = found.reduce((sum, { bytes }) => sum + bytes, 0);
  const split = createTurnSplitter();
  let done = 0;
  for (const { path } of found) {
    const bytes = (await files.read(path)) ?? new Uint8Array();
    const problemAt = (line: number, what: string): void => onProblem({ place: `${path}:${line}`, what });
    if (isExport(bytes)) {
      for (const session of readExports(decodeText(bytes), problemAt)) yield* split(session);
      done += bytes.length;
      onProgress(done, all);
    } else
      for (const { line, number } of listLines(bytes)) {
        const reading = readLine(line, clock.now());
        if (typeof reading === "string") problemAt(number, reading);
        else if (reading) {
          if (reading.undated !== undefined) problemAt(number, `${reading.undated}; read as said now`);
          yield reading.turn;
        }
        done += line.length + 1;
        onProgress(Math.min(done, all), all);
      }
  }
}

/**
 * Reads one line. A message without a date is of `nowMs`. `undefined` if it is blank or of somebody other than the user;
 * a sentence if it is no message. Pure.
 */
function readLine(
  bytes: Uint8Array,
  nowMs: number,
): { turn: SourcedTurn; undated?: string } | string | undefined {
  const text = decodeStrictly(bytes);
  if (text === undefined) return problem("got bytes that are not UTF-8");
  if (text.trim() === "") return undefined;
  const value = parseJson(text);
  if (value === undefined) return problem("got text that is not JSON");
  if (!isRecord(value)) return problem(`got ${nameOf(value)}`);
  const { id, role, session, text: said } = value;
  if (!isName(id)) return problem(`id is ${nameOf(id)}`);
  if (!isName(session)) return problem(`session is ${nameOf(session)}`);
  if (role !== undefined && role !== null && typeof role !== "string")
    return problem(`role is ${nameOf(role)}`);
  if (typeof said !== "string") return problem(`text is ${nameOf(said)}`);
  if (typeof role === "string" && role !== "user") return undefined;
  const { atMs, ...more } = readAt(value, nowMs);
  const info = { id: String(id), sessionID: String(session), role: "user", time: { created: atMs } };
  const message: Message = { info, parts: [{ type: "text", text: said }] };
  return { turn: { session: String(session), messages: [message], given: { id, session } }, ...more };
}

const isName = (value: unknown): value is string | number =>
  (typeof value === "string" && value !== "") || Number.isFinite(value);

const problem = (what: string): string =>
  `expected a message {"id", "session", "role"?, "text", "at"?}, ${what}`;

function nameOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (value === "") return "empty";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** ISO date-time or milliseconds since 1970. Nothing was said in the future: a clock was wrong. */
function readAt({ at }: PlainRecord, nowMs: number): { atMs: number; undated?: string } {
  if (at === undefined || at === null) return { atMs: nowMs };
  const atMs = typeof at === "string" ? Date.parse(at) : at;
  if (typeof atMs === "number" && atMs > 0 && atMs <= MOST_MS) return { atMs: Math.min(atMs, nowMs) };
  return { atMs: nowMs, undated: `expected "at" as an ISO date-time or milliseconds, got ${nameOf(at)}` };
}

/** The last time that JavaScript can express. */
const MOST_MS = 8.64e15;

/* Session exports (`opencode export`). */

/** How an export begins, whatever its spacing. */
const BEGINS = /^\s*\{\s*"(?:info"\s*:\s*\{|messages"\s*:\s*\[)/;

const isExport = (bytes: Uint8Array): boolean =>
  BEGINS.test(decodeText(bytes.subarray(0, 4_096)).replace(/^\ufeff/, ""));

/** Sessions that people opened, one after the other. Subagents' are left out. */
function* readExports(
  text: string,
  onProblem: (line: number, what: string) => void,
): Generator<StoredSession, void, void> {
  let line = 1;
  // Only the braces of a whole session stand at the beginning of a line.
  for (const one of text.split(/^(?=\{)/m)) {
    const whole = parseJson(one.replace(/^\ufeff/, ""));
    if (!isRecord(whole) || !Array.isArray(whole.messages))
      onProblem(line, "expected a whole session; export it again");
    else {
      const messages = whole.messages.filter(isExportedMessage);
      const others = whole.messages.length - messages.length;
      if (others > 0) onProblem(line, `expected messages with info and parts, ${others} are something else`);
      const session = readExportedSession(whole.info);
      const id = session?.id ?? messages[0]?.info.sessionID;
      if (id !== undefined && session?.isPersons !== false)
        yield { id, messages: session?.selectMessages(messages) ?? messages };
    }
    line += one.split("\n").length - 1;
  }
}
