/** Files with past conversations: JSON Lines of messages, `{id, session, role?, text, at?}`, or session exports. */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { PastTurn } from "../../../layers/5-auto-memory/learn/learner.js";
import { createTurnSplitter, type StoredSession } from "../../../layers/5-auto-memory/learn/past-sessions.js";
import { StrataError } from "../../base/error.js";
import { isRecord, type PlainRecord, parseJson } from "../../base/shape.js";
import { isSecond as isSecondVersion } from "../../base/tested.js";
import { parseConfig } from "../../config/config-files.js";
import { writer } from "../../host/1/live-config.js";
import {
  isExportedMessage,
  openPastSessions,
  type PastSessions,
  readExportedSession,
} from "../../host/1/past-sessions.js";
import { openServerModel, type ServerModel } from "../../host/1/server-model.js";
import type { Login } from "../../host/server.js";
import { decodeStrictly, decodeText } from "../../io/files.js";
import type { Message } from "../../io/message.js";
import type { CliContext } from "../../operations/command.js";
import {
  findOpenCode,
  type OpenCodeRun,
  readVersion,
  serveOpenCode,
} from "../../operations/doctor/opencode.js";
import type { Project } from "../../operations/project.js";
import { listLines } from "../../operations/transfer/json-export.js";

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
  if (text === undefined) return problem("bytes that are not UTF-8 came");
  if (text.trim() === "") return undefined;
  const value = parseJson(text);
  if (value === undefined) return problem("text that is not JSON came");
  if (!isRecord(value)) return problem(`${nameOf(value)} came`);
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
  return { atMs: nowMs, undated: `expected "at" as an ISO date-time or milliseconds, ${nameOf(at)} came` };
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

/* OpenCode's own sessions of the project, read through a server: a running one, or one started for it. */

const START_MS = 60_000;

export interface OpenSessions {
  templates: readonly string[];
  /** Number of those that people opened. */
  count: number;
  /** Asks a model through the server. */
  model: ServerModel & { parentID: string };
  /** Those that people opened, oldest first. */
  sessions(events: SourceEvents): AsyncGenerator<StoredSession, void, void>;
  close(): Promise<void>;
}

/** Throws if there is no OpenCode, or none that answers. `url`: a running server. */
export async function openSessions(project: Project, url: string | undefined): Promise<OpenSessions> {
  const { cli, root } = project;
  const password = randomUUID();
  const agent = `strata-${randomUUID().slice(0, 8)}`;
  const run = url === undefined ? await startServer(project, { agent, password }) : undefined;
  const address = url ?? run?.url ?? "";
  try {
    const login = url === undefined ? { password, name: NAME } : readLogin(cli);
    const server = { clock: cli.clock, project: root, url: address, ...(login && { login }) };
    const past = openPastSessions(server);
    const ids = await past.list();
    if (!ids) throw new StrataError("NO_HOST", describeSilence(address, run));
    const isSecond = past.isSecond();
    const model = openServerModel({ ...server, isSecond, ...(run && { agent }) });
    return {
      count: ids.length,
      model: { ...model, parentID: ids.at(-1) ?? "" },
      templates: await past.listTemplates(),
      sessions: (events) => readSessions(past, ids, events),
      async close() {
        await model.close();
        await run?.stop();
      },
    };
  } catch (thrown) {
    await run?.stop();
    throw thrown;
  }
}

async function* readSessions(
  past: PastSessions,
  ids: readonly string[],
  { onProblem, onProgress }: SourceEvents,
): AsyncGenerator<StoredSession, void, void> {
  for (const [index, id] of ids.entries()) {
    const messages = await past.readMessages(id);
    if (messages) yield { id, messages };
    else
      onProblem({
        place: `session ${id}`,
        what: "OpenCode did not send its messages; run the command again",
      });
    onProgress(index + 1, ids.length);
  }
}

/**
 * With the user's own sessions, and without plugins: what is read here starts no work. OpenCode 2 loads plugins when a
 * request names their project, which none of ours does.
 */
async function startServer(
  { cli, root }: Project,
  { agent, password }: { agent: string; password: string },
): Promise<OpenCodeRun> {
  const binary = await findOpenCode(cli);
  if (binary === undefined)
    throw new StrataError(
      "NO_HOST",
      "no opencode in the PATH, which --sessions starts to read its sessions; install it, name a running server with --server URL, or give files made by: opencode export",
    );
  const version = await readVersion(binary, cli.clock);
  const isSecond = version !== undefined && isSecondVersion(version);
  // A password in the user's environment would lock us out of our own server.
  const { OPENCODE_PASSWORD: _, OPENCODE_SERVER_USERNAME: __, ...own } = cli.env;
  const config = isSecond
    ? {}
    : { OPENCODE_CONFIG_CONTENT: await addAgent(own.OPENCODE_CONFIG_CONTENT, agent) };
  const env = { ...own, ...config, OPENCODE_SERVER_PASSWORD: password };
  return serveOpenCode({
    ...{ binary, env, isSecond, project: root, clock: cli.clock, startMs: START_MS },
    args: isSecond ? [] : ["--pure"],
  });
}

/** A hidden agent without tools, by a name that no file of the project can have given to an agent with tools. */
async function addAgent(text: string | undefined, name: string): Promise<string> {
  const given = await parseConfig(text || "{}");
  const config = isRecord(given) ? given : {};
  const agents = isRecord(config.agent) ? config.agent : {};
  return JSON.stringify({ ...config, agent: { ...agents, [name]: writer } });
}

const NAME = "opencode";

/** OpenCode 2 takes the password from either variable. */
function readLogin({ env }: Pick<CliContext, "env">): Login | undefined {
  const { OPENCODE_PASSWORD, OPENCODE_SERVER_PASSWORD, OPENCODE_SERVER_USERNAME: name = NAME } = env;
  const password = OPENCODE_SERVER_PASSWORD || OPENCODE_PASSWORD;
  return password ? { password, name } : undefined;
}

function describeSilence(address: string, run: OpenCodeRun | undefined): string {
  const words = run?.lastWords() ?? "";
  const why = words === "" ? "is it OpenCode, and does it need OPENCODE_SERVER_PASSWORD?" : words;
  return `expected the list of sessions from OpenCode at ${address}, and none came: ${why}`;
}
