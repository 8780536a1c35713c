/** Has a small model write the sections of the notes. */
import { stripVTControlCharacters } from "node:util";
import { formatCount } from "../../src/base/format.js";
import { cut } from "../../src/base/text.js";
import { isToolPart, type Message, type Part, readResultText, type ToolPart } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { formatInput, mayShowSecrets, readOwnTexts } from "../../src/messages/call.js";
import { findErrorLine } from "../../src/messages/error-line.js";
import { parseSections } from "../../src/notes/page.js";
import { redactSecrets, toSafeLine } from "../../src/text/secrets/secrets.js";

const LAYER = "session-memory";
const MATERIAL_CHARACTERS = 48_000;
const ANSWER_CHARACTERS = 10_000;

/** Rejects only if the prompt cannot be read. */
export async function writeSections(
  { generation, log, notes, prompts }: Pick<LayerContext, "generation" | "log" | "notes" | "prompts">,
  sessionID: string,
  messages: readonly Message[],
): Promise<void> {
  const task = await prompts.read("session-notes");
  const earlier = (await notes.formatForModel(sessionID, { maxCharacters: ANSWER_CHARACTERS })) ?? "";
  const material = formatMaterial(messages, { maxCharacters: MATERIAL_CHARACTERS });
  const prompt = `${task}\n\n<notes>\n${earlier}\n</notes>\n\n<transcript>\n${material}\n</transcript>\n`;
  const result = await generation.generate({
    purpose: "session notes",
    sessionID,
    prompt,
    maxCharacters: ANSWER_CHARACTERS,
  });
  if (result.kind === "refused") {
    log.debug(LAYER, `no model call for the notes: ${result.why}`);
    return;
  }
  const parsed = result.kind === "text" ? parseSections(result.text) : { problem: result.why };
  if ("problem" in parsed) {
    log.warn(LAYER, `rejected the model's sections for the notes of ${sessionID}: ${parsed.problem}`);
    return;
  }
  await notes.setSections(sessionID, parsed.sections);
  await notes.write(sessionID);
}

/*
 * The abbreviated transcript from which a small model writes its part of the notes: the user's and the agent's text,
 * and one line per tool call. Results are quoted and shortened, those that may hold secrets are left out, and secrets are
 * redacted everywhere.
 */

/** Maximum characters of a user message; the longest, since the notes are about the user's requests. */
const MOST_OF_A_REQUEST = 4_000;
const MOST_OF_AN_ANSWER = 1_200;
const MOST_OF_AN_INPUT = 200;
const MOST_OF_A_RESULT = 240;
/** Characters of a result that are cleaned before it is cut. */
const LOOKED_AT = 4_000;
/** Room for the line that says how many messages are left out. */
const NOTE = 80;

/** The transcript in order, at most `maxCharacters` long; if not everything fits, the newest messages. */
export function formatMaterial(
  messages: readonly Message[],
  { maxCharacters }: { maxCharacters: number },
): string {
  const kept: string[] = [];
  let room = maxCharacters - NOTE;
  let missing = messages.length;
  // If a message does not fit, its newest entries do.
  for (; missing > 0 && room >= 0; missing--)
    for (const entry of formatMessage(messages[missing - 1]).reverse()) {
      room -= entry.length + 1;
      if (room < 0) break;
      kept.push(entry);
    }
  if (room < 0) missing++;
  const note =
    missing > 0
      ? [`[The beginning is left out: ${formatCount(missing)} of ${formatCount(messages.length)} messages]`]
      : [];
  return cut([...note, ...kept.reverse()].join("\n"), maxCharacters);
}

function formatMessage(message: Message | undefined): string[] {
  const { info, parts } = message ?? {};
  if (!info || !Array.isArray(parts)) return [];
  if (info.role === "user") {
    const text = readOwnTexts(parts).join("\n\n");
    return text === "" ? [] : [`USER: ${shorten(text, MOST_OF_A_REQUEST)}`];
  }
  return parts.flatMap((part: Part) => {
    if (part && isToolPart(part)) return formatCall(part);
    return part ? readOwnTexts([part]).map((text) => `AGENT: ${shorten(text, MOST_OF_AN_ANSWER)}`) : [];
  });
}

/** Characters checked beyond the cut, so that a secret across it is found too. */
const LONGEST_SECRET = 2_000;

function shorten(given: string, limit: number): string {
  const looked = cut(given, limit + LONGEST_SECRET);
  const text = redactSecrets(looked).text + given.slice(looked.length);
  const kept = cut(text, limit);
  return kept.length === text.length ? text : `${kept} … (${formatCount(text.length - kept.length)} more)`;
}

/** `TOOL bash "npm test" -> exit 1: "2 failed"` */
function formatCall(part: ToolPart): string[] {
  if (typeof part.tool !== "string" || !part.state) return [];
  const input = formatInput(part, MOST_OF_AN_INPUT);
  const call = `TOOL ${part.tool}${input === "" ? "" : ` ${JSON.stringify(input)}`}`;
  return [`${call} -> ${formatEnd(part)}`];
}

function formatEnd(part: ToolPart): string {
  const { status, metadata } = part.state;
  const exit = typeof metadata?.exit === "number" ? `exit ${metadata.exit}` : "done";
  const end = status === "completed" ? exit : status === "error" ? "failed" : "not ended";
  if (mayShowSecrets(part)) return `${end} (not shown: it may hold secrets)`;
  const text = readResultText(part) ?? "";
  // The end of a command's output shows how it went; of other results the beginning says the most.
  const telling =
    part.tool === "bash"
      ? JSON.stringify(findErrorLine(text, { limit: MOST_OF_A_RESULT, isLast: true }))
      : JSON.stringify(toSafeLine(stripVTControlCharacters(text.slice(0, LOOKED_AT)), MOST_OF_A_RESULT));
  return text.trim() === "" ? end : `${end}: ${telling}`;
}
