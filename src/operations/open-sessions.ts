/** OpenCode's own sessions of the project, read through a server: a running one, or one started for it. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { StoredSession } from "../../layers/5-auto-memory/learn/past-sessions.js";
import { StrataError } from "../base/error.js";
import { isRecord } from "../base/shape.js";
import { isSecond as isSecondVersion } from "../base/tested.js";
import { parseConfig } from "../config/plugin-entries.js";
import { writer } from "../host/1/live-config.js";
import { openPastSessions, type PastSessions } from "../host/1/past-sessions.js";
import { openServerModel } from "../host/1/server-model.js";
import type { Login } from "../host/server.js";
import type { CliContext } from "./command.js";
import { findProgram, type OpenCodeRun, serveOpenCode } from "./doctor/opencode.js";
import type { Project } from "./project.js";

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

/** The option that names a running server. */
export const serverOption = z
  .string()
  .optional()
  .meta({ value: "url" })
  .describe("reads them from this running OpenCode server; default: starts opencode to read them");

const START_MS = 60_000;

export type OpenSessions = Awaited<ReturnType<typeof openSessions>>;

/** Throws if there is no OpenCode, or none that answers. `url`: a running server. `isEverywhere`: those of all projects. */
export async function openSessions(project: Project, url: string | undefined, isEverywhere = false) {
  const { cli, root } = project;
  const password = randomUUID();
  const agent = `strata-${randomUUID().slice(0, 8)}`;
  const run = url === undefined ? await startServer(project, { agent, password }) : undefined;
  const address = url ?? run?.url ?? "";
  try {
    const login = url === undefined ? { password, name: NAME } : readLogin(cli);
    const server = { clock: cli.clock, project: root, url: address, ...(login && { login }) };
    const past = openPastSessions(server);
    const listed = await past.list(isEverywhere);
    if (!listed) throw new StrataError("NO_HOST", describeSilence(address, run));
    const ids = listed.map(({ id }) => id);
    const isSecond = past.isSecond();
    const model = openServerModel({ ...server, isSecond, ...(run && { agent }) });
    return {
      /** Those that people opened, oldest first, by their ids and with what the server says of each. */
      ...{ ids, listed },
      ...{ listModels: past.listModels, readMessages: past.readMessages },
      /** Asks a model through the server. */
      model: { ...model, parentID: ids.at(-1) ?? "" },
      templates: await past.listTemplates(),
      /** These, or all. */
      sessions: (events: SourceEvents, some: readonly string[] = ids) => readSessions(past, some, events),
      async close(): Promise<void> {
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
    const what = "OpenCode did not send its messages; run the command again";
    if (messages) yield { id, messages };
    else onProblem({ place: `session ${id}`, what });
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
  const { binary, version } = await findProgram(cli);
  const why =
    "no opencode in the PATH, which is started to read its sessions; install it, or name a running server with --server URL";
  if (binary === undefined) throw new StrataError("NO_HOST", why);
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
  return `expected the list of sessions from OpenCode at ${address}, got none: ${why}`;
}
