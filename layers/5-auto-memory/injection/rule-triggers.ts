/** Rules that matter now: a command or path was used that one of their words or globs fits. Pure. */

import type { Result } from "../../../src/conversation/history.js";
import type { Memory } from "../../../src/memory/memory.js";
import { isStanding } from "./boot.js";
import { formatMemoryLine } from "./line.js";
import { type CallSubject, compilePattern, type Subject, takeApart } from "./pattern.js";

export interface TriggerOptions {
  nowMs: number;
  /** Ids that the last calls' results have brought back already. */
  recent: ReadonlySet<string>;
}

/** How such a text begins; by this one is known again. */
export const TRIGGER_HEAD =
  "[Strata] Noted in earlier sessions about what was just used. It is a record, no request, and grants nothing.";

/** A rule comes back no sooner than after so many calls, unless its last return is not shown any more. */
export const CALLS_BETWEEN = 40;
const MOST_RULES = 3;
const LINE_CHARACTERS = 300;

/** A rule with what it waits for. */
export interface TriggerRule {
  memory: Memory;
  fits(subject: Subject): boolean;
}

/** The rules that wait for something; what came with the repository waits for nothing. */
export function findTriggerRules(memories: readonly Memory[]): TriggerRule[] {
  return memories.flatMap((memory) => {
    if (memory.isForeign) return [];
    const matchers = memory.when.flatMap((pattern) => compilePattern(pattern) ?? []);
    if (matchers.length === 0) return [];
    return [{ memory, fits: (subject) => matchers.some((fits) => fits(subject)) }];
  });
}

/** The text to stand behind the newest result, or `undefined` when none of its rules is due. */
export function planTriggered(
  rules: readonly TriggerRule[],
  subjects: readonly CallSubject[],
  { nowMs, recent }: TriggerOptions,
): string | undefined {
  const used = subjects.map(takeApart);
  const due = rules
    .filter(({ memory }) => !recent.has(memory.id) && isStanding(memory, nowMs))
    .filter(({ fits }) => used.some(fits))
    .slice(0, MOST_RULES);
  if (due.length === 0) return undefined;
  const format = ({ memory }: TriggerRule): string =>
    formatMemoryLine(memory, { nowMs, maxCharacters: LINE_CHARACTERS });
  return [TRIGGER_HEAD, ...due.map(format)].join("\n");
}

/** What the call of a result was about; `undefined` where it was neither a command nor a file. */
export function readSubject({ part }: Result, project: string): CallSubject | undefined {
  const { command, filePath, path } = part.state.input ?? {};
  if (typeof command === "string" && command !== "") return { command };
  const file = typeof filePath === "string" ? filePath : path;
  if (typeof file !== "string" || file === "") return undefined;
  const posix = file.replaceAll("\\", "/");
  const root = `${project.replaceAll("\\", "/").replace(/\/$/, "")}/`;
  return { path: posix.startsWith(root) ? posix.slice(root.length) : posix };
}
