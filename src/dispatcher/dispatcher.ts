/**
 * Asks the layers of a hook, from cheap to dear, and makes one answer of theirs.
 *
 * It holds the one deadline and the one catch-all of the program. Each layer has its bound, and all layers of a hook
 * together have the hook's. A layer that throws, overruns or answers something the hook cannot take has passed: the
 * next layer sees what is decided so far, the user's turn goes on. A failure is logged with the layer's name when it is
 * first seen, and after that only for debugging. A layer that overran is not asked again at that hook until its call
 * has ended, so a call that never ends costs one deadline and not one per request.
 */
import { formatError } from "../error.js";
import type { Log } from "../record/log.js";
import { type Clock, waitAtMost } from "../seams/clock.js";
import type { HookInput, HookName, HookRule, HookRules, HookValue } from "./hooks.js";
import { findSession, hookRules } from "./hooks.js";
import type { Layer } from "./layer.js";
import type { Heard } from "./pulse.js";
import type { SlashCommand } from "./slash-command.js";
import { createTimeLimit, type TimeLimit } from "./time-limit.js";
import type { Tool } from "./tool.js";

export interface Dispatcher {
  /**
   * Answers one call of the host: reads what it is about, asks the layers, writes their answer back if there is one.
   * Never rejects, also when the host's objects are not what they were expected to be. Nothing is asked when `read`
   * returns `undefined`.
   */
  serve<H extends HookName>(hook: H, exchange: Exchange<H>, limit?: TimeLimit): Promise<void>;
  /** Never rejects. Resolves with `value` itself when every layer passed. */
  ask<H extends HookName>(
    hook: H,
    input: HookInput<H>,
    value: HookValue<H>,
    limit?: TimeLimit,
  ): Promise<HookValue<H>>;
  /** The bound of this hook, to be shared with others that the host waits for in the same call. */
  limit(hook: HookName): TimeLimit;
  /** What the agent can call of all layers. */
  readonly tools: readonly Tool[];
  /** What a person can call of all layers. */
  readonly commands: readonly SlashCommand[];
  /** Has any layer something to say at this hook? */
  hears(hook: HookName): boolean;
  /** Resolves when no layer has anything left to do behind the turn. Never rejects. */
  onIdle(): Promise<void>;
  /** Lets every layer go; one that fails or hangs does not keep the others. */
  dispose(): Promise<void>;
}

/** The host's side of one call. */
export interface Exchange<H extends HookName> {
  read(): { input: HookInput<H>; value: HookValue<H> } | undefined;
  /** Called only with a value other than the one that was read. */
  write(value: HookValue<H>): void;
}

export interface DispatcherOptions {
  layers: readonly Layer[];
  clock: Clock;
  log: Log;
  /** Is it one of our forks? Only layers that serve forks are asked about those. */
  isFork?: (sessionID: string) => boolean;
  /** Is told what came of each layer that was asked. */
  onHeard?: (heard: Heard) => void;
  /** Replaced in tests only. */
  rules?: HookRules;
}

const DISPOSE_DEADLINE_MS = 2_000;

/** So many different failures are told apart; there is no end to the ways in which a message can differ. */
const MOST_COMPLAINTS = 200;

