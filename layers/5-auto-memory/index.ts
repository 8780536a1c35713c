/**
 * Layer 5: memory that lasts. What the user decided, prefers and corrected is kept in files and comes back when it
 * matters.
 *
 *     when a session begins        rules, open blockers and the best of the rest stand behind its first message
 *     with each message            the few memories that fit it
 *     when a command or path       the rules that wait for it stand behind its result
 *     when a session is idle       what the user said is looked through for what will matter again
 *     when the agent asks          three tools: memory_remember, memory_recall, memory_update
 */

import { createGate } from "../../src/gate/gate.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import type { Memory, MemoryDraft } from "../../src/memory/memory.js";
import { refuseWords } from "../../src/memory/secret-gate.js";
import type { Cause } from "../../src/memory/store/ledger-line.js";
import type { Written } from "../../src/memory/store.js";
import { inSlices } from "../../src/slices.js";
import { createAgentChanges } from "./changed-by-agent.js";
import { createConflicts, refuseConflict } from "./conflicts.js";
import { defaults } from "./defaults.js";
import { createExtraction } from "./extraction/extract.js";
import { files } from "./files.js";
import { createConversation } from "./injection/conversation.js";
import { LAYER } from "./injection/shown.js";
import { planWithdrawal } from "./injection/withdraw.js";
import type { UsersMessage } from "./said/own-words.js";
import { readUsersMessages } from "./said/users-messages.js";
import { createMemoryTools } from "./tools/tools.js";

const MOST_TEMPLATES = 50;
const FEW_MEMORIES = 500;

export const autoMemory: LayerDefinition = {
  name: LAYER,
  cost: 5,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { clock, family, folders, host, memories, search, toasts } = context;
  const conflicts = createConflicts({
    ...context,
    store: memories,
    folder: folders.memory,
    gate: (words) => inSlices(clock, refuseWords(words)),
  });
  const changes = createAgentChanges(context);
  const conversation = createConversation({ ...context, changes, conflicts, match: search.match });
  const extraction = createExtraction({ ...context, findSimilar });
  const gate = createGate({ memories: { ...memories, remember }, findSimilar });
  /** Texts that a command's template has put into a message: the user chose them and did not write them. */
  const templates: string[] = [];

  return {
    withinMs: { context: 1_000 },
    tools: createMemoryTools({ ...context, changes, conflicts, gate, readUsersMessages: readUsers }),
    handlers: {
      turn({ sessionID }) {
        extraction.onTurn(sessionID);
        conversation.prepare();
        search.open();
        return undefined;
      },

      command({ texts }) {
        for (const text of texts) extraction.onTemplate(text);
        templates.push(...texts.map((text) => text.trim()));
        templates.splice(0, templates.length - MOST_TEMPLATES);
        return undefined;
      },

      async context(request, _messages, signal) {
        if (request.isCompaction || !request.isReady()) return undefined;
        if (family.knownParent(request.sessionID) !== undefined) return undefined;
        return (await conversation.speak(request, signal)) ? request.show() : undefined;
      },

      takenBack(request, withdrawal) {
        return withdrawal && planWithdrawal(request, withdrawal);
      },

      event({ type, properties: { sessionID } }) {
        if (type === "session.idle" && typeof sessionID === "string") extraction.onIdle(sessionID);
        return undefined;
      },
    },
  };

  /** What somebody else has written about meanwhile is not written over. */
  async function remember(draft: MemoryDraft, cause: Cause): Promise<Written> {
    const written = await conflicts.remember(draft, cause);
    if (written.kind !== "conflict") return written;
    toasts.show(`two versions of "${written.existing.title}", which holds? ${written.path}`, "warning");
    return refuseConflict(written);
  }

  /** All of them while they are few: one that says the opposite need not share many words. */
  async function findSimilar(text: string, { limit }: { limit: number }): Promise<readonly Memory[]> {
    const known = memories.known();
    if (known.length <= FEW_MEMORIES) return known;
    const found = await search.find({ text, limit });
    return found.flatMap((one) => (one.kind === "memory" ? [one.memory] : []));
  }

  /** What a person has written in the session, nothing where the host does not say that it is one's, without what the host, a plugin or a command has put into it. */
  async function readUsers(sessionID: string): Promise<UsersMessage[]> {
    // The last message of a copy is a task that an agent has written; what the user said stands where it was asked for.
    const asker = host.findAsker(sessionID);
    if (asker !== undefined) return readUsers(asker);
    if (!(await family.isPersons(sessionID))) return [];
    const messages = (await host.readMessages(sessionID)) ?? [];
    return readUsersMessages(messages, (text) => !templates.includes(text));
  }
}
