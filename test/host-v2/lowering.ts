/** Makes a request from stored messages, as OpenCode 2.0.15 was seen to do. */
import {
  CHECKPOINT,
  type StoredMessage,
  type StoredPart,
  type TheirMessage,
  type TheirPart,
} from "../../src/host/2/contract.js";
import { HostMessage } from "./theirs.js";

export const lower = (stored: readonly StoredMessage[]): TheirMessage[] => stored.flatMap(lowerOne);

function lowerOne(message: StoredMessage): TheirMessage[] {
  const { id, text = "", type } = message;
  switch (type) {
    case "user":
    case "synthetic":
    case "skill":
      return text === "" ? [] : [new HostMessage({ id, role: "user", content: [{ type: "text", text }] })];
    case "system":
      return [new HostMessage({ role: "system", content: [{ type: "text", text }] })];
    case "assistant":
      return lowerAnswer(message);
    case "compaction": {
      const summary = `<summary>\n${message.summary}\n</summary>\n\n<recent-context>\n${message.recent}\n</recent-context>`;
      const said = `${CHECKPOINT}\n${summary}\n</conversation-checkpoint>`;
      return [new HostMessage({ id, role: "user", content: [{ type: "text", text: said }] })];
    }
    default:
      return [];
  }
}

function lowerAnswer({ content = [], id }: StoredMessage): TheirMessage[] {
  const parts = content.flatMap((part): TheirPart[] => {
    if (part.type === "text") return part.text ? [{ type: "text", text: part.text }] : [];
    if (part.type === "reasoning") return part.text ? [{ type: "reasoning", text: part.text }] : [];
    return [{ type: "tool-call", id: part.id ?? "", name: part.name ?? "", input: part.state?.input ?? {} }];
  });
  const results = content.flatMap(lowerResult);
  if (parts.length === 0) return results;
  return [new HostMessage({ id, role: "assistant", content: parts }), ...results];
}

function lowerResult({ id = "", name = "", state, type }: StoredPart) {
  if (type !== "tool" || !state || (state.status !== "completed" && state.status !== "error")) return [];
  const result =
    state.status === "error"
      ? { type: "error" as const, value: { error: state.error, content: [] } }
      : readContent(state.content);
  return [new HostMessage({ role: "tool", content: [{ type: "tool-result", id, name, result }] })];
}

function readContent(content: readonly unknown[] = []) {
  const [only] = content as { type: string; text?: string }[];
  return content.length === 1 && only?.type === "text"
    ? { type: "text" as const, value: only.text }
    : { type: "content" as const, value: content };
}
