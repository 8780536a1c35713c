/**
 * What the agent is told without being asked: the user's request, far from where it stands, and, in a new session, what
 * the last one has left open.
 */
import { DAY_MS } from "../../src/base/days.js";
import { formatError } from "../../src/base/error.js";
import { toLine } from "../../src/base/text.js";
import { type Addition, isExtendedBy, type Reading } from "../../src/context/additions.js";
import { estimateTokens } from "../../src/context/context-size.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { DecisionKey } from "../../src/messages/history.js";
import { findOpenTodos } from "../../src/notes/ledger.js";
import { isStale } from "../../src/notes/session.js";
import type { Ledger } from "../../src/notes/stored.js";

interface ReminderOptions {
  /** The messages to send. */
  view: readonly Message[];
  facts: Ledger;
  /** Both must have passed since the request or its last reminder: tool calls, 0 for no reminders, and tokens as sent. */
  policy: { goalRefresh: number; goalDistance: number };
  layer: string;
}

const REQUEST_CHARACTERS = 300;
const RULE_CHARACTERS = 120;
const MOST_RULES = 3;
const MOST_TODOS = 3;

/**
 * The reminder of the user's request; `undefined` if none is due. It follows the newest result, in the tail, where it
 * costs no cache. Pure.
 */
export function planReminder(
  { find, history }: Reading,
  { facts, layer, policy, view }: ReminderOptions,
): Addition | undefined {
  const { messages } = history;
  const last = messages.length - 1;
  if (policy.goalRefresh === 0 || messages[last]?.info.role !== "assistant") return undefined;
  const asked = messages.findLastIndex(({ info }) => info.role === "user");
  const results = history.results(asked + 1);
  const result = results.at(-1);
  if (result?.index !== last) return undefined;
  const from = results.findLast(({ key }) => isExtendedBy(layer, find(key)))?.index ?? asked;
  if (results.filter(({ index }) => index > from).length < policy.goalRefresh) return undefined;
  // View and history end with the same message.
  const since = view.slice(Math.max(0, from + 1 - (messages.length - view.length)));
  if (estimateTokens(since) < policy.goalDistance) return undefined;
  const text = formatReminder(facts, results.length);
  return text === undefined ? undefined : { behind: result, text };
}

function formatReminder(facts: Ledger, calls: number): string | undefined {
  const request = facts.requests.at(-1);
  if (!request) return undefined;
  const rules = facts.rules.slice(-MOST_RULES);
  const todos = findOpenTodos(facts).slice(0, MOST_TODOS);
  const list = (heading: string, texts: readonly string[]): string[] =>
    texts.length === 0 ? [] : [heading, ...texts.map((text) => `- ${toLine(text, RULE_CHARACTERS)}`)];
  return [
    `[Strata] A reminder after ${calls} tool calls, no new request. The user asked:`,
    toLine(request.text, REQUEST_CHARACTERS),
    ...list(
      "The user's rules:",
      rules.map(({ text }) => text),
    ),
    ...list(
      "Open todos:",
      todos.map(({ content }) => content),
    ),
  ].join("\n");
}

/** What an older session has left open is nobody's next step. */
const UNFINISHED_MS = 7 * DAY_MS;

export function createHandoffs(
  { family, instances, log, notes }: Pick<LayerContext, "family" | "instances" | "log" | "notes">,
  layer: string,
) {
  const working = new Set<string>();

  return {
    /** A session in the middle of a turn has no handoff to make. */
    noteWork(sessionID: string, isWorking: boolean): void {
      if (isWorking) working.add(sessionID);
      else working.delete(sessionID);
    },

    /** For the first message of a session that a person has opened: what the last one has left open. */
    async plan({ find, history, sessionID }: ContextRequest): Promise<Addition[]> {
      const key = history.messages.length === 1 ? history.keyOf(0) : undefined;
      if (!key || family.knownParent(sessionID) !== undefined || isExtendedBy(layer, find(key.key)))
        return [];
      const except = new Set([sessionID, ...working, ...(await findBusy())]);
      const unfinished = await notes.findUnfinished(except, UNFINISHED_MS);
      if (!unfinished) return [];
      const text = `[Strata] What the last session in this project has left open. It is no request: leave it alone unless the user goes on with it.\n${unfinished.text}`;
      return [{ behind: key, text }];
    },

    /** Handoffs given to this session, if the user has since taken back words in the other session. */
    async findStale({ find, history }: ContextRequest): Promise<DecisionKey[]> {
      const stale: DecisionKey[] = [];
      for (const [index, { info }] of history.messages.entries()) {
        const key = info.role === "user" ? history.keyOf(index) : undefined;
        const handoff = key && find(key.key)?.extended?.find((one) => one.layer === layer);
        const from = /[\\/]([^\\/\s]+)\.md$/m.exec(handoff?.text ?? "")?.[1];
        if (!key || !handoff || from === undefined) continue;
        if (isStale(await notes.takenBack(from), handoff.at)) stale.push(key);
      }
      return stale;
    },
  };

  /** Sessions that another instance is working on. */
  async function findBusy(): Promise<string[]> {
    // An instance that cannot be seen counts as ended: the handoff asks for nothing.
    const living = await instances.living().catch((thrown) => {
      log.warn(layer, `cannot tell who else is at work here: ${formatError(thrown)}`);
      return [];
    });
    return living.flatMap(({ sessions }) =>
      sessions.filter(({ state }) => state === "busy").map(({ id }) => id),
    );
  }
}
