import { type DecisionKey, readDecisionKey } from "../../src/view/decisions.js";
import { isToolPart, type Message, readResultText, type ToolPart } from "../../src/view/message.js";
import { PREVIEW_LIMIT_BYTES } from "./preview.js";

/** A tool result that can be worth a decision. */
export interface Result extends DecisionKey {
  part: ToolPart;
  text: string;
  /** The file in which the host keeps the whole of a result that it has cut, sometimes to nothing. */
  cutPath?: string;
}

/** The results of one answer. */
export interface Answer {
  results: Result[];
  /** Characters of the answer's other results, which are so small that they always stay. */
  smallCharacters: number;
}

/** The answers that have results worth a decision. A whole result no larger than a preview never is. */
export function findAnswers(messages: readonly Message[]): Answer[] {
  const answers: Answer[] = [];
  for (const { info, parts } of messages) {
    if (info.role !== "assistant") continue;
    const answer: Answer = { results: [], smallCharacters: 0 };
    for (const part of parts) if (isToolPart(part)) addResult(answer, part);
    if (answer.results.length > 0) answers.push(answer);
  }
  return answers;
}

function addResult(answer: Answer, part: ToolPart): void {
  const text = readResultText(part);
  if (text === undefined) return;
  const cutPath = findCutPath(part, text);
  const key = cutPath !== undefined || isLargerThanPreview(text) ? readDecisionKey(part) : undefined;
  if (key) answer.results.push({ ...key, part, text, ...(cutPath !== undefined && { cutPath }) });
  else answer.smallCharacters += text.length;
}

/** A UTF-16 unit has one to three bytes of UTF-8; most texts are decided by their length alone. */
function isLargerThanPreview(text: string): boolean {
  if (text.length > PREVIEW_LIMIT_BYTES) return true;
  return text.length * 3 > PREVIEW_LIMIT_BYTES && Buffer.byteLength(text) > PREVIEW_LIMIT_BYTES;
}

/** The host names the file in the text as well: a tool that sets the field for reasons of its own is not believed. */
function findCutPath({ state: { metadata } }: ToolPart, text: string): string | undefined {
  const path = metadata?.outputPath;
  return metadata?.truncated === true && typeof path === "string" && text.includes(path) ? path : undefined;
}

/** The file whose text a `read` result is. */
export function readSourcePath({ part }: Result): string | undefined {
  const path = part.tool === "read" ? part.state.input?.filePath : undefined;
  return typeof path === "string" ? path : undefined;
}

/** The exit status of a shell command; `null` when it was ended before it had one. */
export function readExitStatus({ part }: Result): number | null | undefined {
  const exit = part.state.metadata?.exit;
  return typeof exit === "number" || exit === null ? exit : undefined;
}

/** What the host adds to what a shell command has put out, such as that it was ended; not in the host's whole file. */
export function readHostNote({ text, cutPath }: Result): string | undefined {
  return cutPath === undefined
    ? undefined
    : /<shell_metadata>[\s\S]*<\/shell_metadata>\s*$/.exec(text)?.[0].trim();
}
