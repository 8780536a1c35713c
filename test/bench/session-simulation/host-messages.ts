/** Messages as the host keeps them and passes them to plugins, and what it sends of them to the model. */
import {
  isToolPart,
  type Message,
  type MessageInfo,
  type ModelName,
  type Part,
  readResultText,
  type ToolPart,
} from "../../../src/io/message.js";
import type { ChatMessage } from "../../host/stage/model-request.js";
import type { RecordedAnswer } from "../../sessions/recorded-answers.js";

/** The model that answers, if a run names none. */
export const USUAL_MODEL: ModelName = { providerID: "mock", modelID: "m1" };
export const SESSION = "ses_simulated";

/** A call as the model made it. */
export interface MadeCall {
  id: string;
  tool: string;
  args: Record<string, unknown>;
}

export interface UserMessage {
  id: string;
  text: string;
  at: number;
  model: ModelName;
  part?: Partial<Part>;
}

export function userMessage({ id, text, at, model, part = {} }: UserMessage): Message {
  const info = { id, sessionID: SESSION, role: "user", time: { created: at }, agent: "build", model };
  return { info, parts: [{ type: "text", text, ...part }] };
}

/** An answer that has ended, with its usage. */
export function answerMessage(
  id: string,
  parts: readonly Part[],
  { at, isSummary = false, sent, cached, answered, model }: AnswerCounts,
): Message {
  const hasCalls = parts.some(isToolPart);
  const info: MessageInfo = {
    id,
    sessionID: SESSION,
    role: "assistant",
    ...model,
    agent: isSummary ? "compaction" : "build",
    time: { created: at, completed: at + 1 },
    tokens: { input: sent - cached, output: answered, reasoning: 0, cache: { read: cached, write: 0 } },
    finish: hasCalls ? "tool-calls" : "stop",
    ...(isSummary ? { summary: true } : {}),
  };
  return { info, parts: [{ type: "step-start" }, ...parts, { type: "step-finish" }] };
}

export interface AnswerCounts {
  at: number;
  model: ModelName;
  isSummary?: boolean;
  sent: number;
  cached: number;
  answered: number;
}

export function toolPart({ id, tool, args }: MadeCall, answer: RecordedAnswer, at: number): ToolPart {
  const { result, isError, exit } = answer;
  const time = { start: at, end: at + 1 };
  const metadata = exit === undefined ? {} : { exit, output: "" };
  const state = isError
    ? { status: "error", input: args, error: result, time }
    : { status: "completed", input: args, output: result, metadata, time };
  return { type: "tool", tool, callID: id, state };
}

/** New objects with the same contents, as the host makes them for each request. */
export function copyMessages(messages: readonly Message[]): Message[] {
  return messages.map(({ info, parts }) => ({
    info: { ...info },
    parts: parts.map((part) => ({ ...part })),
  }));
}

/** The messages as an OpenAI-compatible provider gets them. */
export function toWire(messages: readonly Message[]): ChatMessage[] {
  return messages.flatMap((message) =>
    message.info.role === "user" ? userToWire(message) : answerToWire(message),
  );
}

function userToWire({ parts }: Message): ChatMessage[] {
  const texts = parts
    .filter(({ text, ignored }) => text !== undefined && !ignored)
    .map(({ text = "" }) => text);
  if (texts.length === 0) return [];
  const content = texts.length === 1 ? (texts[0] ?? "") : texts.map((text) => ({ type: "text", text }));
  return [{ role: "user", content }];
}

function answerToWire({ parts }: Message): ChatMessage[] {
  const content = parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
  const ended = parts.filter(isToolPart);
  if (content === "" && ended.length === 0) return [];
  const calls = ended.map(({ callID, tool, state }) => ({
    id: callID,
    type: "function",
    function: { name: tool, arguments: JSON.stringify(state.input ?? {}) },
  }));
  const results = ended.map((part) => ({
    role: "tool",
    tool_call_id: part.callID,
    content: readResultText(part) ?? "",
  }));
  return [{ role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }, ...results];
}
