import { estimateTokens } from "../../src/context/context-size.js";
import type { Reading } from "../../src/context/forgotten.js";
import { isExtendedBy } from "../../src/context/known-decisions.js";
import type { Message } from "../../src/io/message.js";
import type { Result } from "../../src/messages/history.js";
import { findOpenTodos, type SessionFacts } from "../../src/notes/facts.js";

/** A reminder and the result it is appended to. */
export interface Reminder {
  result: Result;
  text: string;
}

/** Both must have passed since the request or its last reminder. */
export interface ReminderPolicy {
  /** Tool calls; 0 for no reminders. */
  goalRefresh: number;
  /** Tokens as sent. */
  goalDistance: number;
}

export interface ReminderOptions {
  /** The messages to send. */
  view: readonly Message[];
  facts: SessionFacts;
  policy: ReminderPolicy;
  /** The layer that reminds. */
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
  request: Reading,
  { facts, layer, policy, view }: ReminderOptions,
): Reminder | undefined {
  const { find, history } = request;
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
  return text === undefined ? undefined : { result, text };
}

function formatReminder(facts: SessionFacts, calls: number): string | undefined {
  const request = facts.requests.at(-1);
  if (!request) return undefined;
  const rules = [...facts.constraints, ...facts.corrections]
    .sort((a, b) => a.at - b.at)
    .slice(-MOST_RULES)
    .map(({ text }) => `- ${shorten(text, RULE_CHARACTERS)}`);
  const todos = findOpenTodos(facts.todos).slice(0, MOST_TODOS);
  return [
    `[Strata] A reminder after ${calls} tool calls, no new request. The user asked:`,
    shorten(request.text, REQUEST_CHARACTERS),
    ...(rules.length > 0 ? ["The user's rules:", ...rules] : []),
    ...(todos.length > 0
      ? ["Open todos:", ...todos.map(({ content }) => `- ${shorten(content, RULE_CHARACTERS)}`)]
      : []),
  ].join("\n");
}

function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : line;
}
