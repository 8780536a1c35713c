/** Implements the Host seam with OpenCode. Every call is bounded; the plugin's start waits for none. */
import { homedir } from "node:os";
import { parse } from "node:path";
import type { PluginInput } from "@opencode-ai/plugin";
import type { Message as SdkMessage, UserMessage } from "@opencode-ai/sdk";
import type { Clock } from "../../io/clock.js";
import type { Host } from "../../io/host.js";
import { createGit } from "../../io/node-git.js";
import { createRunningProcesses } from "../../io/running-processes.js";
import { createProcesses, type Processes } from "../../io/signals.js";
import { findGlobalFolder, findStateFolder, listConfigFiles } from "../../project/opencode-files.js";
import { createAsking } from "./asking.js";
import { createChildSessions } from "./child-sessions.js";
import { createForkSessions, type ForkSessions } from "./fork-sessions.js";
import { createForks } from "./forks.js";
import { createLiveConfig, type LiveConfig } from "./live-config.js";
import { createOwnSessions, type OwnSessions } from "./own-sessions.js";
import { createSessionReads } from "./session-reads.js";
import { createTitles, type Titles } from "./titles.js";

/** The Host seam plus what `bindHooks` needs. */
export interface OpenCodeHost extends Host {
  readonly liveConfig: LiveConfig;
  readonly ownSessions: OwnSessions;
  readonly forkSessions: ForkSessions;
  readonly titles: Titles;
  /** Adds a message to the session that people see and the model never gets. Returns whether it succeeded. */
  show(sessionID: string, text: string): Promise<boolean>;
}

/** Includes a user message unless the turn is very long. */
const LAST_MESSAGES = 100;

export function createOpenCodeHost(
  { client, directory, worktree }: PluginInput,
  clock: Clock,
  processes: Processes = createProcesses(clock),
): OpenCodeHost {
  const liveConfig = createLiveConfig();
  const ownSessions = createOwnSessions();
  const forkSessions = createForkSessions();
  const children = createChildSessions({ client, clock, ownSessions, processes });
  const project = findProject(directory, worktree);
  const { env } = process;
  const home = env.HOME || homedir();
  const { bounded } = createAsking(client, clock);

  return {
    project,
    directory,
    configFiles: listConfigFiles({ directory, project, home, env }),
    globalFolder: findGlobalFolder({ home, env }),
    stateFolder: findStateFolder({ home, env }),
    processes: createRunningProcesses(),
    git: createGit(),
    openRemoteGit: async () => (await import("../remote-git.js")).createRemoteGit(env),
    liveConfig,
    ownSessions,
    forkSessions,
    titles: createTitles(client, clock),
    models: liveConfig.models,
    setAutoCompaction: liveConfig.setAutoCompaction,
    summarizes: liveConfig.summarizes,
    generate: children.generate,
    isOwnSession: ownSessions.has,
    listOwnSessions: children.list,
    listSessions: async () =>
      (await import("./past-sessions.js")).listThroughClient(client, { bounded, project }),
    removeSession: children.remove,
    runFork: createForks({ client, clock, forkSessions, processes }),
    isFork: forkSessions.isFork,
    findAsker: forkSessions.findAsker,
    ...createSessionReads(client, clock, bounded),

    async show(sessionID, text) {
      const id = { path: { id: sessionID } };
      // Without agent and model the host would switch the session to its defaults.
      const last = await bounded(() => client.session.messages({ ...id, query: { limit: LAST_MESSAGES } }));
      const asked = last?.data?.findLast(({ info }) => info.role === "user")?.info as UserMessage | undefined;
      const body = {
        noReply: true,
        ...(asked && { agent: asked.agent, model: asked.model }),
        parts: [{ type: "text" as const, text, ignored: true }],
      };
      return (await bounded(() => client.session.prompt({ ...id, body })))?.data !== undefined;
    },

    async removeFailedCompactions(sessionID) {
      const answer = await bounded(() => client.session.messages({ path: { id: sessionID } }));
      for (const id of findFailedCompactions(answer?.data ?? [])) {
        await bounded(() => removeMessage(client, sessionID, id));
      }
    },

    abortSession(sessionID) {
      void bounded(() => client.session.abort({ path: { id: sessionID } }));
    },

    toast(message, variant) {
      void bounded(() => client.tui.showToast({ body: { message, variant } }));
    },

    log(level, message) {
      void bounded(() => client.app.log({ body: { service: "strata", level, message } }));
    },
  };
}

/**
 * Messages of failed summaries: the host's request and the failed answer. An answer aborted while the host waited to
 * retry has no error, only a completion time.
 */
function findFailedCompactions(
  messages: readonly { info: SdkMessage; parts: readonly { type: string }[] }[],
): string[] {
  const failed = messages.filter(
    ({ info }) =>
      info.role === "assistant" &&
      info.summary === true &&
      (info.error !== undefined || (info.time.completed !== undefined && info.finish === undefined)),
  );
  const asked = new Set(failed.map(({ info }) => (info.role === "assistant" ? info.parentID : "")));
  const requests = messages.filter(
    ({ info, parts }) =>
      asked.has(info.id) && parts.length > 0 && parts.every(({ type }) => type === "compaction"),
  );
  return [...requests, ...failed].map(({ info }) => info.id);
}

/** The plugin client has no method for this route, so this uses its HTTP client. */
function removeMessage(client: PluginInput["client"], id: string, messageID: string): Promise<unknown> {
  const { _client: http } = client as unknown as { _client: { delete(options: object): Promise<unknown> } };
  return http.delete({ url: "/session/{id}/message/{messageID}", path: { id, messageID } });
}

/** The work tree. Without version control OpenCode passes the root of the disk; then the directory counts. */
function findProject(directory: string, worktree: string): string {
  return worktree && parse(worktree).root !== worktree ? worktree : directory;
}
