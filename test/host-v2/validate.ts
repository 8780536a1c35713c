/** Refuses a request as strictly as the contract allows a host or a provider to. Throws with the first fault. */

import { isRecord } from "../../src/base/shape.js";
import type { ContextEvent, TheirMessage, TheirPart } from "../../src/host/2/contract.js";

export class RequestRefused extends Error {}

function must(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new RequestRefused(`Schema validation failed: ${what}`);
}

export function validate({ messages }: Pick<ContextEvent, "messages">): void {
  must(Array.isArray(messages) && messages.length > 0, "messages is empty");
  for (const message of messages) validateMessage(message);
  validatePairs(messages);
  const first = messages.find(({ role }) => role !== "system");
  must(first?.role === "user", `the first message is ${first?.role}'s`);
}

function validateMessage(message: TheirMessage): void {
  must(["system", "user", "assistant", "tool"].includes(message.role), `role ${message.role}`);
  must(Array.isArray(message.content) && message.content.length > 0, `a message of ${message.role} is empty`);
  for (const part of message.content) validatePart(part);
}

const KEYS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "cache", "metadata", "providerMetadata"],
  reasoning: ["type", "text", "encrypted", "cache", "metadata", "providerMetadata"],
  media: ["type", "mediaType", "data", "filename", "cache", "metadata"],
  "tool-call": ["type", "id", "name", "input", "providerExecuted", "cache", "metadata", "providerMetadata"],
  "tool-result": [
    "type",
    "id",
    "name",
    "result",
    "providerExecuted",
    "cache",
    "metadata",
    "providerMetadata",
  ],
};

function validatePart(part: TheirPart): void {
  const keys = KEYS[part.type];
  must(keys !== undefined, `part of type ${part.type}`);
  const strange = Object.keys(part).find((key) => !keys.includes(key));
  must(strange === undefined, `${part.type} has the field ${strange}`);
  if (part.type === "text" || part.type === "reasoning") must(typeof part.text === "string", "text");
  if (part.type !== "tool-call" && part.type !== "tool-result") return;
  must(typeof part.id === "string" && part.id !== "", `${part.type} without an id`);
  must(typeof part.name === "string" && part.name !== "", `${part.type} without a name`);
  if (part.type === "tool-result") validateResult(part.result);
}

function validateResult(result: TheirPart["result"]): void {
  must(isRecord(result) && Object.keys(result).sort().join() === "type,value", "the form of a result");
  const { type, value } = result as { type: string; value: unknown };
  must(["text", "json", "error", "content"].includes(type), `result of type ${type}`);
  if (type === "text") must(typeof value === "string", "the value of a text result");
  if (type === "error") validateError(value);
  if (type !== "content") return;
  must(Array.isArray(value) && value.length > 0, "the value of a content result");
  for (const item of value as Record<string, unknown>[]) {
    const isText = item.type === "text" && typeof item.text === "string";
    must(isText || (item.type === "file" && typeof item.uri === "string"), "an item of a content result");
  }
}

/** As OpenCode 2.2 wants it. */
function validateError(value: unknown): void {
  must(isRecord(value) && Object.keys(value).sort().join() === "content,error", "the form of a failure");
  const { content, error } = value as { content: unknown; error: unknown };
  must(Array.isArray(content), "the content of a failure");
  must(isRecord(error) && typeof error.type === "string" && typeof error.message === "string", "an error");
}

/** Each result follows the answer with its call, and no call is left without one. */
function validatePairs(messages: readonly TheirMessage[]): void {
  let open = new Set<string>();
  for (const { content, role } of messages) {
    if (role === "tool") {
      for (const { id = "" } of content) must(open.delete(id), `result ${id} without its call`);
    } else if (role !== "system") {
      must(open.size === 0, `call ${[...open]} without a result`);
      open = new Set(content.flatMap(({ id, type }) => (type === "tool-call" && id ? [id] : [])));
    }
  }
  must(open.size === 0, `call ${[...open]} without a result`);
}
