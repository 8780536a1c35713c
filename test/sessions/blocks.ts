/**
 * A request as the blocks that a bill and a prompt cache see: tools and system prompt, then each text, call and result,
 * in the order in which providers cache them.
 */
import { createHash } from "node:crypto";
import type { SentMessage, SentTool } from "../../src/trial/requests.js";

/** What a block is, for the bill. */
export type BlockKind = "fixed" | "user" | "said" | "inputs" | "clearable" | "others";

export interface Block {
  kind: BlockKind;
  bytes: number;
  /** Hash of everything up to the end of the block. */
  prefix: string;
  /** Whether the host sets a cache point behind it for providers that need one. */
  isCachePoint: boolean;
}

/** The host's tools with results that can be had again; never those of MCP servers, subagents, skills or todos. */
const CLEARABLE = new Set(["read", "bash", "grep", "glob", "list", "websearch", "webfetch"]);
/** The host marks so many system messages and so many last others as cache points. */
const MARKED = 2;

type Piece = Pick<Block, "kind" | "isCachePoint"> & { json: string };

interface Sent {
  tools: readonly SentTool[];
  messages: readonly SentMessage[];
  /** The JSON of each message. */
  messageBytes: readonly string[];
}

/** The blocks of a request. */
export function listBlocks({ tools, messages, messageBytes }: Sent): Block[] {
  const names = new Map(
    messages.flatMap((one) => (one.tool_calls ?? []).map((call) => [call.id, call.function.name])),
  );
  const points = findCachePoints(messages);
  const pieces: Piece[] = [{ kind: "fixed", isCachePoint: false, json: JSON.stringify(tools) }];
  for (const [index, message] of messages.entries()) {
    const parts = splitMessage(message, messageBytes[index] ?? "", names);
    pieces.push(
      ...parts.map((part, n) => ({ ...part, isCachePoint: points.has(index) && n === parts.length - 1 })),
    );
  }
  let prefix = "";
  return pieces.map(({ kind, isCachePoint, json }) => {
    prefix = createHash("sha1").update(prefix).update(json).digest("base64").slice(0, 16);
    return { kind, isCachePoint, prefix, bytes: Buffer.byteLength(json) };
  });
}

function splitMessage(
  message: SentMessage,
  json: string,
  toolOf: ReadonlyMap<string, string>,
): Pick<Piece, "kind" | "json">[] {
  if (message.role === "system") return [{ kind: "fixed", json }];
  if (message.role === "user") return [{ kind: "user", json }];
  if (message.role === "tool") {
    const isClearable = CLEARABLE.has(toolOf.get(message.tool_call_id ?? "") ?? "");
    return [{ kind: isClearable ? "clearable" : "others", json }];
  }
  const calls = (message.tool_calls ?? []).map((call) => JSON.stringify(call));
  const said = calls.reduce((rest, call) => rest.replace(call, () => ""), json);
  return [{ kind: "said", json: said }, ...calls.map((call) => ({ kind: "inputs" as const, json: call }))];
}

/** Indexes of the marked messages. Results of one answer travel in one message. */
function findCachePoints(messages: readonly SentMessage[]): Set<number> {
  const system = messages.flatMap(({ role }, index) => (role === "system" ? [index] : []));
  const others = messages.flatMap(({ role }, index) => {
    const isInner = role === "tool" && messages[index + 1]?.role === "tool";
    return role === "system" || isInner ? [] : [index];
  });
  return new Set([...system.slice(0, MARKED), ...others.slice(-MARKED)]);
}
