/**
 * The daily budget of all instances of a project: `state/background/YYYY-MM-DD.jsonl` (UTC), append-only.
 *
 *     {"v":1,"kind":"reserved","id":"…","instance":"…","time":"…","purpose":"…","session":"…","tokens":1200}
 *     {"v":1,"kind":"spent","id":"…","time":"…","tokens":{"input":900,"output":210,"cacheRead":0}}
 *
 * A reservation's `tokens` is an estimate and counts until a line says what was spent:
 *
 *     append a reservation → read the file → sum the reservations before it → make the call
 *
 * Each line is appended in one call (O_APPEND), so all instances read the reservations in the same order. A call is made
 * only if fewer than `dailyCalls` reservations precede its own, so the limit holds however many instances reserve at
 * once. The price: a call refused in such a race still counts for the day.
 *
 * If the file cannot be written or read, every call is refused, because spending could not be counted. The reservation of
 * a killed instance counts with its estimate. Unreadable lines do not count.
 */
import { formatError } from "../base/error.js";
import { formatCount } from "../base/format.js";
import { count, each, either, isVersion, object, oneOf, parserOf, string, unchecked } from "../base/shape.js";
import type { Config } from "../config/schema.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { UsedTokens } from "../io/host.js";
import { createDayLog } from "../io/json-lines.js";
import type { Log } from "../io/log.js";

interface Tally {
  calls: number;
  tokens: number;
}

interface PlannedCall {
  purpose: string;
  session: string;
  /** Estimated tokens. */
  tokens: number;
}

type Reservation =
  /** `recordSpent`: records the tokens spent; without it the estimate counts. Never rejects. */
  | { kind: "reserved"; recordSpent(tokens: UsedTokens): Promise<void> }
  /** `isUsedUp`: a daily limit is reached; no call of this size is possible before tomorrow. */
  | { kind: "refused"; why: string; isUsedUp: boolean };

interface BudgetOptions {
  config: Config["background"];
  clock: Clock;
  files: Files;
  log: Log;
  folder: string;
  instance: string;
}

const SOURCE = "background";

export type Budget = ReturnType<typeof createBudget>;

export function createBudget({ config, clock, files, log, folder, instance }: BudgetOptions) {
  let reservations = 0;
  let hasFailed = false;
  const formatTime = (): string => new Date(clock.now()).toISOString();
  const complain = { log, source: SOURCE };
  const days = createDayLog({ files, folder, parse: parseBudgetLine, complain });

  return {
    /** Never rejects. */
    async reserve(call: PlannedCall): Promise<Reservation> {
      try {
        const reservation = await tryReserve(call);
        hasFailed = false;
        return reservation;
      } catch (thrown) {
        return { kind: "refused", why: logFailure(thrown), isUsedUp: false };
      }
    },

    today,

    /** Why no call of any size can be made today, as a clause. */
    async findObstacle(): Promise<string | undefined> {
      const spent = await today();
      if (!spent) return "the records of the day cannot be read";
      const isUsedUp = spent.calls >= config.dailyCalls || spent.tokens >= config.dailyTokens;
      return isUsedUp ? "the budget of the day is used up" : undefined;
    },
  };

  /** `undefined` if the file cannot be read, which is in the log. */
  async function today(): Promise<Tally | undefined> {
    try {
      return sumBudget((await days.read(clock.now())).records);
    } catch (thrown) {
      logFailure(thrown);
      return undefined;
    }
  }

  /** Logged once until a reservation succeeds; why no call can be made. */
  function logFailure(thrown: unknown): string {
    const why = `${folder} cannot be used (${formatError(thrown)}), so spending could not be counted`;
    if (!hasFailed) log.error(SOURCE, `no model calls: ${why}`);
    hasFailed = true;
    return why;
  }

  async function tryReserve(call: PlannedCall): Promise<Reservation> {
    const nowMs = clock.now();
    const id = `${instance}-${++reservations}`;
    // At the limit nothing is written, since layers may ask all day.
    let why = findExcess(config, sumBudget((await days.read(nowMs)).records), call);
    if (why === undefined) {
      await days.append(nowMs, [{ v: 1, kind: "reserved", id, instance, time: formatTime(), ...call }]);
      const before = sumBudget((await days.read(nowMs)).records, id);
      const lost = "the reservation was lost because the file was replaced";
      if (!before) return { kind: "refused", why: lost, isUsedUp: false };
      why = findExcess(config, before, call);
    }
    if (why !== undefined) return { kind: "refused", why, isUsedUp: true };
    return { kind: "reserved", recordSpent: (tokens) => recordSpent(nowMs, id, tokens) };
  }

  /** The line goes to the file of the reservation's day. */
  async function recordSpent(atMs: number, id: string, tokens: UsedTokens): Promise<void> {
    try {
      await days.append(atMs, [{ v: 1, kind: "spent", id, time: formatTime(), tokens }]);
    } catch (thrown) {
      const what = `cannot record what call ${id} spent, so its estimate counts: ${formatError(thrown)}`;
      log.warn(SOURCE, what);
    }
  }
}

