/**
 * What may be spent a day, over all instances of the project: `state/background/YYYY-MM-DD.jsonl` (UTC), append-only.
 *
 *     append a reservation → read the file → count what was reserved before it → make the call, or release it
 *
 * Lines are appended in one call each (O_APPEND), so the file puts the reservations of all instances in one order that
 * everyone reads alike. A call is made only when fewer than `dailyCalls` stand before its own reservation; of any
 * calls that are made the last in that order has seen all the others, so there are never more, however many instances
 * ask at once. At the limit two may both be refused where one could have gone: that is the price.
 *
 * Spending that cannot be counted is not made: where the file cannot be written or read, everything is refused.
 * A reservation whose instance was killed counts with its estimate. Lines that cannot be read count for nothing, but
 * those of a later version: what they do not say counts as all that there is.
 */
import type { Config } from "../config/schema.js";
import { formatError } from "../error.js";
import { formatCount } from "../format.js";
import { createDayLog } from "../record/line-log.js";
import type { Log } from "../record/log.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { UsedTokens } from "../seams/host.js";
import { parseBudgetLine, sumBudget, type Tally } from "./budget-lines.js";

export interface Budget {
  /** Never rejects. */
  reserve(call: PlannedCall): Promise<Reservation>;
  /** `undefined` when it cannot be read. */
  today(): Promise<Tally | undefined>;
}

export interface PlannedCall {
  purpose: string;
  session: string;
  /** Estimate of what it will take. */
  tokens: number;
}

export type Reservation =
  | {
      kind: "reserved";
      /** Reserves so much more for the same call. Why not, where it may not take that. Never rejects. */
      extend(tokens: number): Promise<string | undefined>;
      /** Says what was spent in the end; without it the estimate stands. Never rejects. */
      settle(tokens: UsedTokens): Promise<void>;
    }
  | {
      kind: "refused";
      why: string;
      /** A limit of the day is reached: no call of this size is made before tomorrow. */
      isUsedUp: boolean;
    };

export interface BudgetOptions {
  config: Config["background"];
  clock: Clock;
  files: Files;
  log: Log;
  folder: string;
  instance: string;
}

const NOTHING: UsedTokens = { input: 0, output: 0, cacheRead: 0 };

export function createBudget({ config, clock, files, log, folder, instance }: BudgetOptions): Budget {
  let count = 0;
  let hasFailed = false;
  const formatTime = (): string => new Date(clock.now()).toISOString();
  const complain = { log, source: "background" };
  const days = createDayLog({ files, folder, parse: parseBudgetLine, complain });

  return {
    async reserve(call) {
      try {
        const reservation = await tryReserve(call);
        hasFailed = false;
        return reservation;
      } catch (thrown) {
        const why = `${folder} cannot be used (${formatError(thrown)}), and what cannot be counted is not spent`;
        if (!hasFailed) log.error("background", `no model calls: ${why}`);
        hasFailed = true;
        return refusal(why);
      }
    },

    async today() {
      try {
        const spent = sumBudget((await days.read(clock.now())).records);
        // What nobody can count is all there is.
        return spent && (Number.isFinite(spent.tokens) ? spent : { ...spent, tokens: config.dailyTokens });
      } catch {
        return undefined;
      }
    },
  };

  async function tryReserve(call: PlannedCall & { extends?: string }): Promise<Reservation> {
    const nowMs = clock.now();
    // At the limit nothing is written: layers may ask all day long.
    const full = refuse(config, sumBudget((await days.read(nowMs)).records), call);
    if (full) return full;
    const id = `${instance}-${++count}`;
    await days.append(nowMs, [{ v: 1, kind: "reserved", id, instance, time: formatTime(), ...call }]);
    const before = sumBudget((await days.read(nowMs)).records, id);
    const late = before
      ? refuse(config, before, call)
      : refusal("the reservation was lost, the file was replaced");
    if (!late) return open(nowMs, id, call);
    await days.append(nowMs, [{ v: 1, kind: "released", id, time: formatTime() }]);
    return late;
  }

  /** Whatever becomes of it stands in the file of the day on which it was reserved. */
  function open(atMs: number, id: string, call: PlannedCall): Reservation {
    const extensions: Reservation[] = [];
    return {
      kind: "reserved",
      async extend(tokens) {
        const extended = await tryReserve({ ...call, tokens, extends: id }).catch((thrown) =>
          refusal(`${folder} cannot be used (${formatError(thrown)})`),
        );
        if (extended.kind === "refused") return extended.why;
        extensions.push(extended);
        return undefined;
      },
      // What was spent is counted once, as the call's.
      async settle(tokens) {
        await settle(atMs, id, tokens);
        for (const one of extensions) if (one.kind === "reserved") await one.settle(NOTHING);
      },
    };
  }

  async function settle(atMs: number, id: string, tokens: UsedTokens): Promise<void> {
    try {
      await days.append(atMs, [{ v: 1, kind: "spent", id, time: formatTime(), tokens }]);
    } catch (thrown) {
      const what = `cannot note what call ${id} has spent, its estimate counts: ${formatError(thrown)}`;
      log.warn("background", what);
    }
  }
}

/** Why such a call may not be made after these; `undefined` where it may. */
function refuse(
  { dailyCalls, dailyTokens }: BudgetOptions["config"],
  spent: Tally | undefined,
  { extends: extended, tokens }: PlannedCall & { extends?: string },
): Reservation | undefined {
  if (!spent) return undefined;
  if (spent.calls >= dailyCalls && extended === undefined)
    return usedUp(`background.dailyCalls (${formatCount(dailyCalls)}) is used up for today`);
  if (spent.tokens + tokens > dailyTokens) {
    const left = `${formatCount(Math.max(0, dailyTokens - spent.tokens))} of ${formatCount(dailyTokens)}`;
    return usedUp(
      `it may take ${formatCount(tokens)} tokens, and of background.dailyTokens ${left} are left today`,
    );
  }
  return undefined;
}

const refusal = (why: string): Reservation => ({ kind: "refused", why, isUsedUp: false });
const usedUp = (why: string): Reservation => ({ kind: "refused", why, isUsedUp: true });
