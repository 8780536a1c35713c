/**
 * Layer 5: long-term memory. Stores the user's decisions, preferences and corrections in files, and shows them when they
 * matter.
 *
 *     a session begins          shows rules, open blockers and the best other memories after its first message
 *     a message                 shows the few memories that match it
 *     a command or path         shows the rules that it triggers, after its result
 *     a session is idle         extracts what will matter again from the user's words
 *     a page or document        keeps the sentences that answer the request, as findings
 *     the agent calls a tool    memory_remember, memory_recall, memory_update, memory_keep
 *
 * Whatever the way in, one gate compares it with what is there.
 */
import type { ContextRequest } from "../../src/context/request.js";
import { isToolPart } from "../../src/io/message.js";
import type { FileKind } from "../../src/kernel/file-kinds.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { refuseWords } from "../../src/memory/draft.js";
import { createFindSimilar, createGate } from "../../src/memory/gate/gate.js";
import { type MemoryDraft, planPrivateTypes } from "../../src/memory/memory.js";
import type { Cause } from "../../src/memory/store/ledger-line.js";
import type { Written } from "../../src/memory/store/store.js";
import { createConversation } from "./conversation.js";
import { defaults } from "./defaults.js";
import { createExtraction } from "./extract.js";
import type { Findings } from "./findings/findings.js";
import { createAgentChanges, createConflicts, refuseConflict } from "./injection/conflicts.js";
import { createFindDoubts } from "./injection/doubted-facts.js";
import { LAYER, planWithdrawal } from "./injection/shown.js";
import { createAgentJudge } from "./judge/agent-judge.js";
import { createMemoryTools } from "./tools/tools.js";
import type { UsersMessage } from "./words/statements.js";
import { readUsersMessages } from "./words/statements.js";

export const files: readonly FileKind[] = [
  ...[".opencode/memory", ".opencode/memory/private"].flatMap((folder) => [
    { path: `${folder}/conflicts/<id>.md` },
    { path: `${folder}/archive/conflicts/<id>.md` },
  ]),
  { path: ".opencode/strata/state/extraction/<id>.json" },
  { path: ".opencode/strata/state/extraction/learned.jsonl" },
  { path: ".opencode/strata/state/extraction/past-sessions.json" },
];

/** Number of messages searched for results. */
const LAST_MESSAGES = 3;

export const autoMemory: LayerDefinition = {
  name: LAYER,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { config, family, folders, memories, search, toasts } = context;
  const privateTypes = planPrivateTypes(config, folders);
  const conflicts = createConflicts({
    ...context,
    store: memories,
    folder: folders.memory,
    isPrivate: (type) => privateTypes.includes(type),
    gate: async (words) => refuseWords(words),
  });
  const changes = createAgentChanges(context);
  const shared = { ...context, changes, conflicts, findDoubts: createFindDoubts(context) };
  const findSimilar = createFindSimilar(memories, search);
  const gate = createGate({ memories: { ...memories, remember }, findSimilar });
  const agentJudge = createAgentJudge({ ...context, gate });
  const conversation = createConversation({ ...shared, agentJudge, match: search.match });
  const extraction = createExtraction({ ...context, gate });
  const readUsers = createUsersReader(context, extraction.isTheirs);
  let findings: Findings | undefined;
  const isNewlyCut = createCutWatch();

  return {
    withinMs: { context: 1_000 },
    onIdle: async () => findings?.onIdle(),
    tools: createMemoryTools({ ...shared, agentJudge, gate, readUsersMessages: readUsers }),
    handlers: {
      turn({ sessionID }) {
        extraction.onTurn(sessionID);
        conversation.prepare();
        search.open();
        return undefined;
      },

      command({ texts }) {
        for (const text of texts) extraction.onTemplate(text);
        return undefined;
      },

      async context(request, _messages, signal) {
        if (request.isCompaction) return undefined;
        await openFindings(request);
        findings?.take(request);
        if (!request.isReady() || family.knownParent(request.sessionID) !== undefined) return undefined;
        if (isNewlyCut(request)) extraction.onCompaction(request.sessionID);
        return (await conversation.speak(request, signal, findings)) ? request.show() : undefined;
      },

      takenBack(request, withdrawal) {
        return withdrawal && planWithdrawal(request, withdrawal);
      },

      event({ type, properties: { sessionID } }) {
        if (typeof sessionID !== "string") return undefined;
        // OpenCode 2 shows no request for a summary, so the end of it is what both tell of.
        if (type === "session.compacted") extraction.onCompaction(sessionID);
        if (type !== "session.idle") return undefined;
        extraction.onIdle(sessionID);
        findings?.onTurnEnd(sessionID);
        return undefined;
      },
    },
  };

  /** Loads the findings with the first result; before it there is nothing to keep. */
  async function openFindings({ history: { messages } }: ContextRequest): Promise<void> {
    const hasResults = messages.slice(-LAST_MESSAGES).some(({ parts }) => parts.some(isToolPart));
    if (findings || !config.findings.enabled || !hasResults) return;
    const { createFindings } = await import("./findings/findings.js");
    findings ??= createFindings(context);
  }

  /** Does not overwrite what another instance has written meanwhile. */
  async function remember(draft: MemoryDraft, cause: Cause): Promise<Written> {
    const written = await conflicts.remember(draft, cause);
    if (written.kind !== "conflict") return written;
    toasts.show(`two versions of "${written.existing.title}", which holds? ${written.path}`, "warning");
    return refuseConflict(written);
  }
}

/**
 * A person's own messages in the session, without texts added by the host, plugins or commands. Empty unless the host
 * says that the session is a person's.
 */
function createUsersReader(
  { family, host }: Pick<LayerContext, "family" | "host">,
  isTheirs: (text: string) => boolean,
): (sessionID: string) => Promise<UsersMessage[]> {
  return async function read(sessionID) {
    // A fork's last message is a task written by an agent; the user's words are in the session that started the fork.
    const asker = host.findAsker(sessionID);
    if (asker !== undefined) return read(asker);
    if (!(await family.isPersons(sessionID))) return [];
    return readUsersMessages((await host.readMessages(sessionID)) ?? [], isTheirs);
  };
}

/** Have notes replaced history since the session's last request? Of its first request nobody knows. */
function createCutWatch(): (request: ContextRequest) => boolean {
  /** By session: the first message behind the cut. */
  const seen = new Map<string, string | undefined>();
  return ({ history, sessionID, shownFrom }) => {
    const from = shownFrom();
    const cut = from === 0 ? undefined : history.messages[from]?.info.id;
    const isNew = cut !== undefined && seen.has(sessionID) && seen.get(sessionID) !== cut;
    seen.set(sessionID, cut);
    return isNew;
  };
}
