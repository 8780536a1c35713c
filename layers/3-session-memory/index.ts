/**
 * Layer 3: notes on the running session, `.opencode/session-memory/<sessionID>.md`.
 *
 *     before each request   what is new is learned, without a model; the file is written behind the turn
 *     every so many calls   the model is reminded of what the user asked for, behind the newest result
 *     now and then          a small model writes the sections, where one may be called
 *     when a session is idle its last answer is learned as well
 *     when a session begins  it is told what the last one has left open: the handoff, made from that one's notes
 *     when the host ends     what is not written yet is
 */
import type PQueue from "p-queue";
import { DAY_MS } from "../../src/days.js";
import type { Withdrawal } from "../../src/dispatcher/hooks.js";
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import { isStale } from "../../src/notes/taken-back.js";
import { type DatedDecision, decide } from "../../src/view/decisions.js";
import { type Addition, extend } from "../../src/view/extend.js";
import { isExtendedBy } from "../../src/view/known-decisions.js";
import type { ContextRequest } from "../../src/view/request.js";
import { defaults } from "./defaults.js";
import { files } from "./files.js";
import { planReminder } from "./goal.js";
import { createSectionWriter } from "./writer.js";

const LAYER = "session-memory";
/** The last answer of a turn is among so many messages. */
const LAST_MESSAGES = 10;
/** What an older session has left open is nobody's next step. */
const UNFINISHED_MS = 7 * DAY_MS;

export const sessionMemory: LayerDefinition = {
  name: LAYER,
  cost: 3,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, config, family, host, instances, log, notes } = context;
  const policy = config.sessionMemory;
  const writer = createSectionWriter(context);
  const begun = new Set<string>();
  /** Sessions in the middle of a turn. */
  const working = new Set<string>();

  return {
    withinMs: { context: 1_500 },
    handlers: {
      async context(request, _messages, signal) {
        if (request.isCompaction) return undefined;
        working.add(request.sessionID);
        return (await take(request, signal)) ? request.show() : undefined;
      },

      async takenBack(request, withdrawal) {
        if (!withdrawal) return undefined;
        const revisions = [...findStale(request, withdrawal), ...(await findStaleGreeting(request))];
        if (revisions.length === 0) return undefined;
        return {
          ...withdrawal,
          revisions: [...withdrawal.revisions, ...revisions.map((one) => ({ ...one, layer: LAYER }))],
        };
      },

      event({ type, properties: { sessionID } }) {
        if (type === "session.idle" && typeof sessionID === "string") {
          working.delete(sessionID);
          later(() => catchUp(sessionID));
        }
        return undefined;
      },
    },

    async dispose() {
      await Promise.all([...begun].map(write));
    },
  };

  /** Whether something was decided. */
  async function take(request: ContextRequest, signal: AbortSignal): Promise<boolean> {
    const { history, sessionID } = request;
    await begin(request);
    await notes.learn(sessionID, history.messages);
    later(async () => {
      await write(sessionID);
      await writer.consider(sessionID, history.messages);
    });
    if (!request.isReady()) return false;
    const additions = [...(await greet(request)), ...remind(request)];
    return extend(context, { sessionID, layer: LAYER, additions, signal });
  }

  /** What the host has summarised is in no request any more, but it has all messages still; they are read once. */
  async function begin({ history, sessionID }: ContextRequest): Promise<void> {
    if (begun.has(sessionID)) return;
    begun.add(sessionID);
    await notes.learn(sessionID, []);
    const isCompacted = history.messages.some(({ info }) => info.summary === true);
    if (!isCompacted) return;
    later(async () => {
      await notes.learn(sessionID, (await host.readMessages(sessionID)) ?? []);
      await write(sessionID);
    });
  }

  function remind({ find, history, sessionID }: ContextRequest): Addition[] {
    const facts = notes.facts(sessionID);
    const reminder = facts && planReminder(history, facts, policy.goalRefresh);
    if (!reminder || isExtendedBy(LAYER, find(reminder.result.key))) return [];
    return [{ behind: reminder.result, text: reminder.text }];
  }

  /** The first message of a session a person has opened. */
  async function greet({ find, history, sessionID }: ContextRequest): Promise<Addition[]> {
    const key = history.messages.length === 1 ? history.keyOf(0) : undefined;
    if (!key || isSubagents(sessionID) || isExtendedBy(LAYER, find(key.key))) return [];
    const unfinished = await notes.findUnfinished(
      new Set([sessionID, ...working, ...(await findBusy())]),
      UNFINISHED_MS,
    );
    if (!unfinished) return [];
    const text = `[Strata] What the last session in this project has left open. It is no request: leave it alone unless the user goes on with it.\n${unfinished.text}`;
    return [{ behind: key, text }];
  }

  /** The handoff that the session was greeted with, where words of that other session were taken back since. */
  async function findStaleGreeting({ find, history }: ContextRequest): Promise<DatedDecision[]> {
    const key = history.keyOf(0);
    const greeting = key && find(key.key)?.extended?.find(({ layer }) => layer === LAYER);
    const from = /\/([^/\s]+)\.md$/m.exec(greeting?.text ?? "")?.[1];
    if (!key || !greeting || from === undefined) return [];
    const taken = await notes.takenBack(from);
    return isStale(taken, greeting.at) ? [decide(key, { outcome: "revised", of: "extended" })] : [];
  }

  /** Sessions that another instance is at work on. */
  async function findBusy(): Promise<string[]> {
    // Who cannot be found is taken for ended: the handoff asks for nothing.
    const living = await instances.living().catch((thrown) => {
      log.warn(LAYER, `cannot tell who else is at work here: ${formatError(thrown)}`);
      return [];
    });
    return living.flatMap(({ sessions }) =>
      sessions.filter(({ state }) => state === "busy").map(({ id }) => id),
    );
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

  function isSubagents(sessionID: string): boolean {
    return family.knownParent(sessionID) !== undefined;
  }

  function later(work: Parameters<PQueue["add"]>[0]): void {
    void background.add(work).catch((thrown) => log.error(LAYER, `behind the turn: ${formatError(thrown)}`));
  }
}

/** Reminders that may quote what was taken back: the next one comes when it is due. */
function findStale({ find, history, shownFrom }: ContextRequest, withdrawal: Withdrawal): DatedDecision[] {
  return history.results(shownFrom()).flatMap((result) => {
    const reminder = find(result.key)?.extended?.find(({ layer }) => layer === LAYER);
    const isQuoting = reminder?.text !== undefined && withdrawal.isStale(reminder.at);
    return isQuoting ? [decide(result, { outcome: "revised", of: "extended" })] : [];
  });
}
