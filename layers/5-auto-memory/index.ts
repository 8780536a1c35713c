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
import {
  type Allowed,
  byAnyone,
  byUser,
  byUserOrLower,
  enabled,
  flag,
  listOf,
  oneOf,
  textLike,
  type Values,
  whole,
} from "../../src/config/setting.js";
import type { ContextRequest } from "../../src/context/request.js";
import { isToolPart } from "../../src/io/message.js";
import type { FileKind } from "../../src/kernel/file-kinds.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { countEvents, type Proof } from "../../src/kernel/proof.js";
import { createGate } from "../../src/memory/gate/gate.js";
import { type MemoryDraft, memoryTypes, planPrivateTypes } from "../../src/memory/memory.js";
import type { Cause } from "../../src/memory/store/ledger.js";
import type { Written } from "../../src/memory/store/store.js";
import { createConversation } from "./conversation.js";
import { createExtraction } from "./extract.js";
import type { Findings } from "./findings/findings.js";
import { LAYER, planWithdrawal } from "./injection/boot.js";
import { createConflicts, formatChange, refuseConflict } from "./injection/conflicts.js";
import { createAgentJudge } from "./judge/agent-judge.js";
import { createMemoryTools } from "./tools/tools.js";
import { readUsersMessages, type UsersMessage } from "./words/statements.js";

export const files: readonly FileKind[] = [
  ...[".opencode/memory", ".opencode/memory/private"].flatMap((folder) => [
    { path: `${folder}/conflicts/<id>.md` },
    { path: `${folder}/archive/conflicts/<id>.md` },
  ]),
  { path: ".opencode/strata/state/extraction/<id>.json" },
  { path: ".opencode/strata/state/extraction/learned.jsonl" },
  { path: ".opencode/strata/state/extraction/past-sessions.json" },
];

const LAST_MESSAGES = 3;

