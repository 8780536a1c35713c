/** Reads about a session from the host. Every call is bounded. */
import type { PluginInput } from "@opencode-ai/plugin";
import PQueue from "p-queue";
import type { Clock } from "../../io/clock.js";
import type { Host } from "../../io/host.js";
import { isForPeopleOnly, type Message } from "../../io/message.js";
import { findFilesPutBack, withoutUndone } from "../undone.js";
import type { Asking } from "./asking.js";
import { NO_TITLE } from "./titles.js";

export type SessionReads = Pick<
  Host,
  "findParent" | "findTitle" | "listFilesPutBack" | "readMessages" | "sessionLastUsedMs"
>;

export function createSessionReads(
  client: PluginInput["client"],
  clock: Clock,
  bounded: Asking["bounded"],
): SessionReads {
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
      const title = (await readSession(sessionID))?.data?.title;
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
