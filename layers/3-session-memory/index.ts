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
import { byAnyone, byUserOrHigher, enabled, type Values, whole } from "../../src/config/setting.js";
import { extend, findShownTexts, forget } from "../../src/context/additions.js";
import { estimateTokens } from "../../src/context/context-size.js";
import { decide } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import type { FileKind } from "../../src/kernel/file-kinds.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import type { Proof } from "../../src/kernel/proof.js";
import { createAttachments, listCheckpointCommands } from "./attachments.js";
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

const settings = {
  sessionMemory: {
    enabled: enabled("Layer 3: notes on the running session."),
    updateThreshold: byUserOrHigher(
      whole(512, 1_000_000),
      4_096,
      "Tokens by which the session has to grow before the small model updates the notes.",
    ),
    toolCallThreshold: byUserOrHigher(
      whole(1, 1_000),
      10,
      "Number of tool calls that must also have followed before the small model updates the notes.",
    ),
    goalRefresh: byAnyone(
      whole(0, 1_000),
      10,
      "Number of tool calls before each reminder of your request. 0: never.",
    ),
    goalDistance: byAnyone(
      whole(0, 1_000_000),
      32_000,
      "Tokens that must also have followed your request, or the last reminder, before each reminder.",
    ),
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

const NOTES = /^\.opencode\/session-memory\/[^/]+\.md$/;

const proof: Proof = {
  settings: { sessionMemory: { goalRefresh: 1, goalDistance: 0 } },
  acted: ({ paths }) => (paths.some((path) => NOTES.test(path)) ? "notes written" : undefined),
};

export const sessionMemory: LayerDefinition = { name: LAYER, settings, files, proof, create };

function create(context: LayerContext): LayerParts {
  const keeper = createKeeper(context);
  const handoffs = createHandoffs(context, LAYER);
  const attachments = createAttachments(context, LAYER);

  return {
    withinMs: { context: 1_500 },
    handlers: {
      async context(request, messages, signal) {
        const { sessionID } = request;
        if (request.isCompaction) return undefined;
        handoffs.noteWork(sessionID, true);
        await keeper.learn(request);
        if (!request.isReady()) return undefined;
        const hasForgotten = await forget(context, { request, layer: LAYER, signal });
        const attached = await attachments.find(request);
        const first = attached ? [attached.addition] : await handoffs.plan(request);
        const policy = context.config.sessionMemory;
        const facts = context.notes.facts(sessionID);
        const reminder = facts && planReminder(request, { view: messages, facts, policy, layer: LAYER });
        const additions = reminder ? [...first, reminder] : first;
        const isExtended = await extend(context, { sessionID, layer: LAYER, additions, signal });
        if (attached) void keeper.later(attached.remove);
        return isExtended || hasForgotten ? request.show() : undefined;
      },

      async takenBack(request, withdrawal) {
        if (!withdrawal) return undefined;
        // The next reminder comes when it is due.
        const reminders = findShownTexts(request, LAYER)
          .filter(({ extended }) => withdrawal.isStale(extended.at))
          .map(({ result }) => result);
        const stale = [...reminders, ...(await handoffs.findStale(request))];
        if (stale.length === 0) return undefined;
        const own = stale.map((key) => ({
          ...decide(key, { outcome: "revised", of: "extended" }),
          layer: LAYER,
        }));
        return { ...withdrawal, revisions: [...withdrawal.revisions, ...own] };
      },

      event({ type, properties: { sessionID } }) {
        if (type === "session.idle" && typeof sessionID === "string") {
          handoffs.noteWork(sessionID, false);
          void keeper.later(() => keeper.catchUp(sessionID));
        }
      },
    },

    commands: listCheckpointCommands(context),

    dispose: keeper.end,
  };
}

function createKeeper(context: LayerContext) {
  const { background, deferred, family, host, log, news, notes } = context;
  const considerSections = createSectionWriter(context);
  const begun = new Set<string>();
  /** Runs behind the turn. Never rejects. */
  const later = (work: Parameters<PQueue["add"]>[0]): Promise<unknown> =>
    background.add(work).catch((thrown) => log.error(LAYER, `behind the turn: ${formatError(thrown)}`));

  return {
    later,

    /** Learns from a request; the file is written behind the turn. */
    async learn({ history, sessionID }: ContextRequest): Promise<void> {
      if (!begun.has(sessionID)) await begin(sessionID, history.messages);
      await notes.learn(sessionID, history.messages);
      deferred.add(`notes of ${sessionID}`, () =>
        later(async () => {
          await write(sessionID);
          await considerSections(sessionID, history.messages);
        }),
      );
    },

    /** Learns the last answer of a turn from the host. */
    async catchUp(sessionID: string): Promise<void> {
      await notes.learn(sessionID, (await news.readSince(sessionID, Number.POSITIVE_INFINITY)) ?? []);
      await write(sessionID);
    },

    /** Writes all notes. */
    async end(): Promise<void> {
      await Promise.all([...begun].map(write));
    },
  };

  /** What the host has summarised is in no request any more, but it has all messages still; they are read once. */
  async function begin(sessionID: string, messages: readonly Message[]): Promise<void> {
    begun.add(sessionID);
    await notes.learn(sessionID, []);
    if (!messages.some(({ info }) => info.summary === true)) return;
    void later(async () => {
      await notes.learn(sessionID, (await host.readMessages(sessionID)) ?? []);
      await write(sessionID);
    });
  }

  /** A subagent's notes are its parent's; a question and its answer need none. */
  async function write(sessionID: string): Promise<void> {
    const hasWorked = (notes.facts(sessionID)?.calls.ended ?? 0) > 0;
    if (hasWorked && family.knownParent(sessionID) === undefined) await notes.write(sessionID);
  }
}

/**
 * Has a small model write the sections of the notes once enough has happened in this session, given the messages about to
 * be sent. Runs in the background. Never rejects.
 */
function createSectionWriter(context: LayerContext) {
  const { config, generation, notes } = context;
  const { toolCallThreshold, updateThreshold } = config.sessionMemory;
  /** Size of a session when the sections were last written or attempted. */
  const marks = new Map<string, { tokens: number; toolCalls: number }>();

  return async (sessionID: string, messages: readonly Message[]): Promise<void> => {
    const now = { tokens: estimateTokens(messages), toolCalls: notes.facts(sessionID)?.calls.ended ?? 0 };
    const last = marks.get(sessionID) ?? { tokens: 0, toolCalls: 0 };
    // The host has compacted, so growth counts from the smaller size.
    if (now.tokens < last.tokens) marks.set(sessionID, { ...last, tokens: now.tokens });
    const isTime =
      now.tokens - last.tokens >= updateThreshold && now.toolCalls - last.toolCalls >= toolCallThreshold;
    if (!isTime || !(await generation.status()).isAllowed) return;
    marks.set(sessionID, now);
    const { writeSections } = await import("./write-sections.js");
    await writeSections(context, sessionID, messages);
  };
}