type Run = (signal: AbortSignal) => unknown;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { layers, clock, log, isFork = () => false, onHeard = () => {}, rules = hookRules } = options;
  const byCost = [...layers].sort((a, b) => a.cost - b.cost);
  const complaints = new Set<string>();
  const stuck = new Set<string>();

  return {
    ask,
    tools: byCost.flatMap(({ tools = [] }) => tools),
    commands: byCost.flatMap(({ commands = [] }) => commands),

    limit: limitOf,

    async serve(hook, exchange, limit) {
      try {
        const asked = exchange.read();
        if (!asked) return;
        const answer = await ask(hook, asked.input, asked.value, limit);
        if (answer !== asked.value) exchange.write(answer);
      } catch (thrown) {
        complain("the host adapter", hook, `failed: ${formatError(thrown)}`);
      }
    },

    hears: (hook) => byCost.some((layer) => layer.handlers[hook] !== undefined),

    async onIdle() {
      await Promise.all(byCost.map((layer) => layer.onIdle?.()));
    },

    async dispose() {
      await Promise.all(
        byCost.map(async (layer) =>
          hearWithin(layer, "dispose", DISPOSE_DEADLINE_MS, () => layer.dispose?.()),
        ),
      );
    },
  };

  function limitOf(hook: HookName): TimeLimit {
    return createTimeLimit(clock, rules[hook].deadlineMs);
  }

  async function ask<H extends HookName>(
    hook: H,
    input: HookInput<H>,
    value: HookValue<H>,
    limit: TimeLimit = limitOf(hook),
  ): Promise<HookValue<H>> {
    const rule: HookRule<HookInput<H>, HookValue<H>> = rules[hook];
    const sessionID = findSession(input);
    const inFork = sessionID !== undefined && isFork(sessionID);
    let current = value;
    for (const layer of byCost) {
      if (inFork && !layer.servesForks?.includes(hook)) continue;
      const handler = layer.handlers[hook];
      if (!handler) continue;
      const isSpared = layer.isLastResort === true && rule.combine === "until";
      if (isSpared && rule.isEnough?.(input, current)) continue;
      const heard = await hear(layer, hook, limit, (signal) => handler(input, current, signal));
      if (!heard || (heard.answer !== undefined && !rule.accepts(heard.answer))) {
        if (heard) fail(layer, hook, `answered something this hook cannot take (${describe(heard.answer)})`);
        passOver(layer, hook, input);
        current = rule.withoutAnswer?.(input, current) ?? current;
        continue;
      }
      const { answer } = heard as { answer: HookValue<H> | undefined };
      onHeard({ layer: layer.name, hook, outcome: answer === undefined ? "passed" : "answered" });
      if (answer === undefined) continue;
      current = answer;
      if (rule.combine === "first" || rule.isFinal?.(current)) break;
    }
    return current;
  }

  /** What the layer says, which may be nothing; `undefined` when it failed, overran or was not asked. */
  async function hear(
    layer: Layer,
    hook: HookName,
    limit: TimeLimit,
    run: Run,
  ): Promise<{ answer: unknown } | undefined> {
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
    fail(layer, hook, `was not asked, the ${limit.totalMs} ms that all layers have together were over`);
    return undefined;
  }

  async function hearWithin(
    layer: Layer,
    hook: string,
    deadlineMs: number,
    run: Run,
  ): Promise<{ answer: unknown } | undefined> {
    const waited = await waitAtMost(clock, deadlineMs, run, () => stuck.delete(nameOf(layer, hook)));
    if (waited.kind === "done") return { answer: waited.value };
    if (waited.kind === "overran") {
      stuck.add(nameOf(layer, hook));
      fail(layer, hook, `did not answer within ${deadlineMs} ms and is left out until it does`);
    } else {
      fail(layer, hook, `failed: ${formatError(waited.thrown)}`);
    }
    return undefined;
  }

  function passOver<H extends HookName>(layer: Layer, hook: H, input: HookInput<H>): void {
    try {
      (layer.passedOver?.[hook] as ((input: HookInput<H>) => void) | undefined)?.(input);
    } catch (thrown) {
      fail(layer, hook, `failed: ${formatError(thrown)}`);
    }
  }

  function fail({ name }: Layer, hook: string, why: string): void {
    onHeard({ layer: name, hook, outcome: "failed", why });
    complain(`layer ${name}`, hook, why);
  }

  function complain(who: string, hook: string, what: string): void {
    const message = `${who} ${what} at hook ${hook}; skipped, the turn continues without it`;
    const isFirst = !complaints.has(message) && complaints.size < MOST_COMPLAINTS;
    complaints.add(message);
    log[isFirst ? "error" : "debug"]("dispatcher", message);
  }
}

const nameOf = (layer: Layer, hook: string): string => `${layer.name} ${hook}`;

function describe(answer: unknown): string {
  if (answer === null) return "null";
  if (Array.isArray(answer)) return `a list of ${answer.length}`;
  return typeof answer === "object" ? "an object" : typeof answer;
}
