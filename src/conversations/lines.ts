/**
 * The searchable lines of a session's messages: the user's own words, the agent's answers, and a line for each tool call
 * with the tool, its subject and its outcome; for a failure also the line of the output that says why. Left out are other
 * output of tools, secrets, and summaries, which repeat what was said. Pure.
 */
import type { Sliced } from "../base/slices.js";
import { cut, MOST_OF_A_FIELD, toLine } from "../base/text.js";
import { isForPeopleOnly, isToolPart, type Message, readResultText, type ToolPart } from "../io/message.js";
import {
  formatInput,
  hasFailed,
  mayShowSecrets,
  readExit,
  readOwnTexts,
  readTime,
} from "../messages/call.js";
import { findErrorLine } from "../messages/error-line.js";
import { redactSecrets } from "../text/secrets/secrets.js";

export interface SessionHead {
  id: string;
  /** Absolute path of the project's folder. */
  project: string;
  /** Empty if it has none of its own. */
  title: string;
}

export interface Line {
  messageID: string;
  atMs: number;
  by: "user" | "agent" | "tool";
  text: string;
}

/** A path or a command. */
const MOST_OF_A_CALL = 400;
const MOST_OF_AN_ERROR = 200;

/** The lines in order, with a pause after each message. `isTemplate`: is this text the template of a slash command? */
export function* readLines(
  messages: readonly Message[],
  isTemplate: (text: string) => boolean = () => false,
): Sliced<Line[]> {
  const lines: Line[] = [];
  for (const message of messages) {
    lines.push(...readMessage(message, isTemplate));
    yield;
  }
  return lines;
}

function readMessage(message: Message, isTemplate: (text: string) => boolean): Line[] {
  const { info, parts } = message;
  const atMs = readTime(info);
  if (atMs === undefined || info.summary === true || isForPeopleOnly(message)) return [];
  const isUsers = info.role === "user";
  const said = readOwnTexts(parts).filter((text) => !isUsers || !isTemplate(text));
  const text = withoutSecrets(said.join("\n\n"));
  const calls = parts.filter(isToolPart).map(formatCall);
  const of = { messageID: info.id, atMs };
  return [
    ...(text === "" ? [] : [{ ...of, by: isUsers ? ("user" as const) : ("agent" as const), text }]),
    ...calls.filter((call) => call !== "").map((call) => ({ ...of, by: "tool" as const, text: call })),
  ];
}

/** Secrets are removed before the cut: half a key would not be recognised as one. */
const withoutSecrets = (text: string): string =>
  cut(redactSecrets(cut(text, MOST_OF_A_FIELD + 1_000)).text, MOST_OF_A_FIELD);

/** Empty while the call runs. */
function formatCall(part: ToolPart): string {
  const output = readResultText(part);
  const hasEnded = part.state?.status === "completed" || part.state?.status === "error";
  if (!hasEnded) return "";
  const what = `${part.tool} ${formatInput(part, MOST_OF_A_CALL)}`.trim();
  if (!hasFailed(part)) return `${what} → ${part.state.status === "completed" ? "ok" : "interrupted"}`;
  const exit = readExit(part);
  const why =
    output === undefined || mayShowSecrets(part) ? "" : findErrorLine(output, { limit: MOST_OF_AN_ERROR });
  return `${what} → failed${exit === null ? "" : ` (exit ${exit})`}${why === "" ? "" : `: ${why}`}`;
}

/* Writing in small steps. */

const LINES_OF_A_STEP = 25;
const CHARACTERS_OF_A_STEP = 16_000;

/** Splits the lines into steps of a few milliseconds; those of a message stay together. */
export function planSteps(lines: readonly Line[]): Line[][] {
  const steps: Line[][] = [];
  let step: Line[] = [];
  let characters = 0;
  for (const [index, line] of lines.entries()) {
    const isNew = lines[index - 1]?.messageID !== line.messageID;
    if (isNew && (step.length >= LINES_OF_A_STEP || characters >= CHARACTERS_OF_A_STEP)) {
      steps.push(step);
      step = [];
      characters = 0;
    }
    step.push(line);
    characters += line.text.length;
  }
  return step.length === 0 ? steps : [...steps, step];
}

/* Quotes. */

const MOST_OF_A_QUOTE = 240;
/** Characters before the first matching word. */
const LEAD = 60;
/** A word, or some of a text that is written without spaces. */
const PIECE = /[\p{Lo}\p{M}]{1,8}|[^\s\p{Lo}]+/gu;

/** The part of the text with most of these terms, on one line. */
export function cutQuote(
  text: string,
  terms: ReadonlySet<string>,
  split: (text: string) => readonly string[],
): string {
  if (text.length <= MOST_OF_A_QUOTE) return toLine(text, MOST_OF_A_QUOTE);
  const found = [...text.matchAll(PIECE)].flatMap(({ 0: word, index }) => {
    const hit = split(word).find((term) => terms.has(term));
    return hit === undefined ? [] : [{ hit, index }];
  });
  let best = { count: 0, from: 0 };
  for (const [n, { index }] of found.entries()) {
    const within = new Set<string>();
    for (let at = n; at < found.length; at++) {
      const other = found[at];
      if (!other || other.index - index > MOST_OF_A_QUOTE - LEAD) break;
      within.add(other.hit);
    }
    if (within.size > best.count) best = { count: within.size, from: Math.max(0, index - LEAD) };
  }
  // From the beginning of a word.
  const lead = text.slice(best.from, best.from + LEAD);
  const from = best.from === 0 ? 0 : best.from + lead.search(/\s\S/) + 1;
  return `${from === 0 ? "" : "…"}${toLine(text.slice(from, from + 4 * MOST_OF_A_QUOTE), MOST_OF_A_QUOTE)}`;
}
