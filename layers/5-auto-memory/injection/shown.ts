/** Reads which memories a session shows, from the decisions recorded about its messages and results. */
import { type DatedDecision, decide } from "../../../src/context/decisions.js";
import type { RecordedDecisions } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Withdrawal } from "../../../src/kernel/hooks.js";
import type { DecisionKey } from "../../../src/messages/history.js";
import { BOOT_HEAD } from "./boot.js";
import { findLineIDs, MATCH_HEAD } from "./line.js";
import { TRIGGER_HEAD } from "./pattern.js";

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
export function findOwnText(recorded: RecordedDecisions | undefined): string | undefined {
  if (!recorded || recorded.cleared) return undefined;
  return recorded.extended?.find(({ layer }) => layer === LAYER)?.text;
}

/* Plans to remove memories from a session's shown texts after the user has undone them. Pure. */

/** The withdrawal with revised texts; `undefined` if no shown text names the memories. */
export function planWithdrawal(request: ContextRequest, withdrawal: Withdrawal): Withdrawal | undefined {
  const { find, history, shownFrom } = request;
  if (withdrawal.memories.size === 0) return undefined;
  const from = shownFrom();
  const revise = (key: DecisionKey | undefined): DatedDecision[] => {
    const text = key && findOwnText(find(key.key));
    if (!key || text === undefined) return [];
    if (!findLineIDs(text).some((id) => withdrawal.memories.has(id))) return [];
    const left = withoutMemories(text, withdrawal.memories);
    return [decide(key, { outcome: "revised", of: "extended", ...(left !== undefined && { text: left }) })];
  };
  const keys = [...history.messages.keys()].filter((index) => index >= from).map(history.keyOf);
  const revisions = [...keys, ...history.results(from)].flatMap(revise);
  if (revisions.length === 0) return undefined;
  const ours = revisions.map((one) => ({ ...one, layer: LAYER }));
  return { ...withdrawal, revisions: [...withdrawal.revisions, ...ours] };
}

const HEADS: ReadonlySet<string> = new Set([BOOT_HEAD, MATCH_HEAD, TRIGGER_HEAD]);

/** Removes the lines on these memories and headings left empty; `undefined` if nothing remains. */
function withoutMemories(text: string, ids: ReadonlySet<string>): string | undefined {
  const kept = text
    .split("\n")
    .filter((line) => !findLineIDs(line).some((id) => ids.has(id)))
    .filter((line, n, lines) => !isEmptyHeading(line, lines[n + 1]));
  const blocks = kept.join("\n").split("\n\n");
  const full = blocks.map((block) => block.trim()).filter((block) => block !== "" && !HEADS.has(block));
  return full.length === 0 ? undefined : full.join("\n\n");
}

/** The plugin's headings end with a colon, and a memory's line follows them. */
function isEmptyHeading(line: string, next: string | undefined): boolean {
  return line.endsWith(":") && !line.startsWith("- ") && !next?.startsWith("- ");
}
