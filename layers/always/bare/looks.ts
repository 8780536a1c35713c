/**
 * Finds the calls of an answer that only look at what Strata has taken out of sight. Pure.
 *
 *     a call of Strata's own tools, or one that names its folder of whole results
 *     a call that was made before, whose result the model no longer has in full
 *     a file read again, of which no earlier reading is in full in sight
 */
import { isToolPart, type Message, readResultText, type ToolPart } from "../../../src/conversation/message.js";

export interface LooksOptions {
  /** The host's messages before the answer. */
  before: readonly Message[];
  /** The messages that were sent for the answer, or more. */
  sent: readonly Message[];
  /** Start of the first message that the host would have word for word without Strata. */
  since: number;
  isOwnTool(name: string): boolean;
  /** Folder of whole results, as calls may name it. */
  resultsFolder: string;
}

/** Tools that show what is there, and change nothing. */
const LOOKING = new Set(["read", "grep", "glob", "list", "bash"]);

export function findLooks(answer: Message, options: LooksOptions): ToolPart[] {
  const calls = answer.parts.filter(isToolPart);
  return calls.filter((call) => isLook(call, options));
}

function isLook(call: ToolPart, { before, isOwnTool, resultsFolder, sent, since }: LooksOptions): boolean {
  if (isOwnTool(call.tool)) return true;
  if (!LOOKING.has(call.tool)) return false;
  if (namesFolder(call.state.input, resultsFolder)) return true;
  const same = before
    .filter(({ info }) => (info.time?.created ?? 0) >= since)
    .flatMap(({ parts }) => parts.filter((part) => isToolPart(part) && hasSameTarget(part, call)));
  const seen = same.filter((part) => isToolPart(part) && readResultText(part) !== undefined) as ToolPart[];
  return seen.length > 0 && !seen.some((part) => isInSight(part, sent));
}

function namesFolder(input: ToolPart["state"]["input"], folder: string): boolean {
  return Object.values(input ?? {}).some((value) => typeof value === "string" && value.includes(folder));
}

function hasSameTarget({ state, tool }: ToolPart, call: ToolPart): boolean {
  if (tool !== call.tool) return false;
  if (tool === "read") return state.input?.filePath === call.state.input?.filePath;
  return JSON.stringify(state.input) === JSON.stringify(call.state.input);
}

function isInSight(result: ToolPart, sent: readonly Message[]): boolean {
  const text = readResultText(result);
  const isSame = ({ callID, state }: ToolPart): boolean =>
    callID === result.callID && state.time?.start === result.state.time?.start;
  return sent.some(({ parts }) =>
    parts.some((part) => isToolPart(part) && isSame(part) && readResultText(part)?.startsWith(text ?? "")),
  );
}
