/** OpenCode behind the Host seam. Every call to it is bounded and none is waited for while the plugin starts. */
import { homedir } from "node:os";
import { parse } from "node:path";
import type { PluginInput } from "@opencode-ai/plugin";
import type { Message as SdkMessage, UserMessage } from "@opencode-ai/sdk";
import PQueue from "p-queue";
import { isForPeopleOnly, type Message } from "../conversation/message.js";
import { type Clock, waitAtMost } from "../seams/clock.js";
import type { Host } from "../seams/host.js";
import { createChildSessions } from "./child-sessions.js";
import { findGlobalFolder, findStateFolder, listConfigFiles } from "./config-files.js";
import { createForkSessions, type ForkSessions } from "./fork-sessions.js";
import { createForks } from "./forks.js";
import { createGit } from "./git.js";
import { createLiveConfig, type LiveConfig } from "./live-config.js";
import { createOwnSessions, type OwnSessions } from "./own-sessions.js";
import { createProcesses, type Processes } from "./processes.js";
import { createRunningProcesses } from "./running-processes.js";
import { createTitles, type Titles } from "./titles.js";
import { findFilesPutBack, withoutUndone } from "./undone.js";

/** The host, with what `bindHooks` needs beside the seam. */
export interface OpenCodeHost extends Host {
  readonly liveConfig: LiveConfig;
  readonly ownSessions: OwnSessions;
  readonly forkSessions: ForkSessions;
  readonly titles: Titles;
  /** Puts a message into the session that is shown to the person and never sent to the model; whether it could. */
  show(sessionID: string, text: string): Promise<boolean>;
}

const CALL_DEADLINE_MS = 5_000;
/** Among so many there is a user's message, unless a turn has gone on for very long. */
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
  const reads = new PQueue({ concurrency: 1 });

  return {
    project,
    directory,
    configFiles: listConfigFiles({ directory, project, home, env }),
    globalFolder: findGlobalFolder({ home, env }),
    stateFolder: findStateFolder({ home, env }),
    processes: createRunningProcesses(),
    git: createGit(),
    liveConfig,
    ownSessions,
    forkSessions,
    titles: createTitles(client, clock),
    models: liveConfig.models,
    setAutoCompaction: liveConfig.setAutoCompaction,
    generate: children.generate,
    isOwnSession: ownSessions.has,
    listOwnSessions: children.list,
    removeSession: children.remove,
    runFork: createForks({ client, clock, forkSessions, processes }),
    isFork: forkSessions.isFork,
    findAsker: forkSessions.findAsker,

    async findParent(sessionID) {
      const answer = await bounded(() => client.session.get({ path: { id: sessionID } }));
      return answer?.data ? answer.data.parentID : "unknown";
    },

    async sessionLastUsedMs(sessionID) {
      const answer = await bounded(() => client.session.get({ path: { id: sessionID } }));
      if (answer?.data) return answer.data.time.updated;
      return answer?.response?.status === 404 ? undefined : "unknown";
    },

    async findSessionFolder(sessionID) {
      const answer = await bounded(() => client.session.get({ path: { id: sessionID } }));
      if (answer?.data) return answer.data.directory;
      return answer?.response?.status === 404 ? undefined : "unknown";
    },

    async readMessages(sessionID, last) {
      const path = { path: { id: sessionID } };
      const query = last === undefined ? {} : { query: { limit: last } };
      const read = () =>
        Promise.all([
          bounded(() => client.session.get(path)),
          bounded(() => client.session.messages({ ...path, ...query })),
        ]);
      const [session, answer] = await inTurn(read);
      const revert = session?.data?.revert;
      // Of the last ones only those might be left that are not undone, and they might not be all.
      const isPart = revert !== undefined && last !== undefined;
      const whole = isPart ? await inTurn(() => bounded(() => client.session.messages(path))) : answer;
      const messages = whole?.data as readonly Message[] | undefined;
      const standing = messages && (revert ? withoutUndone(messages, revert) : messages);
      return standing?.filter((message) => !isForPeopleOnly(message)).slice(-(last ?? standing.length));
    },

    async listFilesPutBack(sessionID) {
      const path = { path: { id: sessionID } };
      const revert = (await bounded(() => client.session.get(path)))?.data?.revert;
      const messages = revert && (await inTurn(() => bounded(() => client.session.messages(path))))?.data;
      return messages && findFilesPutBack(messages as readonly Message[], revert);
    },

    async show(sessionID, text) {
      const id = { path: { id: sessionID } };
      // Without them the host would take its default agent and model for those of the session.
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

  /** One after the other: the host writes a long session out in one go, and others wait for each that it writes. */
  function inTurn<T>(read: () => Promise<T>): Promise<T> {
    const answer = reads.add(read);
    void reads.add(() => clock.pause(0));
    return answer;
  }

  /** The answer, or `undefined` when there is none in time. */
  async function bounded<T>(call: () => Promise<T>): Promise<T | undefined> {
    const waited = await waitAtMost(clock, CALL_DEADLINE_MS, call);
    return waited.kind === "done" ? waited.value : undefined;
  }
}

/**
 * Messages of failed summaries: the host's own request for one, and the answer that came to nothing. One that was
 * broken off while the host waited to send it again has no error, only an end.
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

/** The client of the plugin interface has no method for it; its request goes the way of the others. */
function removeMessage(client: PluginInput["client"], id: string, messageID: string): Promise<unknown> {
  const { _client: http } = client as unknown as { _client: { delete(options: object): Promise<unknown> } };
  return http.delete({ url: "/session/{id}/message/{messageID}", path: { id, messageID } });
}

/** The work tree; where there is no version control OpenCode gives the root of the disk for it. */
function findProject(directory: string, worktree: string): string {
  return worktree && parse(worktree).root !== worktree ? worktree : directory;
}
