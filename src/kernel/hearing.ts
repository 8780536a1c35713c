/**
 * Asks one layer at a time, within its time limit. A layer that overran is not asked again at that hook until its call
 * has returned. A failure is logged as an error with the layer's name the first time, and at debug level after that.
 */
import { formatError } from "../base/error.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import type { Log } from "../io/log.js";
import type { HookInput, HookName, HookRules } from "./hooks.js";
import type { Layer } from "./layer.js";
import type { Heard } from "./pulse.js";
import type { TimeLimit } from "./time-limit.js";

/** The answer of a layer, possibly empty; `undefined` if the layer failed, overran or was not asked. */
export type Answered = { answer: unknown } | undefined;

export interface Hearing {
  /** Asks within the layer's own limit and the rest of the hook's. Never rejects. */
  hear(layer: Layer, hook: HookName, limit: TimeLimit, run: Run): Promise<Answered>;
  /** Asks within this limit, even if an earlier call hangs. Never rejects. */
  hearWithin(layer: Layer, hook: string, deadlineMs: number, run: Run): Promise<Answered>;
  /** Tells the layer that its answer does not count. */
  passOver<H extends HookName>(layer: Layer, hook: H, input: HookInput<H>): void;
  /** `kind` tells failures apart whose messages differ in a number. */
  fail(layer: Layer, hook: string, why: string, kind?: string): void;
  /** Logs as an error what was not logged before. */
  complain(who: string, hook: string, what: string, kind?: string): void;
}

export interface HearingOptions {
  clock: Clock;
  log: Log;
  rules: HookRules;
  onHeard(this: void, heard: Heard): void;
}

type Run = (signal: AbortSignal) => unknown;

/** Number of distinct failures that are remembered, since messages can vary without end. */
const MOST_COMPLAINTS = 200;

export function createHearing({ clock, log, onHeard, rules }: HearingOptions): Hearing {
  const complaints = new Set<string>();
  const stuck = new Set<string>();

  return {
    async hear(layer, hook, limit, run) {
      const { deadlineMs, isNotice } = rules[hook];
      const ownMs = layer.withinMs?.[hook] ?? deadlineMs;
      if (layer.isIndispensable) {
        const beganMs = clock.now();
        const heard = await hearWithin(layer, hook, ownMs, run);
        limit.add(clock.now() - beganMs);
        return heard;
      }
      if (stuck.has(nameOf(layer, hook))) return undefined;
      const leftMs = limit.leftMs();
      if (leftMs > 0) return hearWithin(layer, hook, Math.min(ownMs, leftMs), run);
      if (isNotice) {
        void hearWithin(layer, hook, ownMs, run);
        return { answer: undefined };
      }
      fail(layer, hook, `was not asked: all layers together had used up their ${limit.totalMs} ms`);
      return undefined;
    },

    hearWithin,

    passOver<H extends HookName>(layer: Layer, hook: H, input: HookInput<H>) {
      try {
        (layer.passedOver?.[hook] as ((input: HookInput<H>) => void) | undefined)?.(input);
      } catch (thrown) {
        fail(layer, hook, `failed: ${formatError(thrown)}`);
      }
    },

    fail,
    complain,
  };

  async function hearWithin(layer: Layer, hook: string, deadlineMs: number, run: Run): Promise<Answered> {
    let hasEnded = false;
    const waited = await waitAtMost(clock, deadlineMs, run, () => {
      hasEnded = true;
      stuck.delete(nameOf(layer, hook));
    });
    if (waited.kind === "done") return { answer: waited.value };
    if (waited.kind === "overran") {
      // A call that ends as it is aborted has ended by now.
      if (!hasEnded) stuck.add(nameOf(layer, hook));
      fail(layer, hook, `did not answer within ${deadlineMs} ms and is left out until it does`, "overran");
    } else {
      fail(layer, hook, `failed: ${formatError(waited.thrown)}`);
    }
    return undefined;
  }

  function fail({ name }: Layer, hook: string, why: string, kind?: string): void {
    onHeard({ layer: name, hook, outcome: "failed", why });
    complain(`layer ${name}`, hook, why, kind);
  }

  function complain(who: string, hook: string, what: string, kind = what): void {
    const message = `${who} at hook ${hook} ${what}; the turn continues without it`;
    const key = `${who} ${hook} ${kind}`;
    const isFirst = !complaints.has(key) && complaints.size < MOST_COMPLAINTS;
    if (isFirst) complaints.add(key);
    log[isFirst ? "error" : "debug"]("dispatcher", message);
  }
}

const nameOf = (layer: Layer, hook: string): string => `${layer.name} ${hook}`;
