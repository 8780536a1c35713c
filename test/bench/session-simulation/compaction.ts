/**
 * The host's own summary, as OpenCode 1.18.33 makes it: when an answer fills the window, it sends the history as one
 * text, with results cut to 2,000 characters, and goes on with the summary and the newest messages.
 */
import { isToolPart, type Message, readResultText } from "../../../src/io/message.js";
import type { ChatMessage } from "../../host/stage/model-request.js";
import { toWire } from "./host-messages.js";

const RESULT_CHARACTERS = 2_000;
/** The newest messages that stay: a quarter of the usable window, within these bounds. */
const TAIL_TOKENS = { share: 0.25, least: 2_000, most: 15_000 };
/** The host estimates tokens as four characters. */
const CHARACTERS_PER_TOKEN = 4;
/** Size of the host's instruction in a summary request. */
const INSTRUCTION_CHARACTERS = 1_700;

export const BEFORE_SUMMARY = "What did we do so far?";
export const AFTER_SUMMARY =
  "Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.";

/** Index of the first message that stays. `messages` are those since the last summary, it and its question included. */
export function findTail(messages: readonly Message[], usableTokens: number): number {
  const share = Math.floor(usableTokens * TAIL_TOKENS.share);
  const budget = Math.min(TAIL_TOKENS.most, Math.max(TAIL_TOKENS.least, share));
  const turns = messages.flatMap(({ info, parts }, index) =>
    info.role === "user" && parts[0]?.text !== BEFORE_SUMMARY ? [index] : [],
  );
  let first = messages.length;
  let taken = 0;
  for (const turn of turns.reverse()) {
    const tokens = estimate(messages.slice(turn, first));
    if (taken + tokens > budget) return splitTurn(messages, { turn, first, budget: budget - taken });
    taken += tokens;
    first = turn;
  }
  return first;
}

/** The longest end of a turn that fits; a turn is split before an answer. */
function splitTurn(
  messages: readonly Message[],
  { turn, first, budget }: { turn: number; first: number; budget: number },
): number {
  for (let index = turn + 1; index < first; index++)
    if (estimate(messages.slice(index, first)) <= budget) return index;
  return first;
}

function estimate(messages: readonly Message[]): number {
  return Math.round(JSON.stringify(toWire(messages)).length / CHARACTERS_PER_TOKEN);
}

/** The messages of a summary request. */
export function toSummaryRequest(messages: readonly Message[]): ChatMessage[] {
  const conversation = messages.map(formatMessage).filter(Boolean).join("\n\n");
  const instruction = "x".repeat(INSTRUCTION_CHARACTERS);
  return [
    { role: "system", content: "You are a context summarization agent.".padEnd(630) },
    {
      role: "user",
      content: `Here is the conversation so far:\n\n<conversation>\n${conversation}\n</conversation>\n${instruction}`,
    },
  ];
}

function formatMessage({ info, parts }: Message): string {
  const lines = parts.flatMap((part) => {
    if (isToolPart(part)) {
      const result = (readResultText(part) ?? "").slice(0, RESULT_CHARACTERS);
      const call = `${part.tool}(${JSON.stringify(part.state.input ?? {})})`;
      return [`[Assistant tool call]: ${call}`, `[Tool result]: ${result}`];
    }
    return part.text ? [`[${info.role === "user" ? "User" : "Assistant"}]: ${part.text}`] : [];
  });
  return lines.join("\n");
}
