/** A session's context items as the pages use them; items that cannot be read are left out. */
import { join } from "node:path";
import { isRecord, parseJson } from "../records.js";
import { decodeText, type Files } from "../seams/files.js";
import { type ContextItem, MOST_ITEMS } from "../steering/context-items.js";

/** 300 items of at most 2 KB, with room. */
const MOST_BYTES = 1024 * 1024;
const IS_NAME = /^[\w-]{1,200}$/;

/** `undefined` if there is no such file or it is damaged. Rejects with the system's error. */
export async function readItems(
  files: Pick<Files, "statItself" | "readFrom">,
  folder: string,
  session: string,
): Promise<readonly ContextItem[] | undefined> {
  if (!IS_NAME.test(session)) return undefined;
  const path = join(folder, `${session}.context.json`);
  if ((await files.statItself(path))?.kind !== "file") return undefined;
  const bytes = await files.readFrom(path, 0, { links: "refused", maxBytes: MOST_BYTES });
  return bytes && findItems(parseJson(decodeText(bytes)));
}

/** Accepts a list, or an object with one. */
function findItems(value: unknown): readonly ContextItem[] | undefined {
  const list = isRecord(value) ? value.items : value;
  return Array.isArray(list) ? list.filter(isItem).slice(0, MOST_ITEMS) : undefined;
}

const isItem = (value: unknown): value is ContextItem =>
  isRecord(value) &&
  [value.id, value.kind, value.name, value.state].every((one) => typeof one === "string") &&
  [value.turn, value.tokens, value.wholeTokens, value.age].every(Number.isFinite) &&
  typeof value.isPinned === "boolean" &&
  isRecord(value.actions);
