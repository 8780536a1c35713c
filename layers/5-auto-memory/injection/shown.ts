/** Reads which memories a session shows, from the decisions recorded about its messages and results. */
import { decide } from "../../../src/context/decisions.js";
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

/** Texts of this layer behind messages and results from a message on, with what they stand behind. */
function listTexts({ find, history }: ContextRequest, from: number): { key: DecisionKey; text: string }[] {
  const messages = [...history.messages.keys()].filter((index) => index >= from).map(history.keyOf);
  return [...messages, ...history.results(from)].flatMap((key) => {
    const text = key && findOwnText(find(key.key));
    return key && text !== undefined ? [{ key, text }] : [];
  });
}

/** The memories that the request shows. Those cut or cleared away do not count, so they may be shown again. */
export function readShown(request: ContextRequest): ShownMemories {
  const texts = listTexts(request, request.shownFrom()).map(({ text }) => text);
  return {
    text: texts.join("\n"),
    ids: new Set(texts.flatMap(findLineIDs)),
    hasBoot: texts.some((text) => text.includes(BOOT_HEAD)),
  };
}

/** Bytes of matches added to the session's messages, shown or not. */
export function countMatchBytes(request: ContextRequest): number {
  return listTexts(request, 0).reduce((bytes, { text }) => {
    const at = text.indexOf(MATCH_HEAD);
    return at === -1 ? bytes : bytes + Buffer.byteLength(text.slice(at));
  }, 0);
}

/** The text that this layer has added to a message or result, if it is still shown. */
export function findOwnText(recorded: RecordedDecisions | undefined): string | undefined {
  if (!recorded || recorded.cleared) return undefined;
  return recorded.extended?.find(({ layer }) => layer === LAYER)?.text;
}

/* Plans to remove memories from a session's shown texts after the user has undone them. Pure. */

/** The withdrawal with revised texts; `undefined` if no shown text names the memories. */
export function planWithdrawal(request: ContextRequest, withdrawal: Withdrawal): Withdrawal | undefined {
  const { memories } = withdrawal;
  const named = listTexts(request, request.shownFrom()).filter(({ text }) =>
    findLineIDs(text).some((id) => memories.has(id)),
  );
  if (named.length === 0) return undefined;
  const revisions = named.map(({ key, text }) => {
    const left = withoutMemories(text, memories);
    const decided = decide(key, {
      outcome: "revised",
      of: "extended",
      ...(left !== undefined && { text: left }),
    });
    return { ...decided, layer: LAYER };
  });
  return { ...withdrawal, revisions: [...withdrawal.revisions, ...revisions] };
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
