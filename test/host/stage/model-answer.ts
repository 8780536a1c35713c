/**
 * Sends an answer in the OpenAI chat completion format: as server-sent chunks with the usage in the last
 * one, or as one JSON document if the client did not ask for a stream.
 */

import type { ServerResponse } from "node:http";
import type { ModelRequest } from "./model-request.js";
import type { CallsStep, FailStep, SayStep } from "./steps.js";

/** A call with its final id. */
export interface SettledCall {
  id: string;
  tool: string;
  args: string;
}

/** An answer ready to be sent: text, or calls with their ids. */
export interface Answer {
  text: string;
  calls: SettledCall[];
}

/** Prepares an answer for sending: adds missing call ids and encodes arguments as JSON. */
export function settleAnswer(step: SayStep | CallsStep, nextCallID: () => string): Answer {
  if (step.kind === "say") return { text: step.text, calls: [] };
  const settled = step.calls.map(({ id, tool, args }) => ({
    id: id ?? nextCallID(),
    tool,
    args: JSON.stringify(args),
  }));
  return { text: step.text ?? "", calls: settled };
}

/** Sends a whole answer, streamed or not as the request asked. */
export function sendAnswer(response: ServerResponse, request: ModelRequest, answer: Answer): void {
  if (request.body.stream === true) streamAnswer(response, request, answer);
  else sendJson(response, 200, completion(request, answer));
}

/** Sends an error status with a body in the provider's format. */
export function sendFailure(response: ServerResponse, { status, message }: Omit<FailStep, "kind">): void {
  sendJson(response, status, { error: { message, type: "scripted", code: String(status) } });
}

/** Sends a stream's headers at once and leaves it open. */
export function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
}

function streamAnswer(response: ServerResponse, request: ModelRequest, answer: Answer): void {
  openStream(response);
  const send = (fields: object) => response.write(event(request, fields));
  send({ choices: [choice({ role: "assistant", content: answer.text })] });
  answer.calls.forEach((settled, index) => {
    send({ choices: [choice({ tool_calls: [{ index, ...toolCall(settled) }] })] });
  });
  send({ choices: [choice({}, finishReason(answer))] });
  send({ choices: [], usage: usage(request) });
  response.end("data: [DONE]\n\n");
}

function completion(request: ModelRequest, answer: Answer): object {
  const message = {
    role: "assistant",
    content: answer.text,
    ...(answer.calls.length > 0 ? { tool_calls: answer.calls.map(toolCall) } : {}),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason(answer) }];
  return { ...envelope(request, "chat.completion"), choices, usage: usage(request) };
}

function toolCall({ id, tool, args }: SettledCall): object {
  return { id, type: "function", function: { name: tool, arguments: args } };
}

function finishReason({ calls }: Answer): string {
  return calls.length > 0 ? "tool_calls" : "stop";
}

function usage({ promptTokens, cachedTokens, outputTokens }: ModelRequest): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

function choice(delta: object, finish: string | null = null): object {
  return { index: 0, delta, finish_reason: finish };
}

function event(request: ModelRequest, fields: object): string {
  return `data: ${JSON.stringify({ ...envelope(request, "chat.completion.chunk"), ...fields })}\n\n`;
}

function envelope(request: ModelRequest, object: string): object {
  return {
    id: "chatcmpl-scripted",
    object,
    created: Math.floor(request.at / 1000),
    model: request.body.model,
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
