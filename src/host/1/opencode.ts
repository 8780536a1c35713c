/** Implements the Host seam with OpenCode. Every call is bounded; the plugin's start waits for none. */
import type { PluginInput } from "@opencode-ai/plugin";
import type { Message as SdkMessage, ToolList, UserMessage } from "@opencode-ai/sdk";
import PQueue from "p-queue";
import { HOUR_MS } from "../../base/days.js";
import type { Clock } from "../../io/clock.js";
import type { Host } from "../../io/host.js";
import { isForPeopleOnly, type Message } from "../../io/message.js";
import { createProcesses, type Processes } from "../../io/running-processes.js";
import { chooseProject, openMachine } from "../environment.js";
import { findFilesPutBack, NO_TITLE, withoutUndone } from "../readings.js";
import { createLiveConfig, type LiveConfig } from "./live-config.js";
import { createBounded, createModelSessions } from "./model-sessions.js";
import { createPluginSessions, type PluginSessions } from "./plugin-sessions.js";

/** The Host seam plus what `bindHooks` needs. */
export interface OpenCodeHost extends Host {
  readonly liveConfig: LiveConfig;
  readonly sessions: PluginSessions;
  /** Tokens that short definitions have saved in the last request, by tool. */
  readonly shortened: Map<string, number>;
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
  const sessions = createPluginSessions();
  const models = createModelSessions({ client, clock, sessions, processes });
  const project = chooseProject(directory, worktree);
  const bounded = createBounded(clock);
  const shortened = new Map<string, number>();
  let listed: { name: string; atMs: number; tools: ToolList } | undefined;

  return {
    ...openMachine({ directory, project }),
    liveConfig,
    sessions,
    shortened,
    models: liveConfig.models,
    setAutoCompaction: liveConfig.setAutoCompaction,
    summarizes: liveConfig.summarizes,
    generate: models.generate,
    isOwnSession: sessions.isChild,
    listOwnSessions: models.list,
    listSessions: async () =>
      (await import("./past-sessions.js")).listThroughClient(client, { bounded, project }),
    removeSession: models.remove,
    runFork: models.runFork,
    isFork: sessions.isFork,
    findAsker: sessions.findAsker,
    ...createSessionReads(client, clock, sessions),

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

    async listTools({ modelID, providerID }) {
      const name = `${providerID}/${modelID}`;
      // The host describes every tool anew, in the process that serves the person.
      if (listed?.name !== name || clock.now() - listed.atMs >= HOUR_MS) {
        const query = { provider: providerID, model: modelID };
        const tools = (await bounded(() => client.tool.list({ query })))?.data;
        if (!tools) return undefined;
        listed = { name, atMs: clock.now(), tools };
      }
      const { measureTool } = await import("../short-definitions.js");
      // The list has the short definitions where these are sent.
      const tools = listed.tools
        .filter(({ id }) => id !== "invalid" && !liveConfig.isOff(id))
        .map(({ id, ...one }) => ({ ...measureTool({ name: id, ...one }, shortened.get(id)), called: id }));
      return { host: 1, tools, servers: liveConfig.servers() };
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
function removeMessage(client: Client, id: string, messageID: string): Promise<unknown> {
  const { _client: http } = client as unknown as { _client: { delete(options: object): Promise<unknown> } };
  return http.delete({ url: "/session/{id}/message/{messageID}", path: { id, messageID } });
}

/* Reads about a session from the host. Every call is bounded. */

type SessionReads = Pick<
  Host,
  "findParent" | "findTitle" | "listFilesPutBack" | "readMessages" | "sessionLastUsedMs"
>;

type Client = PluginInput["client"];

function createSessionReads(client: Client, clock: Clock, sessions: PluginSessions): SessionReads {
  const bounded = createBounded(clock);
  const reads = new PQueue({ concurrency: 1 });

  return {
    async findParent(sessionID) {
      const answer = await readSession(sessionID);
      return answer?.data ? answer.data.parentID : "unknown";
    },

    async sessionLastUsedMs(sessionID) {
      const answer = await readSession(sessionID);
      if (answer?.data) return answer.data.time.updated;
      return answer?.response?.status === 404 ? undefined : "unknown";
    },

    async findTitle(sessionID) {
      const title = sessions.findTitle(sessionID) ?? (await readSession(sessionID))?.data?.title;
      return title === undefined || NO_TITLE.test(title) ? undefined : title;
    },

    async readMessages(sessionID, last) {
      const read = () => Promise.all([readSession(sessionID), readStored(sessionID, last)]);
      const [session, answer] = await inTurn(read);
      const revert = session?.data?.revert;
      // Undone messages may be among the last ones; only the whole list shows which remain.
      const isPart = revert !== undefined && last !== undefined;
      const whole = isPart ? await inTurn(() => readStored(sessionID)) : answer;
      const messages = whole?.data as readonly Message[] | undefined;
      const left = messages && (revert ? withoutUndone(messages, revert) : messages);
      return left?.filter((message) => !isForPeopleOnly(message)).slice(-(last ?? left.length));
    },

    async listFilesPutBack(sessionID) {
      const revert = (await readSession(sessionID))?.data?.revert;
      const messages = revert && (await inTurn(() => readStored(sessionID)))?.data;
      return messages && findFilesPutBack(messages as readonly Message[], revert);
    },
  };

  function readSession(id: string) {
    return bounded(() => client.session.get({ path: { id } }));
  }

  function readStored(id: string, last?: number) {
    const query = last === undefined ? {} : { query: { limit: last } };
    return bounded(() => client.session.messages({ path: { id }, ...query }));
  }

  /** One at a time: the host serialises a long session in one go and blocks other requests meanwhile. */
  function inTurn<T>(read: () => Promise<T>): Promise<T> {
    const answer = reads.add(read);
    void reads.add(() => clock.pause(0));
    return answer;
  }
}
