/** Opens and removes sessions for forks, with their parent's agent, model and permissions. Every call is bounded. */
import type { PluginInput } from "@opencode-ai/plugin";
import type { ForkRequest } from "../../io/host.js";
import type { Processes } from "../../io/signals.js";
import type { Asking, PromptBody } from "./asking.js";
import { type ForkSessions, formatForkTitle } from "./fork-sessions.js";

export interface ForkOpening {
  /** Agent, model and tools of the user message the parent is answering; `undefined` if the host does not answer. */
  readManner(request: ForkRequest): Promise<Manner | undefined>;
  /** ID of the new session; `undefined` if the host opened none. */
  open(request: ForkRequest): Promise<string | undefined>;
  remove(id: string): Promise<void>;
}

export interface ForkOpeningOptions {
  client: PluginInput["client"];
  bounded: Asking["bounded"];
  forkSessions: Pick<ForkSessions, "expect">;
  processes: Pick<Processes, "ownID">;
}

/** The prompt options of a session's last user message. */
export type Manner = Omit<PromptBody, "parts" | "messageID">;

/**
 * The host copies and removes message by message and sends an event for each: five concurrent forks of 30 messages took
 * over five seconds on a busy machine.
 */
const COPYING_DEADLINE_MS = 60_000;

export function createForkOpening(options: ForkOpeningOptions): ForkOpening {
  const { bounded, client, forkSessions, processes } = options;

  return {
    async readManner({ messageID, parentID }) {
      const answer = await readInfo(parentID, messageID);
      const asked = answer?.role === "assistant" ? await readInfo(parentID, answer.parentID) : undefined;
      if (asked?.role !== "user") return undefined;
      const { agent, model, system, tools } = asked;
      const { variant, ...name } = model as typeof model & { variant?: string };
      return {
        agent,
        model: name,
        ...(system !== undefined && { system }),
        ...(tools && { tools }),
        ...(variant !== undefined && { variant }),
      };
    },

    async open(request) {
      const parent = (await bounded(() => client.session.get({ path: { id: request.parentID } })))?.data;
      if (!parent) return undefined;
      const title = formatForkTitle(request.title, processes.ownID);
      const id =
        request.history === "shared"
          ? await fork(request, { title, parentTitle: parent.title })
          : await bounded(() => create({ parentID: request.parentID, title }));
      if (id === undefined) return undefined;
      // Missing from this version's SDK type.
      const { permission } = parent as { permission?: unknown };
      if (await retitle(id, { title, ...(permission !== undefined && { permission }) })) return id;
      // Without its title the sweep could not find it after a crash.
      await remove(id);
      return undefined;
    },

    remove,
  };

  async function readInfo(id: string, messageID: string) {
    return (await bounded(() => client.session.message({ path: { id, messageID } })))?.data?.info;
  }

  async function fork(
    { messageID, parentID }: ForkRequest,
    { parentTitle, title }: { title: string; parentTitle: string },
  ): Promise<string | undefined> {
    const stop = forkSessions.expect(parentTitle, (id) => void retitle(id, { title }));
    const forked = await bounded(async (late) => {
      const { data } = await client.session.fork({ path: { id: parentID }, body: { messageID } });
      if (data && late.aborted) void remove(data.id);
      return data;
    }, COPYING_DEADLINE_MS);
    for (const [id, persons] of stop()) if (id !== forked?.id) await retitle(id, { title: persons });
    return forked?.id;
  }

  async function create(body: { parentID: string; title: string }): Promise<string | undefined> {
    return (await client.session.create({ body })).data?.id;
  }

  async function retitle(id: string, body: { title: string; permission?: unknown }): Promise<boolean> {
    const updated = await bounded(() => client.session.update({ path: { id }, body }));
    return updated?.data !== undefined;
  }

  async function remove(id: string): Promise<void> {
    await bounded(() => client.session.delete({ path: { id } }), COPYING_DEADLINE_MS);
  }
}
