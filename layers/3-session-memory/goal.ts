import type { History, Result } from "../../src/conversation/history.js";
import { findOpenTodos, type SessionFacts } from "../../src/notes/facts.js";

/** A reminder and the result it is appended to. */
export interface Reminder {
  result: Result;
  text: string;
}

const REQUEST_CHARACTERS = 600;
const RULE_CHARACTERS = 200;
const MOST_RULES = 6;
const MOST_TODOS = 8;

/**
 * The reminder of the user's request, due after every `every` tool calls on it; `undefined` if none is due. It follows
 * the newest result, in the tail, where it costs no cache. Pure.
 */
export function planReminder(history: History, facts: SessionFacts, every: number): Reminder | undefined {
  const { messages } = history;
  const last = messages.length - 1;
  if (every === 0 || messages[last]?.info.role !== "assistant") return undefined;
  const asked = messages.findLastIndex(({ info }) => info.role === "user");
  const results = history.results(asked + 1);
  const fresh = results.filter(({ index }) => index === last);
  const result = fresh.at(-1);
  const isDue = Math.floor(results.length / every) > Math.floor((results.length - fresh.length) / every);
  const text = result && isDue ? formatReminder(facts, results.length) : undefined;
  return result && text !== undefined ? { result, text } : undefined;
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