/** Which limit the call exceeds; `undefined` if it may be made. */
function findExcess(
  { dailyCalls, dailyTokens }: BudgetOptions["config"],
  spent: Tally | undefined,
  { tokens }: PlannedCall,
): string | undefined {
  const { calls, tokens: gone } = spent ?? { calls: 0, tokens: 0 };
  if (calls >= dailyCalls) return `background.dailyCalls (${formatCount(dailyCalls)}) is used up for today`;
  if (gone + tokens <= dailyTokens) return undefined;
  const left = `${formatCount(Math.max(0, dailyTokens - gone))} of ${formatCount(dailyTokens)}`;
  return `it may take ${formatCount(tokens)} tokens, and ${left} (background.dailyTokens) are left today`;
}

interface ReservedLine extends PlannedCall {
  v: 1;
  kind: "reserved";
  id: string;
  instance: string;
  time: string;
}

interface SpentLine {
  v: 1;
  kind: "spent";
  id: string;
  time: string;
  tokens: UsedTokens;
}

const fields = { v: isVersion, id: string, time: unchecked };
/** `undefined` if the value is not a budget line, or has a negative number, which would increase the budget. */
export const parseBudgetLine = parserOf(
  either(
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
  ),
);

/** Sums all calls of the day, or those reserved before `beforeID`; `undefined` if there is no such reservation. */
export function sumBudget(
  lines: readonly (ReservedLine | SpentLine)[],
  beforeID?: string,
): Tally | undefined {
  const spent = new Map<string, number>();
  for (const { id, kind, tokens } of lines)
    if (kind === "spent") spent.set(id, tokens.input + tokens.output + tokens.cacheRead);
  const tally: Tally = { calls: 0, tokens: 0 };
  for (const line of lines) {
    if (line.kind !== "reserved") continue;
    if (line.id === beforeID) return tally;
    tally.calls++;
    tally.tokens += spent.get(line.id) ?? line.tokens;
  }
  return beforeID === undefined ? tally : undefined;
}

/*
 * Backoff after failed calls. After a temporary failure (429, 5xx, no answer, unknown) the next call waits 30 seconds,
 * then twice as long after each further failure, up to 30 minutes; a success resets it. After a permanent refusal (any
 * other 4xx: no key, unknown model, no credit) the wait is an hour.
 *
 * Kept in memory: after a restart one call finds out again.
 */

const FIRST_MS = 30_000;
const LONGEST_MS = 30 * 60_000;
const AFTER_REFUSAL_MS = 60 * 60_000;
/** 4xx codes of temporary failures. */
const PASSING = [408, 409, 425, 429];

export type Backoff = ReturnType<typeof createBackoff>;

export function createBackoff(clock: Clock) {
  let failures = 0;
  let untilMs = 0;
  let last = "";

  return {
    /** Why no call may be made now, for people; `undefined` if one may. */
    why(): string | undefined {
      if (clock.now() >= untilMs) return undefined;
      return `the last call failed (${last}); none before ${new Date(untilMs).toISOString()}`;
    },
    noteAnswer(): void {
      failures = 0;
      untilMs = 0;
    },
    /** `status`: the HTTP status, if any. Returns the pause in milliseconds. */
    noteFailure(reason: string, status = 0): number {
      last = reason;
      const isFinal = status >= 400 && status < 500 && !PASSING.includes(status);
      const pauseMs = isFinal ? AFTER_REFUSAL_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
      failures++;
      untilMs = clock.now() + pauseMs;
      return pauseMs;
    },
  };
}
