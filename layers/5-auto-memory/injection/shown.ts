/** Reads which memories a session shows, from the decisions recorded about its messages and results. */
import type { Standing } from "../../../src/context/known-decision.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { BOOT_HEAD } from "./boot.js";
import { findLineIDs } from "./line.js";
import { MATCH_HEAD } from "./matches.js";

/** Layer name in the records. */
export const LAYER = "auto-memory";

export interface ShownMemories {
  /** Ids of the memories in the shown messages and results. */
  ids: ReadonlySet<string>;
  /** All texts of this layer in them. */
  text: string;
  /** Is a boot block shown? */
  hasBoot: boolean;
}

/** The memories that the request shows. Those cut or cleared away do not count, so they may be shown again. */
export function readShown({ find, history, shownFrom }: ContextRequest): ShownMemories {
  const from = shownFrom();
  const texts: string[] = [];
  for (let index = from; index < history.messages.length; index++) {
    const key = history.keyOf(index);
    const text = key && findOwnText(find(key.key));
    if (text !== undefined) texts.push(text);
  }
  texts.push(...history.results(from).flatMap(({ key }) => findOwnText(find(key)) ?? []));
  return {
    text: texts.join("\n"),
    ids: new Set(texts.flatMap(findLineIDs)),
    hasBoot: texts.some((text) => text.includes(BOOT_HEAD)),
  };
}

/** Bytes of matches added to the session's messages, shown or not. */
export function countMatchBytes({ find, history }: ContextRequest): number {
  let bytes = 0;
  for (const index of history.messages.keys()) {
    const key = history.keyOf(index);
    const text = key && findOwnText(find(key.key));
    const at = text?.indexOf(MATCH_HEAD) ?? -1;
    if (text !== undefined && at !== -1) bytes += Buffer.byteLength(text.slice(at));
  }
  return bytes;
}

/** The text that this layer has added to a message or result, if it is still shown. */
export function findOwnText(standing: Standing | undefined): string | undefined {
  if (!standing || standing.cleared) return undefined;
  return standing.extended?.find(({ layer }) => layer === LAYER)?.text;
}
