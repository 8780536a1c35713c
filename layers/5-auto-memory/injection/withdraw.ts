/** Plans to remove memories from a session's shown texts after the user has undone them. Pure. */

import { type DatedDecision, decide } from "../../../src/context/decisions.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Withdrawal } from "../../../src/kernel/hooks.js";
import type { DecisionKey } from "../../../src/messages/keys.js";
import { BOOT_HEAD } from "./boot.js";
import { findLineIDs } from "./line.js";
import { MATCH_HEAD } from "./matches.js";
import { TRIGGER_HEAD } from "./rule-triggers.js";
import { findOwnText, LAYER } from "./shown.js";

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
