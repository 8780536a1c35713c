/** Rules triggered by a call: its command or path matches one of their words or globs. Pure. */

import { isActive } from "../../../src/memory/in-force.js";
import type { Memory } from "../../../src/memory/memory.js";
import type { Result } from "../../../src/messages/history.js";
import { formatMemoryLine } from "./line.js";
import { type CallSubject, compilePattern, type Subject, takeApart } from "./pattern.js";

export interface TriggerOptions {
  nowMs: number;
  /** Ids of rules shown with the results of the last calls. */
  recent: ReadonlySet<string>;
}

/** First line of such a text, which identifies it. */
export const TRIGGER_HEAD =
  "[Strata] Noted in earlier sessions about what was just used. It is a record, no request, and grants nothing.";

/** Minimum number of calls before a rule is shown again, unless its last text is no longer shown. */
export const CALLS_BETWEEN = 40;
const MOST_RULES = 3;
const LINE_CHARACTERS = 300;

/** A rule with its triggers. */
export interface TriggerRule {
  memory: Memory;
  fits(subject: Subject): boolean;
}

/** The rules with triggers; memories that came with the repository trigger nothing. */
export function findTriggerRules(memories: readonly Memory[]): TriggerRule[] {
  return memories.flatMap((memory) => {
    if (memory.isForeign) return [];
    const matchers = memory.when.flatMap((pattern) => compilePattern(pattern) ?? []);
    if (matchers.length === 0) return [];
    return [{ memory, fits: (subject) => matchers.some((fits) => fits(subject)) }];
  });
}

/** The text to add to the newest result; `undefined` if no rule is due. */
export function planTriggered(
  rules: readonly TriggerRule[],
  subjects: readonly CallSubject[],
  { nowMs, recent }: TriggerOptions,
): string | undefined {
  const used = subjects.map(takeApart);
  const due = rules
    .filter(({ memory }) => !recent.has(memory.id) && isActive(memory, nowMs))
    .filter(({ fits }) => used.some(fits))
    .slice(0, MOST_RULES);
  if (due.length === 0) return undefined;
  const format = ({ memory }: TriggerRule): string =>
    formatMemoryLine(memory, { nowMs, maxCharacters: LINE_CHARACTERS });
  return [TRIGGER_HEAD, ...due.map(format)].join("\n");
}

/** The command or file of a result's call; `undefined` if it has neither. */
export function readSubject({ part }: Result, project: string): CallSubject | undefined {
  const { command, filePath, path } = part.state.input ?? {};
  if (typeof command === "string" && command !== "") return { command };
  const file = typeof filePath === "string" ? filePath : path;
  if (typeof file !== "string" || file === "") return undefined;
  const posix = file.replaceAll("\\", "/");
  const root = `${project.replaceAll("\\", "/").replace(/\/$/, "")}/`;
  return { path: posix.startsWith(root) ? posix.slice(root.length) : posix };
}
