/** The agent's answers to one message, whole, as a text for people and for the agent. Pure. */

import { formatCount } from "../../../src/base/format.js";
import { formatWholeInput } from "../../../src/context/call-input.js";
import type { Find } from "../../../src/context/replay.js";
import { isToolPart, type Message, type Part, type ToolPart } from "../../../src/io/message.js";
import type { Result } from "../../../src/messages/history.js";
import { formatTools, type Seen, type TurnThing } from "./things.js";

type Turn = Pick<TurnThing, "end" | "index">;

/** With what layers have appended to results, such as messages of other agents. */
export function formatTurn({ find, history }: Pick<Seen, "find" | "history">, { end, index }: Turn): string {
  const results = history.results(index).filter((result) => result.index < end);
  const answers = history.messages.slice(index, end).map(({ parts }, at) => {
    const told = parts.flatMap((part) => formatPart(part, results, find));
    return [`## Answer ${at + 1}`, ...(told.length > 0 ? told : ["(nothing)"])].join("\n\n");
  });
  return `${answers.join("\n\n")}\n`;
}

function formatPart(part: Part, results: readonly Result[], find: Find): string[] {
  if (isToolPart(part)) return [formatCall(part, results, find)];
  const isText = part.type === "text" || part.type === "reasoning";
  return isText && part.text !== undefined && part.text.trim() !== "" ? [part.text.trim()] : [];
}

function formatCall(part: ToolPart, results: readonly Result[], find: Find): string {
  const result = results.find((one) => one.part === part);
  const behind = result ? (find(result.key)?.extended ?? []).flatMap(({ text }) => text ?? []) : [];
  return [
    `### ${part.tool}`,
    new TextDecoder().decode(formatWholeInput({ part })),
    `Result:\n${result?.text ?? "(none)"}`,
    ...behind,
  ].join("\n\n");
}

/** What stands in its place. */
export function formatTurnMarker(
  messages: readonly Message[],
  { file, tokens }: { file: string; tokens: number },
): string {
  const tools = formatTools(messages);
  const calls = tools === "" ? "no calls" : `calls of ${tools}`;
  return `[Strata] Dropped by the user: this turn of the agent, ${calls}, about ${formatCount(tokens)} tokens; whole in ${file}`;
}
