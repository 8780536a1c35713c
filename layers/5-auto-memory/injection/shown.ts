/** What a session has been told of memory, read from what is recorded about its messages and results. */
import type { Standing } from "../../../src/view/known-decision.js";
import type { ContextRequest } from "../../../src/view/request.js";
import { BOOT_HEAD } from "./boot.js";
import { findLineIDs } from "./line.js";
import { MATCH_HEAD } from "./matches.js";

/** As in the records. */
export const LAYER = "auto-memory";

export interface ShownMemories {
  /** The memories that stand in what is shown. */
  ids: ReadonlySet<string>;
  /** Does a boot block stand in what is shown? */
  hasBoot: boolean;
}

/** What the request shows of memory. What was cut or cleared away does not count: it may be told again. */
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
    ids: new Set(texts.flatMap(findLineIDs)),
    hasBoot: texts.some((text) => text.includes(BOOT_HEAD)),
  };
}

/** Bytes of the matches that came with messages which the host still has of the session, shown or not. */
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

/** What this layer has put behind a message or result and is still shown. */
export function findOwnText(standing: Standing | undefined): string | undefined {
  if (!standing || standing.cleared) return undefined;
  return standing.extended?.find(({ layer }) => layer === LAYER)?.text;
}
