/** Invariants of every view of a history, whatever was decided. */
import { expect } from "vitest";
import { PREVIEW_LIMIT_BYTES } from "../../layers/1-tool-results/preview.js";
import { estimateTextTokens, estimateTokens } from "../../src/context/context-size.js";
import { isToolPart, type Message, type Part, readResultText, type ToolPart } from "../../src/io/message.js";

/** Maximum characters that layer 3, and the hints on earlier failures, add in one place. */
export const LONGEST_REMINDER = 4_000;
const LONGEST_GREETING = 1_700;
const GREETINGS = ["[Strata] What the last session", "[Strata] Calls that failed here before"];
/** Maximum characters that layer 4 adds to a summary. */
const LONGEST_ADDITION = 14_000;
const REMINDER =
  /\n\n\[Strata\] (A reminder after|This very call failed|Noted in earlier sessions|Earlier sessions noted this|What was just read) [\s\S]*$/;

/**
 * Fails unless the view could be sent to a model, keeps the order of the history, and has not grown by more than
 * layer 3 has added so far, including to messages no longer shown. `greetings`: texts that may follow a user message.
 */
export function expectView(
  view: readonly Message[],
  history: readonly Message[],
  added: number,
  greetings: readonly string[] = GREETINGS,
): void {
  const hasNotesMessage = view[0] !== undefined && !history.some(({ info }) => info === view[0]?.info);
  if (hasNotesMessage) expectNotes(view[0]?.info.role, view[0]?.parts ?? []);
  const shown = hasNotesMessage ? view.slice(1) : view;
  const tail = history.slice(history.length - shown.length);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.map(({ info }) => info)).toEqual(tail.map(({ info }) => info));
  const isCut = tail.length < history.length;
  let allowed = added;
  for (const [index, message] of shown.entries()) {
    const isHeadOfCut = isCut && index === 0 && !hasNotesMessage;
    allowed += expectMessage(message, tail[index] as Message, { isHeadOfCut, greetings });
  }
  expect(estimateTokens(view)).toBeLessThanOrEqual(estimateTokens(history) + allowed);
}

/** Returns the tokens by which the message may have grown. */
function expectMessage(
  shown: Message,
  original: Message,
  { greetings, isHeadOfCut }: { greetings: readonly string[]; isHeadOfCut: boolean },
): number {
  if (shown === original) return 0;
  let parts = shown.parts;
  let allowed = 0;
  if (isHeadOfCut) {
    expectNotes(shown.info.role, parts.slice(0, 1));
    parts = parts.slice(1);
  }
  const isRewritten = original.info.summary === true && parts.at(-1) !== original.parts.at(-1);
  if (isRewritten && parts.filter(isText).length === 1) {
    expectParts(withoutTexts(parts), withoutTexts(original.parts));
    return estimateTextTokens("x".repeat(LONGEST_ADDITION));
  }
  const [known, more] = [parts.slice(0, original.parts.length), parts.slice(original.parts.length)];
  allowed += expectParts(known, original.parts);
  expect(more.length).toBeLessThanOrEqual(1);
  for (const { text = "" } of more) {
    expect(
      greetings.some((greeting) => text.includes(greeting)),
      text,
    ).toBe(true);
    expect(text.length).toBeLessThanOrEqual(LONGEST_GREETING);
  }
  return allowed;
}

const isText = ({ type }: Part): boolean => type === "text";
const withoutTexts = (parts: readonly Part[]): Part[] => parts.filter((part) => !isText(part));

function expectParts(shown: readonly Part[], originals: readonly Part[]): number {
  expect(shown).toHaveLength(originals.length);
  return shown.reduce((sum, part, index) => sum + expectPart(part, originals[index] as Part), 0);
}

function expectPart(shown: Part, original: Part): number {
  if (shown === original) return 0;
  expect(isToolPart(original)).toBe(true);
  expect(withoutText(shown as ToolPart)).toEqual(withoutText(original as ToolPart));
  expectInput((shown as ToolPart).state.input, (original as ToolPart).state.input);
  const [text, before] = [readResultText(shown as ToolPart), readResultText(original as ToolPart)];
  // A call keeps its result, or still has none.
  expect(text === undefined).toBe(before === undefined);
  if (text === undefined || before === undefined) return 0;
  expect(text === "" && before !== "").toBe(false);
  const base = text.replace(REMINDER, "");
  expect(text.length - base.length).toBeLessThanOrEqual(LONGEST_REMINDER);
  if (base === before) return 0;
  expect(base).toContain("[Strata]");
  const isCutByHost = (original as ToolPart).state.metadata?.truncated === true;
  const isSmaller = Buffer.byteLength(base) < Buffer.byteLength(before);
  // A marker may replace a small result together with the reminder after it.
  const isBounded = isCutByHost || base.startsWith("[Strata] Cleared: ");
  expect(isSmaller || isBounded).toBe(true);
  expect(Buffer.byteLength(base)).toBeLessThanOrEqual(PREVIEW_LIMIT_BYTES);
  return isBounded ? estimateTextTokens(base) : 0;
}

/** A cleared input has the same fields of the same types, and is shorter. */
function expectInput(shown: unknown, original: unknown): void {
  if (shown === original) return;
  const typesOf = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.slice(0, 1).map(typesOf)
      : typeof value === "object" && value !== null
        ? Object.entries(value).map(([name, one]) => [name, typesOf(one)])
        : typeof value;
  expect(typesOf(shown)).toEqual(typesOf(original));
  const [text, before] = [JSON.stringify(shown), JSON.stringify(original)];
  if (text === before) return;
  expect(text).toContain("[Strata] Cleared: ");
  expect(text.length).toBeLessThan(before.length);
}

function expectNotes(role: string | undefined, parts: readonly Part[]): void {
  expect(role).toBe("user");
  expect(parts).toMatchObject([{ type: "text", synthetic: true }]);
  expect(parts[0]?.text).toContain("[Strata] The session so far is too long for the context");
}

function withoutText({
  tool,
  callID,
  state: { output: _, error: __, input: ___, metadata, ...state },
}: ToolPart): unknown {
  const { output: ____, ...kept } = metadata ?? {};
  return [tool, callID, state, kept];
}

/** The bytes sent, without the ids that a fork changes. */
export function bytesOf(view: readonly Message[]): string[] {
  return view.map(({ info, parts }) => JSON.stringify([info.role, info.time, parts]));
}
