/**
 * A request as the scripted model received it, with what tests need to know: the tool results, the tokens
 * from the prompt cache, the first difference from an earlier request.
 *
 * Bytes are compared in the order in which providers cache: the tools, then the messages (system messages
 * first). Each is JSON with its keys in the order they were sent.
 */

import type { SentMessage, SentTool } from "../../../src/trial/requests.js";

/** Other fields are kept in the recorded objects. */
export type { SentMessage as ChatMessage, SentTool as ChatTool };

/** The body of a chat completion request; other fields are kept in the recorded object. */
export interface ChatBody {
  model: string;
  messages: SentMessage[];
  tools?: SentTool[];
  stream?: boolean;
}

/** The text of one tool result. */
export interface ToolResult {
  callID: string;
  text: string;
}

/** A recorded request. Its token counts, as reported to the host, are 0 until the answer is decided. */
export interface ModelRequest {
  body: ChatBody;
  /** Length of the raw body. */
  bytes: number;
  messages: SentMessage[];
  tools: SentTool[];
  /** The host's session, from `x-session-id`. */
  sessionID: string | undefined;
  /** The parent of a child session, from `x-parent-session-id`. */
  parentSessionID: string | undefined;
  /** The tools, then the messages, as the prompt cache sees them. */
  prompt: string;
  /** The JSON of each message. */
  messageBytes: string[];
  promptTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** When it arrived, by the model's clock. */
  at: number;
  /** The tool results among the messages, in order. */
  toolResults(): ToolResult[];
  /** The text of the last result with this call id; throws with the known ids if there is none. */
  toolResult(callID: string): string;
  /** The text of all messages of one role, joined by line breaks. */
  textOf(role: string): string;
}

/** Facts about a request that are not in its body. */
export interface ReceivedRequest {
  raw: Buffer;
  sessionID: string | undefined;
  parentSessionID: string | undefined;
  at: number;
}

/** Parses a raw body; throws if it is not JSON with a list of messages. */
export function createModelRequest({ raw, ...received }: ReceivedRequest): ModelRequest {
  const body = JSON.parse(raw.toString("utf8")) as ChatBody;
  const { messages, tools = [] } = body;
  const messageBytes = messages.map((message) => JSON.stringify(message));
  const toolResults = () =>
    request.messages
      .filter((message) => message.role === "tool")
      .map((message) => ({ callID: message.tool_call_id ?? "", text: contentText(message) }));
  const request: ModelRequest = {
    ...received,
    body,
    bytes: raw.length,
    messages,
    tools,
    messageBytes,
    prompt: [JSON.stringify(tools), ...messageBytes].join("\n"),
    promptTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    toolResults,
    toolResult: (callID) => findToolResult(toolResults(), callID),
    textOf: (role) =>
      request.messages
        .filter((message) => message.role === role)
        .map(contentText)
        .join("\n"),
  };
  return request;
}

/**
 * Index of the first message at which `later` stops repeating `earlier`; -1 if their tools differ,
 * `undefined` if `later` begins with all of `earlier`.
 */
export function firstDifference(earlier: ModelRequest, later: ModelRequest): number | undefined {
  if (JSON.stringify(earlier.tools) !== JSON.stringify(later.tools)) return -1;
  const index = earlier.messageBytes.findIndex((bytes, position) => bytes !== later.messageBytes[position]);
  return index === -1 ? undefined : index;
}

/** OpenCode 2 asks in the session itself: for the first summary, and for a later one. */
const ASKS_FOR_SUMMARY = /^(You MUST summarize|Update the existing checkpoint in) the conversation above/;

/** Whether this is the host's summary request, which it makes when the window is full. */
export function isSummarizing({ messages, tools }: ModelRequest): boolean {
  const last = messages.at(-1);
  if (last?.role === "user" && ASKS_FOR_SUMMARY.test(contentText(last))) return true;
  return (
    tools.length === 0 &&
    messages.some(
      (message) => message.role === "system" && contentText(message).includes("summarization agent"),
    )
  );
}

/** Drops the texts of a request and keeps its counts, so that runs of hundreds of large requests stay in memory. */
export function forgetTexts(request: ModelRequest): void {
  const body = { model: request.body.model, messages: [] };
  Object.assign(request, { body, messages: [], tools: [], prompt: "", messageBytes: [] });
}

/** Estimated tokens, rounded up: by default four bytes each. */
export function tokensOfBytes(bytes: number, bytesPerToken = 4): number {
  return Math.ceil(bytes / bytesPerToken);
}

function findToolResult(results: ToolResult[], callID: string): string {
  const found = results.findLast((result) => result.callID === callID);
  if (found) return found.text;
  const known = results.map((result) => result.callID).join(", ") || "none";
  throw new Error(`No tool result ${callID} in this request; it has: ${known}`);
}

function contentText({ content }: SentMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}
