/** Makes a request from stored messages, as runner/to-llm-message.ts of OpenCode 2 is documented to do. */
import {
  CHECKPOINT,
  type StoredMessage,
  type StoredPart,
  type TheirMessage,
  type TheirPart,
} from "../../src/host/setup/contract.js";
import { HostMessage } from "./theirs.js";

export interface LoweringOptions {
  /** Messages carry the id of the stored one. */
  withIDs: boolean;
  /** The value of a failure is a plain text. */
  plainErrors: boolean;
}

export function lower(stored: readonly StoredMessage[], options: LoweringOptions): TheirMessage[] {
  return stored.flatMap((message) => lowerOne(message, options));
}

function lowerOne(message: StoredMessage, options: LoweringOptions): TheirMessage[] {
  const id = options.withIDs ? { id: message.id } : {};
  const { text = "", type } = message;
  switch (type) {
    case "user":
    case "synthetic":
    case "skill":
      return text === "" ? [] : [new HostMessage({ ...id, role: "user", content: [{ type: "text", text }] })];
    case "system":
      return [new HostMessage({ role: "system", content: [{ type: "text", text }] })];
    case "assistant":
      return lowerAnswer(message, id, options);
    case "compaction": {
      const summary = `<summary>\n${message.summary}\n</summary>\n\n<recent-context>\n${message.recent}\n</recent-context>`;
      const said = `${CHECKPOINT}\n${summary}\n</conversation-checkpoint>`;
      return [new HostMessage({ ...id, role: "user", content: [{ type: "text", text: said }] })];
    }
    default:
      return [];
  }
}

function lowerAnswer(
  { content = [] }: StoredMessage,
  id: { id?: string },
  options: LoweringOptions,
): TheirMessage[] {
  const parts = content.flatMap((part): TheirPart[] => {
    if (part.type === "text") return part.text ? [{ type: "text", text: part.text }] : [];
    if (part.type === "reasoning") return part.text ? [{ type: "reasoning", text: part.text }] : [];
    return [{ type: "tool-call", id: part.id ?? "", name: part.name ?? "", input: part.state?.input ?? {} }];
  });
  const results = content.flatMap((part) => lowerResult(part, options));
  if (parts.length === 0) return results;
  return [new HostMessage({ ...id, role: "assistant", content: parts }), ...results];
}

function lowerResult({ id = "", name = "", state, type }: StoredPart, { plainErrors }: LoweringOptions) {
  if (type !== "tool" || !state || (state.status !== "completed" && state.status !== "error")) return [];
  const result =
    state.status === "error" ? readFailure(state.error, plainErrors) : readContent(state.content);
  return [new HostMessage({ role: "tool", content: [{ type: "tool-result", id, name, result }] })];
}

const readFailure = (error: unknown, isPlain: boolean) => ({
  type: "error" as const,
  value: isPlain ? (error as { message: string }).message : { error, content: [], structured: {} },
});

function readContent(content: readonly unknown[] = []) {
  const [only] = content as { type: string; text?: string }[];
  return content.length === 1 && only?.type === "text"
    ? { type: "text" as const, value: only.text }
    : { type: "content" as const, value: content };
}
