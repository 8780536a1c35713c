/**
 * Cleared inputs of tool calls. The decision has the outcome `cleared`, like that about a result, and a key of its own; its
 * `text` is the input to show, a JSON object. Versions without cleared inputs read it as about a result that they never
 * find, and keep its file.
 */

import { isRecord, parseJson } from "../base/records.js";
import type { ToolPart } from "../io/message.js";
import type { Result } from "../messages/history.js";
import type { DecisionKey } from "../messages/keys.js";

/** Key of the input of the call with this result: that of the result, and the length of the input's texts. */
export function readInputKey({ day, key, part }: Pick<Result, "day" | "key" | "part">): DecisionKey {
  let characters = 0;
  for (const value of Object.values(part.state.input ?? {}))
    if (typeof value === "string") characters += value.length;
  return { day, key: `${key} input ${characters}` };
}

/** The call with another input; the call itself if the text is no JSON object. */
export function withInput(part: ToolPart, text: string): ToolPart {
  const input = parseJson(text);
  return isRecord(input) ? { ...part, state: { ...part.state, input } } : part;
}

/** The content of the file with the whole input: short values first, then each text as it is, under its name. */
export function formatWholeInput({ part }: Pick<Result, "part">): Uint8Array {
  const fields = Object.entries(part.state.input ?? {});
  const isShort = (value: unknown) => typeof value !== "object" && !String(value).includes("\n");
  const short = fields.filter(([, value]) => isShort(value)).map(([name, value]) => `${name}: ${value}`);
  const long = fields
    .filter(([, value]) => !isShort(value))
    .map(
      ([name, value]) => `\n${name}:\n${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`,
    );
  return Buffer.from([`Input of a call of ${part.tool}`, ...short, ...long].join("\n"));
}
