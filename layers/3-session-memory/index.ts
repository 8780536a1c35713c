/**
 * Layer 3: notes on the running session, `.opencode/session-memory/<sessionID>.md`.
 *
 *     before each request   what is new is learned, without a model; the file is written behind the turn
 *     far from the request  the model is reminded of what the user asked for, behind the newest result
 *     now and then          a small model writes the sections, where one may be called
 *     when a session is idle its last answer is learned as well
 *     when a session begins  it is told what the last one has left open: the handoff, made from that one's notes
 *     /checkpoint, /attach   saves a session's state, or gives it to another session
 *     when the host ends     writes unwritten notes and saves each session's state, newest first
 */
import type PQueue from "p-queue";
import { formatError } from "../../src/base/error.js";
import { estimateTokens } from "../../src/context/context-size.js";
import { type Addition, type DatedDecision, decide, extend } from "../../src/context/decisions.js";
import { findStanding, forget } from "../../src/context/forgotten.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import type { FileKind } from "../../src/kernel/expired-files.js";
import type { Withdrawal } from "../../src/kernel/hooks.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { createAttachments, listCheckpointCommands } from "./attachments.js";
import { defaults } from "./defaults.js";
import { createHandoffs, planReminder } from "./reminders.js";

export const files: readonly FileKind[] = [
  { path: ".opencode/session-memory/<id>.md" },
  {
    path: ".opencode/session-memory/<id>.previous.md",
    expiry: { what: "an earlier version of notes", days: 1 },
  },
  { path: ".opencode/session-memory/<id>.json" },
  ...["<id>.md", "<id>.previous.md", "<id>.json"].map((name) => ({
    path: `.opencode/session-memory/archive/${name}`,
    expiry: { what: "archived notes of an unused session", days: 30 },
  })),
  { path: ".opencode/session-memory/.gitignore" },
];

const LAYER = "session-memory";
/** The last answer of a turn is among so many messages. */
const LAST_MESSAGES = 10;

export const sessionMemory: LayerDefinition = {
  name: LAYER,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, checkpoints, deferred, family, host, log, notes } = context;
  const writer = createSectionWriter(context);
  const begun = new Set<string>();
  const handoffs = createHandoffs(context, LAYER);
  const attachments = createAttachments(context, LAYER);

  return {
    withinMs: { context: 1_500 },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction) return void later(() => checkpoints.keep(request.sessionID, "compaction"));
        handoffs.noteWork(request.sessionID, true);
        return (await take(request, messages, signal)) ? request.show() : undefined;
      },

      takenBack: async (request, withdrawal) =>
        withdrawal &&
        addRevisions(withdrawal, [...findStale(request, withdrawal), ...(await handoffs.findStale(request))]),

      event({ type, properties: { sessionID } }) {
        if (type === "session.idle" && typeof sessionID === "string") {
          handoffs.noteWork(sessionID, false);
          void later(() => catchUp(sessionID));
        }
        return undefined;
      },
    },

    commands: listCheckpointCommands(context),

    async dispose() {
      await Promise.all([...begun].map(write));
      for (const sessionID of [...begun].reverse()) await checkpoints.keep(sessionID, "end");
    },
  };

  /** Whether something was decided. */
  async function take(
    request: ContextRequest,
    view: readonly Message[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { history, sessionID } = request;
    await begin(request);
    await notes.learn(sessionID, history.messages);
    deferred.add(`notes of ${sessionID}`, () =>
      later(async () => {
        await write(sessionID);
        await writer.consider(sessionID, history.messages);
      }),
    );
    if (!request.isReady()) return false;
    const hasForgotten = await forget(context, { request, layer: LAYER, signal });
    const attached = await attachments.find(request);
    const first = attached ? [attached.addition] : await handoffs.plan(request);
    const additions = [...first, ...remind(context, request, view)];
    const isExtended = await extend(context, { sessionID, layer: LAYER, additions, signal });
    if (attached) void later(attached.remove);
    return isExtended || hasForgotten;
  }

  /** What the host has summarised is in no request any more, but it has all messages still; they are read once. */
  async function begin({ history, sessionID }: ContextRequest): Promise<void> {
    if (begun.has(sessionID)) return;
    begun.add(sessionID);
    await notes.learn(sessionID, []);
    const isCompacted = history.messages.some(({ info }) => info.summary === true);
    if (!isCompacted) return;
    void later(async () => {
      await notes.learn(sessionID, (await host.readMessages(sessionID)) ?? []);
      await write(sessionID);
    });
  }

  async function catchUp(sessionID: string): Promise<void> {
    await notes.learn(sessionID, (await host.readMessages(sessionID, LAST_MESSAGES)) ?? []);
    await write(sessionID);
  }

  /** A subagent's notes are its parent's; a question and its answer need none. */
  async function write(sessionID: string): Promise<void> {
    const hasWorked = (notes.facts(sessionID)?.toolCalls ?? 0) > 0;
    if (hasWorked && family.knownParent(sessionID) === undefined) await notes.write(sessionID);
  }

  function later(work: Parameters<PQueue["add"]>[0]): Promise<unknown> {
    const complain = (thrown: unknown): void => log.error(LAYER, `behind the turn: ${formatError(thrown)}`);
    return background.add(work).catch(complain);
  }
}

