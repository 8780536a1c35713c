/** Outcomes of tool calls, as the host reports them: a failed command is a success with an exit code. */
import { createHash } from "node:crypto";
import type { ToolPart } from "../io/message.js";
import { readInput } from "./call.js";

/** The exit code of a command; `null` if it was killed or the host reports none. */
export function readExit({ state }: ToolPart): number | null {
  const exit = state.metadata?.exit;
  return typeof exit === "number" ? exit : null;
}

/** True if the call failed or its command exited with an error. A call that the user interrupted did not fail. */
export function hasFailed(part: ToolPart): boolean {
  const { status, metadata } = part.state;
  if (status === "error") return metadata?.interrupted !== true;
  return part.tool === "bash" && (readExit(part) ?? 0) !== 0;
}

/** Hash of tool and input. */
export function hashCall(part: ToolPart): string {
  return hashText(`${part.tool} ${JSON.stringify(readInput(part), shorten)}`).slice(0, 12);
}

/** Longer input texts are hashed by this many first characters and their length. */
const LOOKED_AT = 100_000;

function shorten(_name: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= LOOKED_AT) return value;
  return `${value.slice(0, LOOKED_AT)}${value.length}`;
}

/** SHA-1 in base64url: names things, keeps nothing secret. */
export function hashText(text: string): string {
  return createHash("sha1").update(text).digest("base64url");
}