const forge: Allowed<{ kind: "gitlab" | "github"; url: string; tokenEnv?: string | undefined }> = {
  type: "object",
  properties: {
    kind: oneOf(["gitlab", "github"]),
    url: textLike(
      /^(https:\/\/[^\s/@?#]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)(\/[^\s?#]*)?$/,
      "https://git.acme.com",
      "https://acme.com/gitlab",
    ),
    tokenEnv: textLike(/^[A-Za-z_]\w*$/, "ACME_GITLAB_TOKEN"),
  },
  required: ["kind", "url"],
  additionalProperties: false,
};

export const settings = {
  autoMemory: {
    enabled: enabled("Layer 5: decisions, preferences and lessons are remembered."),
    judge: byUser(
      oneOf(["auto", "model", "agent", "off"]),
      "auto",
      "Who judges which of your sentences are kept. model: your small model, in the background; agent: the running agent, asked at the end of its context; auto: the model if one is named, else the agent; off: only what you mark (remember: …, from now on …) or repeat is kept.",
    ),
    keepOutOfGit: byUserOrLower(
      listOf(oneOf(memoryTypes)),
      ["preference", "feedback"],
      "Types of project memories that git ignores until strata memory publish; [] for none.",
    ),
    maxLines: byAnyone(whole(10, 2_000), 200, "Maximum number of lines of the index MEMORY.md."),
    maxSize: byAnyone(whole(1_000, 250_000), 25_000, "Maximum size of the index MEMORY.md, in bytes."),
    pastSessions: byUser(
      flag,
      false,
      "Your small model also reads sessions of the project from before Strata was installed: in the background, at most 50 every 6 hours, within the daily budget of background calls.",
    ),
  },
  boot: {
    // Part of a session's beginning that no project may hide.
    enabled: byUser(
      flag,
      true,
      "A session begins with rules, blockers and the most important other memories.",
    ),
    activeSessions: byUserOrLower(
      flag,
      true,
      "The beginning of a session names other active sessions of the project, in any instance, and their last requests.",
    ),
    blockers: byUser(flag, true, "The beginning of a session lists open blockers."),
    directives: byUser(flag, true, "The beginning of a session lists your rules."),
    recentDecisions: byUserOrLower(
      flag,
      false,
      "The beginning of a session lists the decisions of the last 30 days, newest first, before other memories.",
    ),
    maxItems: byUserOrLower(
      whole(0, 200),
      200,
      "Maximum number of other memories at the beginning of a session. All of it stays below 2,000 tokens.",
    ),
  },
  findings: {
    enabled: enabled(
      "Sentences of fetched pages, searches and documents that answer the request are kept as private memories.",
    ),
  },
  recall: {
    enabled: enabled("Memories that match a message are shown with it."),
    embeddings: {
      url: byUser(
        textLike(
          /^https?:\/\/[^\s/@?#]+(\/[^\s?#]*)?$/,
          "http://localhost:11434",
          "https://api.openai.com/v1",
        ),
        undefined,
        "An OpenAI-compatible /embeddings endpoint, or Ollama. With it and a model, memories are also found by their meaning: it gets each search and your messages.",
      ),
      model: byUser<string>(
        { type: "string", minLength: 1, maxLength: 200 },
        undefined,
        "Name of the embedding model at this endpoint.",
      ),
      apiKeyEnv: byUser(
        textLike(/^[A-Za-z_]\w*$/, "OPENAI_API_KEY"),
        undefined,
        "Name of the environment variable with the key. The key is sent over https or to this machine only.",
      ),
      timeoutMs: byUserOrLower(
        whole(100, 120_000),
        10_000,
        "Milliseconds for a batch of memories. A search waits for at most 1,000, a message for 300.",
      ),
      dimensions: byUser(whole(8, 8_192), undefined, "Length of the vectors, if the model offers several."),
      allowPrivate: byUserOrLower(
        flag,
        false,
        "Whether private memories may be sent to an endpoint on another machine. An endpoint on this machine gets them.",
      ),
    },
    entities: {
      hosts: byUser(
        listOf(forge),
        [],
        "GitLab and GitHub instances that may be asked besides gitlab.com and github.com: kind, url, and the name of the environment variable with the token.",
      ),
    },
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

const RULE = "---\ntitle: Answer in whole sentences.\npinned: true\n---\nAnswer in whole sentences.\n";
const content = "The doctor was here, to see whether memories can be kept.";
const KEPT = ".opencode/memory/knowledge/";

const proof: Proof = {
  files: { ".opencode/memory/directive/doctor.md": RULE },
  calls: [{ call: "memory_remember", args: { type: "knowledge", content } }],
  acted(seen) {
    const shown = countEvents(seen, "extended", "memories shown", "auto-memory");
    return shown && seen.paths.some((path) => path.startsWith(KEPT)) ? `${shown}, one stored` : undefined;
  },
};

export const autoMemory: LayerDefinition = { name: LAYER, settings, files, proof, create };

function create(context: LayerContext): LayerParts {
  const { config, family, folders, host, memories, search, toasts } = context;
  const privateTypes = planPrivateTypes(config, folders);
  const conflicts = createConflicts({
    ...context,
    store: memories,
    folder: folders.memory,
    isPrivate: (type) => privateTypes.includes(type),
  });
  const shared = { ...context, conflicts };
  const gate = createGate({ memories: { ...memories, remember }, search });
  const agentJudge = createAgentJudge({ ...context, gate });
  const conversation = createConversation({ ...shared, agentJudge });
  const extraction = createExtraction({ ...context, gate });
  let findings: Findings | undefined;
  const isNewlyCut = createCutWatch();

  return {
    withinMs: { context: 1_000 },
    onIdle: async () => findings?.onIdle(),
    tools: createMemoryTools({
      ...{ ...shared, agentJudge, gate, readUsersMessages: readUsers },
      quotes: async () => (await import("../../src/conversations/quotes.js")).openQuotes(context),
      tellUser: (change) => toasts.show(formatChange(change), "info"),
    }),
    handlers: {
      turn({ sessionID }) {
        extraction.onTurn(sessionID);
        conversation.prepare();
        search.open();
      },

      command({ texts }) {
        for (const text of texts) extraction.onTemplate(text);
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
        if (typeof sessionID !== "string") return;
        // OpenCode 2 shows no request for a summary, so the end of it is what both tell of.
        if (type === "session.compacted") extraction.onCompaction(sessionID);
        if (type === "session.idle") extraction.onIdle(sessionID);
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

  /** Does not overwrite what another instance has written meanwhile, and tells the user what was stored unasked. */
  async function remember(draft: MemoryDraft, cause: Cause): Promise<Written> {
    const written = await conflicts.remember(draft, cause);
    if (written.kind === "written" && !written.isKnown && cause.operation === "extract")
      toasts.show(`remembered: ${written.memory.title} (/memory-undo takes it back)`, "info");
    if (written.kind !== "conflict") return written;
    toasts.show(`two versions of "${written.existing.title}", which holds? ${written.path}`, "warning");
    return refuseConflict(written);
  }

  /**
   * A person's own messages in the session, without texts added by the host, plugins or commands. Empty unless the host
   * says that the session is a person's.
   */
  async function readUsers(sessionID: string): Promise<UsersMessage[]> {
    // A fork's last message is a task written by an agent; the user's words are in the session that started the fork.
    const asker = host.findAsker(sessionID);
    if (asker !== undefined) return readUsers(asker);
    if (!(await family.isPersons(sessionID))) return [];
    return readUsersMessages((await host.readMessages(sessionID)) ?? [], extraction.isTheirs);
  }
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
