/** OpenCode's own sessions of the project, read through a server: a running one, or one started for it. */
import { StrataError } from "../../error.js";
import { openPastSessions, type PastSessions } from "../../host/past-sessions.js";
import type { CliContext } from "../command.js";
import { findOpenCode, type OpenCodeRun, serveOpenCode } from "../doctor/opencode.js";
import type { Project } from "../project.js";
import type { StoredSession } from "./exports.js";
import type { SourceEvents } from "./source.js";

const START_MS = 60_000;

export interface OpenSessions {
  templates: readonly string[];
  /** Those that people opened, oldest first. */
  sessions(events: SourceEvents): AsyncGenerator<StoredSession, void, void>;
  close(): Promise<void>;
}

/** Throws if there is no OpenCode, or none that answers. `url`: a running server. */
export async function openSessions(project: Project, url: string | undefined): Promise<OpenSessions> {
  const { cli, root } = project;
  const run = url === undefined ? await startServer(project) : undefined;
  const address = url ?? run?.url ?? "";
  try {
    const login = url === undefined ? undefined : readLogin(cli);
    const past = openPastSessions({ clock: cli.clock, project: root, url: address, ...(login && { login }) });
    const ids = await past.list();
    if (!ids) throw new StrataError("NO_HOST", describeSilence(address, run));
    return {
      templates: await past.listTemplates(),
      sessions: (events) => readSessions(past, ids, events),
      close: async () => run?.stop(),
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

/** With the user's own sessions, and without plugins: what is read here starts no work. */
async function startServer({ cli, root }: Project): Promise<OpenCodeRun> {
  const binary = await findOpenCode(cli);
  if (binary === undefined)
    throw new StrataError(
      "NO_HOST",
      "no opencode in the PATH, which --sessions starts to read its sessions; install it, name a running server with --server URL, or give files made by: opencode export",
    );
  // A password in the user's environment would lock us out of our own server.
  const { OPENCODE_SERVER_PASSWORD: _, ...env } = cli.env;
  return serveOpenCode({
    ...{ binary, env, project: root, clock: cli.clock, startMs: START_MS },
    args: ["--pure"],
  });
}

function readLogin({ env }: Pick<CliContext, "env">): { password: string; name: string } | undefined {
  const { OPENCODE_SERVER_PASSWORD: password, OPENCODE_SERVER_USERNAME: name = "opencode" } = env;
  return password ? { password, name } : undefined;
}

function describeSilence(address: string, run: OpenCodeRun | undefined): string {
  const words = run?.lastWords() ?? "";
  const why = words === "" ? "is it OpenCode, and does it need OPENCODE_SERVER_PASSWORD?" : words;
  return `expected the list of sessions from OpenCode at ${address}, and none came: ${why}`;
}
