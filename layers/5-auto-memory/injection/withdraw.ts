/** What a session was told of memory, without those that the user has taken back since. Pure. */

import type { DecisionKey } from "../../../src/conversation/keys.js";
import type { Withdrawal } from "../../../src/dispatcher/hooks.js";
import { type DatedDecision, decide } from "../../../src/view/decisions.js";
import type { ContextRequest } from "../../../src/view/request.js";
import { BOOT_HEAD } from "./boot.js";
import { findLineIDs } from "./line.js";
import { MATCH_HEAD } from "./matches.js";
import { TRIGGER_HEAD } from "./rule-triggers.js";
import { findOwnText, LAYER } from "./shown.js";

/** The withdrawal with what is to stand there from now on; `undefined` where nothing that is shown is about them. */
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

/** Without the lines on these memories, and headings under which nothing is left; `undefined` where that is nothing. */
function withoutMemories(text: string, ids: ReadonlySet<string>): string | undefined {
  const kept = text
    .split("\n")
    .filter((line) => !findLineIDs(line).some((id) => ids.has(id)))
    .filter((line, n, lines) => !isEmptyHeading(line, lines[n + 1]));
  const blocks = kept.join("\n").split("\n\n");
  const full = blocks.map((block) => block.trim()).filter((block) => block !== "" && !HEADS.has(block));
  return full.length === 0 ? undefined : full.join("\n\n");
}

/** Ours end with a colon, and a line on a memory comes after them. */
function isEmptyHeading(line: string, next: string | undefined): boolean {
  return line.endsWith(":") && !line.startsWith("- ") && !next?.startsWith("- ");
}
