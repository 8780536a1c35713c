import { formatError } from "../../src/base/error.js";
import { formatCount } from "../../src/base/format.js";
import { findCutPath } from "../../src/context/result-files.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Result as AnyResult, History } from "../../src/messages/history.js";
import { PREVIEW_LIMIT_BYTES } from "./preview.js";

/** The layer's name in records and the log. */
export const LAYER = "tool-results";

/** A tool result that may be moved. */
export interface Result extends AnyResult {
  /** The host's file with the whole text of a result that it has cut, sometimes to nothing. */
  cutPath?: string;
}

/** The results of one answer's tool calls. */
export interface Answer {
  results: Result[];
  /** Total characters of the answer's other results, which are too small to move. */
  smallCharacters: number;
}

/** The answers from this message on with results that may be moved: those cut by the host or larger than a preview. */
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

/** A UTF-16 unit takes one to three bytes of UTF-8, so the length alone usually decides. */
function isLargerThanPreview(text: string): boolean {
  if (text.length > PREVIEW_LIMIT_BYTES) return true;
  return text.length * 3 > PREVIEW_LIMIT_BYTES && Buffer.byteLength(text) > PREVIEW_LIMIT_BYTES;
}

/** The file that a `read` result shows. */
export function readSourcePath({ part }: Result): string | undefined {
  const path = part.tool === "read" ? part.state.input?.filePath : undefined;
  return typeof path === "string" ? path : undefined;
}

/** The exit status of a shell command; `null` if it was killed before it exited. */
export function readExitStatus({ part }: Result): number | null | undefined {
  const exit = part.state.metadata?.exit;
  return typeof exit === "number" || exit === null ? exit : undefined;
}

/** The host's note after a shell command's output, such as that it was killed; the host's file does not contain it. */
export function readHostNote({ text, cutPath }: Result): string | undefined {
  return cutPath === undefined
    ? undefined
    : /(<shell_metadata>[\s\S]*<\/shell_metadata>|\nCommand exceeded timeout of \d+ ms[\s\S]*)\s*$/
        .exec(text)?.[0]
        .trim();
}

/** A moved result with its preview and its file. */
export interface Spilled {
  result: Result;
  text: string;
  file: string;
  bytes: number;
}

/** Reports moved results to the log and the savings ledger, in the background. */
export interface Reporter {
  report(session: string, spilled: Spilled): void;
  reportFailure(result: Result, thrown: unknown): void;
}

export function createReporter({ log, savings, sizes }: LayerContext): Reporter {
  return {
    report(session, { result, text, file, bytes }) {
      const { tool, callID } = result.part;
      const cut =
        result.cutPath === undefined
          ? ""
          : `, of which OpenCode showed ${formatCount(Buffer.byteLength(result.text))},`;
      log.info(
        LAYER,
        `moved a ${tool} result of ${formatCount(bytes)} bytes${cut} out of the context to ${file}`,
      );
      const characters = Math.max(0, result.text.length - text.length);
      savings.record({
        layer: LAYER,
        event: "spilled",
        session,
        tool,
        callID,
        key: result.key,
        bytes,
        tokensFreed: Math.ceil(characters * sizes.tokensPerCharacter(session)),
        file,
      });
    },

    reportFailure({ part, text }, thrown) {
      const size = formatCount(Buffer.byteLength(text));
      log.error(
        LAYER,
        `cannot move a ${part.tool} result of ${size} bytes; it stays in the context: ${formatError(thrown)}`,
      );
    },
  };
}
