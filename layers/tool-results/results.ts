import { type DecisionKey, readDecisionKey } from "../../src/view/decisions.js";
import { isToolPart, type Message, readResultText, type ToolPart } from "../../src/view/message.js";
import { PREVIEW_LIMIT_BYTES } from "./preview.js";

/** A tool result that is large enough to be worth a decision. */
export interface Result extends DecisionKey {
  part: ToolPart;
  text: string;
}

/** The results of each answer that has any. A whole result no larger than a preview is never one. */
export function findResults(messages: readonly Message[]): Result[][] {
  const answers: Result[][] = [];
  for (const { info, parts } of messages) {
    if (info.role !== "assistant") continue;
    const results = parts.map(readResult).filter((result) => result !== undefined);
    if (results.length > 0) answers.push(results);
  }
  return answers;
}

function readResult(part: Message["parts"][number]): Result | undefined {
  if (!isToolPart(part)) return undefined;
  const text = readResultText(part);
  if (text === undefined || !(isLargerThanPreview(text) || readCutPath(part, text) !== undefined))
    return undefined;
  const key = readDecisionKey(part);
  return key && { ...key, part, text };
}

/** A UTF-16 unit has one to three bytes of UTF-8; most texts are decided by their length alone. */
function isLargerThanPreview(text: string): boolean {
  if (text.length > PREVIEW_LIMIT_BYTES) return true;
  return text.length * 3 > PREVIEW_LIMIT_BYTES && Buffer.byteLength(text) > PREVIEW_LIMIT_BYTES;
}

/**
 * The file in which the host keeps the whole of a result that it has cut, sometimes to nothing. The host names it in the text as well: a
 * tool that sets the same field for reasons of its own is not taken at its word.
 */
export function readCutPath({ state: { metadata } }: ToolPart, text: string): string | undefined {
  const path = metadata?.outputPath;
  return metadata?.truncated === true && typeof path === "string" && text.includes(path) ? path : undefined;
}

/** The file whose text a `read` result is. */
export function readSourcePath({ part }: Result): string | undefined {
  const path = part.tool === "read" ? part.state.input?.filePath : undefined;
  return typeof path === "string" ? path : undefined;
}

/** The exit status of a shell command. */
export function readExitStatus({ part }: Result): number | undefined {
  const exit = part.state.metadata?.exit;
  return typeof exit === "number" ? exit : undefined;
}
