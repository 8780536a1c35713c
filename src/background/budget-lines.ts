/**
 * Lines of a day's budget file, and their sum.
 *
 *     {"v":1,"kind":"reserved","id":"…","instance":"…","time":"…","purpose":"…","session":"…","tokens":1200}
 *     {"v":1,"kind":"spent","id":"…","time":"…","tokens":{"input":900,"output":210,"cacheRead":0}}
 *     {"v":1,"kind":"released","id":"…","time":"…"}
 *
 * A call with tools reserves more while it runs, in lines with `extends`, the ID of its first line. `tokens` of a
 * reservation is an estimate and counts until a line says what was spent. A released reservation does not count: its call
 * was never made.
 */
import type { UsedTokens } from "../seams/host.js";
import { count, each, either, isVersion, object, oneOf, string, unchecked } from "../shape.js";

export type BudgetLine = ReservedLine | SpentLine | ReleasedLine;

interface ReservedLine {
  v: 1;
  kind: "reserved";
  id: string;
  instance: string;
  time: string;
  purpose: string;
  session: string;
  tokens: number;
  /** ID of the reservation that this one adds to; it does not count as another call. */
  extends?: string;
}

interface SpentLine {
  v: 1;
  kind: "spent";
  id: string;
  time: string;
  tokens: UsedTokens;
}

interface ReleasedLine {
  v: 1;
  kind: "released";
  id: string;
  time: string;
}

export interface Tally {
  calls: number;
  tokens: number;
}

/**
 * `undefined` if the value is not a budget line, or has a negative number, which would increase the budget.
 */
export function parseBudgetLine(value: unknown): BudgetLine | undefined {
  return isKnownLine(value) ? value : undefined;
}

const fields = { v: isVersion, id: string, time: unchecked };
const isKnownLine = either(
  object<ReleasedLine>({ ...fields, kind: oneOf(["released"]) }),
  object<ReservedLine>({
    ...fields,
    kind: oneOf(["reserved"]),
    ...each(unchecked, "instance", "purpose", "session"),
    tokens: count,
  }),
  object<SpentLine>({
    ...fields,
    kind: oneOf(["spent"]),
    tokens: object<UsedTokens>(each(count, "input", "output", "cacheRead")),
  }),
);

/** Sums all calls of the day, or those reserved before `beforeID`; `undefined` if there is no such reservation. */
export function sumBudget(lines: readonly BudgetLine[], beforeID?: string): Tally | undefined {
  const spent = new Map<string, number>();
  const released = new Set<string>();
  for (const line of lines) {
    if (line.kind === "spent") spent.set(line.id, sumTokens(line.tokens));
    if (line.kind === "released") released.add(line.id);
  }
  const tally: Tally = { calls: 0, tokens: 0 };
  for (const line of lines) {
    if (line.kind !== "reserved") continue;
    if (line.id === beforeID) return tally;
    if (released.has(line.id)) continue;
    if (line.extends === undefined) tally.calls++;
    tally.tokens += spent.get(line.id) ?? line.tokens;
  }
  return beforeID === undefined ? tally : undefined;
}

export function sumTokens({ input, output, cacheRead }: UsedTokens): number {
  return input + output + cacheRead;
}
