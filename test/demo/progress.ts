/** Tells the story while it is played: a line a turn. */

import { formatCount } from "../../src/base/format.js";
import type { Style } from "../../src/operations/command.js";
import { isSummarizing, type ModelRequest } from "../host/stage/model-request.js";
import type { Turn, WorkCall } from "./story.js";

const WORDS_WIDTH = 64;
const CALL_WIDTH = 60;

/** What stands over the lines of the turns. */
export function formatHeading(): string {
  return `  turn  ${"the user says".padEnd(WORDS_WIDTH)}  requests   context`;
}

/** Number, the user's words, how many requests the turn took, and the size of the last one in tokens. */
export function formatTurn({ number, user }: Turn, requests: readonly ModelRequest[], style: Style): string {
  const words = shorten(user, WORDS_WIDTH).padEnd(WORDS_WIDTH);
  const context = formatCount(requests.at(-1)?.promptTokens ?? 0).padStart(8);
  const compacted = requests.some(isSummarizing) ? style.yellow("  compacted") : "";
  return `  ${String(number).padStart(4)}  ${words}  ${String(requests.length).padStart(8)}  ${context}${compacted}`;
}

/** The tool and what the call is about: "bash git log -p". Paths are shown relative to the project. */
export function describeCall({ tool, args }: WorkCall, projectPath: string): string {
  const about = args.command ?? args.filePath ?? args.pattern ?? JSON.stringify(args);
  return shorten(`${tool} ${String(about).replaceAll(`${projectPath}/`, "")}`, CALL_WIDTH);
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
