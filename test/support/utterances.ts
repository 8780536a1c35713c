import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lookForSignals } from "../../layers/5-auto-memory/signals/find-signals.js";
import type { MemoryType } from "../../src/memory/memory.js";
import { atOnce } from "../../src/slices.js";

/**
 * One line of the samples. `written` says when it was written, relative to the rules; the README of the samples has the
 * number found at the first attempt.
 */
export interface Utterance {
  text: string;
  written:
    | "before"
    | "after"
    | "last"
    | "first"
    | "second"
    | "third"
    | "fourth"
    | "fifth"
    | "sixth"
    | "seventh"
    | "eighth"
    | "ninth"
    | "tenth"
    | "eleventh"
    | "twelfth";
  /** Types that the memory may have. */
  types?: MemoryType[];
  /** Why it contains nothing to remember. */
  without?: string;
}

/** The samples in a file of test/samples. */
export function readUtterances(name: string): Utterance[] {
  return readFileSync(join(import.meta.dirname, "../samples", name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Utterance);
}

export interface Measure {
  kept: number;
  /** Number of those that wait as candidates. */
  waiting: number;
  /** Number of kept memories with an allowed type. */
  typed: number;
  missed: number;
  wrong: number;
}

export function measure(list: readonly Utterance[]): Measure {
  const found = list.map((utterance) => ({
    utterance,
    ...atOnce(lookForSignals(utterance.text)),
  }));
  const told = found.filter(({ utterance }) => utterance.types);
  const kept = told.filter(({ signals }) => signals.length > 0);
  const waiting = told.filter(({ candidates, signals }) => signals.length === 0 && candidates.length > 0);
  const typed = kept.filter(({ signals, utterance }) =>
    signals.some(({ type }) => utterance.types?.includes(type)),
  );
  const wrong = found.filter(({ signals, utterance }) => !utterance.types && signals.length > 0);
  return {
    kept: kept.length,
    waiting: waiting.length,
    typed: typed.length,
    missed: told.length - kept.length,
    wrong: wrong.length,
  };
}

/** 1 where nothing is kept. */
export const precision = ({ kept, wrong }: Measure): number => (wrong === 0 ? 1 : kept / (kept + wrong));
/** With what waits as a candidate. */
export const recall = ({ kept, missed, waiting }: Measure): number => (kept + waiting) / (kept + missed);

/** A table of the results, by expected type and by the reason for expecting nothing. */
export function formatFound(utterances: readonly Utterance[]): string {
  const groups = groupBy(utterances, ({ types, without }) => types?.[0] ?? `without: ${without}`);
  const lines = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, list]) => {
      const { kept, missed, typed, wrong } = measure(list);
      const what = list[0]?.types
        ? `found ${kept} of ${kept + missed}, as that type ${typed}`
        : `wrongly found ${wrong} of ${list.length}`;
      return `${name.padEnd(24)} ${what}`;
    });
  for (const [written, list] of groupBy(utterances, ({ written }) => written)) {
    const measured = measure(list);
    lines.push(
      `written ${written.padEnd(16)} precision ${precision(measured).toFixed(2)}, recall ${recall(measured).toFixed(2)}`,
    );
  }
  return lines.join("\n");
}

function groupBy(list: readonly Utterance[], nameOf: (one: Utterance) => string): Map<string, Utterance[]> {
  const groups = new Map<string, Utterance[]>();
  for (const one of list) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return groups;
}
