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
import { type DatedDecision, decide } from "../../src/context/decisions.js";
import { type Addition, extend } from "../../src/context/extend.js";
import { findStanding, forget } from "../../src/context/forgotten.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import type { Withdrawal } from "../../src/kernel/hooks.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/kernel/layer-definition.js";
import { defaults } from "./defaults.js";
import { files } from "./files.js";
import { planReminder } from "./goal.js";
import { createGreetings } from "./greetings.js";
import { createResuming } from "./resuming.js";
import { createSectionWriter } from "./writer.js";

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
  const { background, checkpoints, deferred, family, host, instances, log, notes } = context;
  const writer = createSectionWriter(context);
  const begun = new Set<string>();
  const isSubagents = (sessionID: string): boolean => family.knownParent(sessionID) !== undefined;
  const greetings = createGreetings({ instances, isSubagents, log, layer: LAYER, notes });
  const resuming = createResuming(context, { isSubagents, layer: LAYER });

  return {
    withinMs: { context: 1_500 },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction) return void later(() => checkpoints.keep(request.sessionID, "compaction"));
        greetings.noteWork(request.sessionID, true);
        return (await take(request, messages, signal)) ? request.show() : undefined;
      },

      takenBack: async (request, withdrawal) =>
        withdrawal &&
        addRevisions(withdrawal, [
          ...findStale(request, withdrawal),
          ...(await greetings.findStale(request)),
        ]),

      event({ type, properties: { sessionID } }) {
        if (type === "session.idle" && typeof sessionID === "string") {
          greetings.noteWork(sessionID, false);
          void later(() => catchUp(sessionID));
        }
        return undefined;
      },
    },

    commands: resuming.commands,

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
    const attached = await resuming.find(request);
    const first = attached ? [attached.addition] : await greetings.greet(request);
    const additions = [...first, ...remind(context, request, view)];
    const isExtended = await extend(context, { sessionID, layer: LAYER, additions, signal });
    if (attached) void later(attached.settle);
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
    if (hasWorked && !isSubagents(sessionID)) await notes.write(sessionID);
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