function remind(
  { config, notes }: Pick<LayerContext, "config" | "notes">,
  request: ContextRequest,
  view: readonly Message[],
): Addition[] {
  const facts = notes.facts(request.sessionID);
  const policy = config.sessionMemory;
  const reminder = facts && planReminder(request, { view, facts, policy, layer: LAYER });
  return reminder ? [{ behind: reminder.result, text: reminder.text }] : [];
}

function addRevisions(withdrawal: Withdrawal, added: readonly DatedDecision[]): Withdrawal | undefined {
  if (added.length === 0) return undefined;
  const own = added.map((one) => ({ ...one, layer: LAYER }));
  return { ...withdrawal, revisions: [...withdrawal.revisions, ...own] };
}

/** Reminders that may quote what was taken back: the next one comes when it is due. */
function findStale(request: ContextRequest, withdrawal: Withdrawal): DatedDecision[] {
  return findStanding(request, LAYER)
    .filter(({ extended }) => withdrawal.isStale(extended.at))
    .map(({ result }) => decide(result, { outcome: "revised", of: "extended" }));
}

interface SectionWriter {
  /** Has the sections written if they are due for this session, given the messages about to be sent. Never rejects. */
  consider(sessionID: string, messages: readonly Message[]): Promise<void>;
}

/** Has a small model write the sections of the notes once enough has happened. Runs in the background. */
function createSectionWriter(context: LayerContext): SectionWriter {
  const { config, generation, notes } = context;
  const { toolCallThreshold, updateThreshold } = config.sessionMemory;
  /** Size of a session when the sections were last written or attempted. */
  const marks = new Map<string, { tokens: number; toolCalls: number }>();

  return {
    async consider(sessionID, messages) {
      const now = {
        tokens: estimateTokens(messages),
        toolCalls: notes.facts(sessionID)?.toolCalls ?? 0,
      };
      const last = marks.get(sessionID) ?? { tokens: 0, toolCalls: 0 };
      // The host has compacted, so growth counts from the smaller size.
      if (now.tokens < last.tokens) marks.set(sessionID, { ...last, tokens: now.tokens });
      const isTime =
        now.tokens - last.tokens >= updateThreshold && now.toolCalls - last.toolCalls >= toolCallThreshold;
      if (!isTime || !(await generation.status()).isAllowed) return;
      marks.set(sessionID, now);
      const { writeSections } = await import("./write-sections.js");
      await writeSections(context, sessionID, messages);
    },
  };
}
