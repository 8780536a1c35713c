import type { Result as AnyResult, History } from "../../src/conversation/history.js";
import { findCutPath } from "../../src/view/host-cut.js";
import { PREVIEW_LIMIT_BYTES } from "./preview.js";

/** As in records and the log. */
export const LAYER = "tool-results";

/** A tool result that can be worth a decision. */
export interface Result extends AnyResult {
  /** The file in which the host keeps the whole of a result that it has cut, sometimes to nothing. */
  cutPath?: string;
}

/** The results of one answer. */
export interface Answer {
  results: Result[];
  /** Characters of the answer's other results, which are so small that they always stay. */
  smallCharacters: number;
}

/** The answers that have results worth a decision, from this message on. A whole result no larger than a preview never is. */
export function findAnswers(history: History, from: number): Answer[] {
  const answers: Answer[] = [];
  let answer: Answer = { results: [], smallCharacters: 0 };
  let of = -1;
  for (const result of history.results(from)) {
    if (result.index !== of) {
      answer = { results: [], smallCharacters: 0 };
      answers.push(answer);
      of = result.index;
    }
    const cutPath = findCutPath(result.part, result.text);
    if (cutPath !== undefined) answer.results.push({ ...result, cutPath });
    else if (isLargerThanPreview(result.text)) answer.results.push(result);
    else answer.smallCharacters += result.text.length;
  }
  return answers.filter(({ results }) => results.length > 0);
}

/** A UTF-16 unit has one to three bytes of UTF-8; most texts are decided by their length alone. */
function isLargerThanPreview(text: string): boolean {
  if (text.length > PREVIEW_LIMIT_BYTES) return true;
  return text.length * 3 > PREVIEW_LIMIT_BYTES && Buffer.byteLength(text) > PREVIEW_LIMIT_BYTES;
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

/** What was made of one result: its file and its preview. */
export interface Spilled {
  result: Result;
  text: string;
  file: string;
  bytes: number;
}
