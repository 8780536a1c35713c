/**
 * Layer 5: memory that lasts. What the user decided, prefers and corrected is kept in files and comes back when it
 * matters.
 *
 *     when a session begins        rules, open blockers and the best of the rest stand behind its first message
 *     with each message            the few memories that fit it
 *     when a command or path       the rules that wait for it stand behind its result
 *     when the agent asks          three tools: memory_remember, memory_recall, memory_update
 */
import { formatError } from "../../src/error.js";
import type { LayerContext, LayerFactory } from "../../src/layer-context.js";
import { createMemorySearch } from "../../src/memory/search.js";
import { readOwnTexts } from "../../src/notes/learn.js";
import { isRecord } from "../../src/records.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { createConversation } from "./conversation.js";
import type { UsersMessage } from "./said.js";
import { LAYER } from "./told.js";
import { createMemoryTools } from "./tools/tools.js";

/** How long a turn waits; well below the hook's own deadline. */
const WITHIN_MS = 1_000;

export const createAutoMemory: LayerFactory = (context) => {
  const { clock, config, log } = context;
  if (!config.autoMemory.enabled) return undefined;
  const search = createMemorySearch({ ...context, sessionMemory: context.folders.sessionMemory });
  const conversation = createConversation({ ...context, match: search.match });
  const children = new Set<string>();
  const readUsersMessages = async (sessionID: string): Promise<UsersMessage[]> =>
    children.has(sessionID) ? [] : readUsers(context, sessionID);

  return {
    name: LAYER,
    cost: 5,
    tools: createMemoryTools({ ...context, search, readUsersMessages }),
    handlers: {
      turn() {
        conversation.prepare();
        return undefined;
      },

      async context(request) {
        if (request.isCompaction || !request.isReady() || children.has(request.sessionID)) return undefined;
        const waited = await waitAtMost(clock, WITHIN_MS, (signal) => conversation.speak(request, signal));
        if (waited.kind === "done") return waited.value ? request.show() : undefined;
        const why =
          waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${WITHIN_MS} ms`;
        log.error(LAYER, `memory is left out of a request of ${request.sessionID}: ${why}`);
        return undefined;
      },

      event({ type, properties: { info } }) {
        if (type === "session.created" && isRecord(info) && info.parentID !== undefined)
          children.add(String(info.id));
        return undefined;
      },
    },
  };
};

/** What a person has written in the session, without what the host or a plugin has put into it. */
async function readUsers({ host }: Pick<LayerContext, "host">, sessionID: string): Promise<UsersMessage[]> {
  const messages = (await host.readMessages(sessionID)) ?? [];
  return messages
    .filter(({ info }) => info.role === "user")
    .map(({ info, parts }) => ({ id: info.id, text: readOwnTexts(parts).join("\n\n") }))
    .filter(({ text }) => text !== "");
}
