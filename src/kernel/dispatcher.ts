/**
 * Calls the layers of a hook, from cheap to expensive, and combines their answers into one.
 *
 * It has the only deadline and the only catch-all of the program. Each layer has its time limit,
 * and each hook has one for all its layers. A layer that throws, overruns or returns an invalid answer counts as having
 * passed: the next layer sees the value so far, and the user's turn continues. A call that never returns costs one
 * deadline, not one per request.
 */
import { formatError } from "../base/error.js";
import type { ContextRequest } from "../context/request.js";
import { type Clock, isPromise, type Waited, waitAtMost } from "../io/clock.js";
import type { Log } from "../io/log.js";
import { isSummary } from "../io/message.js";
import type { LayerCall } from "./calls.js";
import {
  commonEvents,
  findSession,
  type HookInput,
  type HookName,
  type HookRule,
  type HookRules,
  type HookValue,
  hookRules,
} from "./hooks.js";
import type { Layer } from "./layer.js";

interface DispatcherOptions {
  layers: readonly Layer[];
  clock: Clock;
  log: Log;
  /** Is the session a fork made by Strata? Only layers that serve forks are asked about it. */
  isFork?: (sessionID: string) => boolean;
  onCalled?: (called: LayerCall) => void;
  /** Replaced in tests only. */
  rules?: HookRules;
}

const DISPOSE_DEADLINE_MS = 2_000;

/** What asking the layers works with. */
interface Asking
  extends ReturnType<typeof createLayerCaller>,
    Required<Pick<DispatcherOptions, "isFork" | "onCalled" | "rules">> {
  /** By phase; within one as listed. */
  inOrder: readonly Layer[];
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

export function createDispatcher(options: DispatcherOptions) {
  const { layers, clock, log, isFork = () => false, onCalled = () => {}, rules = hookRules } = options;
  const inOrder = ["before", undefined, "after"].flatMap((phase) =>
    layers.filter((layer) => layer.phase === phase),
  );
  const events = new Set([...commonEvents, ...layers.flatMap((layer) => layer.events ?? [])]);
  const caller = createLayerCaller({ clock, log, rules, onCalled });
  const asking: Asking = { ...caller, inOrder, isFork, onCalled, rules };
  const limitOf = (hook: HookName): TimeLimit => createTimeLimit(clock, rules[hook].deadlineMs);

  return {
    /** Never rejects. Resolves with `value` itself if every layer passed. */
    ask<H extends HookName>(
      hook: H,
      input: HookInput<H>,
      value: HookValue<H>,
      limit = limitOf(hook),
    ): Promise<HookValue<H>> {
      return askLayers(asking, hook, { input, value, limit });
    },

    /** Tools of all layers, for the agent. */
    tools: inOrder.flatMap(({ tools = [] }) => tools),
    /** Commands of all layers, for people. */
    commands: inOrder.flatMap(({ commands = [] }) => commands),

    /** Time limit of this hook, shared by all hooks that run in the same call of the host. */
    limit: limitOf,

    /** Runs one call of the host. Never rejects, even if the host's objects are not as expected: that is logged. */
    async guard(hook: HookName, run: () => Promise<void>): Promise<void> {
      try {
        await run();
      } catch (thrown) {
        caller.complain("the host adapter", hook, `failed: ${formatError(thrown)}`);
      }
    },

    handles: (hook: HookName): boolean => inOrder.some((layer) => layer.handlers[hook] !== undefined),
    /** Does any layer listen to events of this type? */
    handlesEvent: (type: string): boolean => events.has(type),

    /** Resolves when no layer has work left in the background. Never rejects. */
    async onIdle(): Promise<void> {
      await Promise.all(inOrder.map((layer) => layer.onIdle?.()));
    },

    /** Disposes every layer. A layer that fails or hangs does not delay the others. */
    async dispose(): Promise<void> {
      await Promise.all(
        inOrder.map((one) => caller.callWithin(one, "dispose", DISPOSE_DEADLINE_MS, () => one.dispose?.())),
      );
    },
  };
}

/** What a request shows, by three hooks in one call of the host, which share its time limit. Never rejects. */
export async function askForView({ ask, limit: limitOf }: Dispatcher, request: ContextRequest) {
  const limit = limitOf("context");
  const { messages } = request.history;
  await ask("takenBack", request, undefined, limit);
  if (!request.isCompaction && messages.some(isSummary)) await ask("compacted", request, undefined, limit);
  return ask("context", request, messages, limit);
}

interface Question<H extends HookName> {
  input: HookInput<H>;
  value: HookValue<H>;
  limit: TimeLimit;
}

async function askLayers<H extends HookName>(asking: Asking, hook: H, { input, limit, value }: Question<H>) {
  const { callLayer, complain, fail, inOrder, isFork, onCalled, passOver, rules } = asking;
  const rule: HookRule<HookInput<H>, HookValue<H>> = rules[hook];
  const sessionID = findSession(input);
  const inFork = sessionID !== undefined && isFork(sessionID);
  let current = value;

  /** What a hook's rule says of the host's own objects, which may have any shape; `undefined` when it throws. */
  function guarded<T>(ask: () => T): T | undefined {
    try {
      return ask();
    } catch (thrown) {
      complain("the rule", hook, `failed: ${formatError(thrown)}`);
      return undefined;
    }
  }

  for (const layer of inOrder) {
    if (inFork && !layer.servesForks?.includes(hook)) continue;
    const handler = layer.handlers[hook];
    if (!handler) continue;
    if (layer.isLastResort && guarded(() => rule.isEnough?.(input, current))) continue;
    const calling = callLayer(layer, hook, limit, (signal) => handler(input, current, signal));
    // Most layers answer most hooks at once: with a wait for each, the host's other work would come in between.
    const called = isPromise(calling) ? await calling : calling;
    if (!called || (called.answer !== undefined && !rule.accepts(called.answer))) {
      if (called) fail(layer, hook, `returned an invalid answer (${describe(called.answer)})`);
      passOver(layer, hook, input);
      current = guarded(() => rule.withoutAnswer?.(input, current)) ?? current;
      continue;
    }
    const { answer } = called as { answer: HookValue<H> | undefined };
    onCalled({ layer: layer.name, hook, outcome: answer === undefined ? "passed" : "answered" });
    if (answer === undefined) continue;
    current = answer;
    if (rule.isFinal?.(current)) break;
  }
  return current;
}

function describe(answer: unknown): string {
  if (answer === null) return "null";
  if (Array.isArray(answer)) return `a list of ${answer.length}`;
  return typeof answer === "object" ? "an object" : typeof answer;
}

/*
 * Asks one layer at a time, within its time limit. A layer that overran is not asked again at that hook until its call
 * has returned.
 */

/** The answer of a layer, possibly empty; `undefined` if the layer failed, overran or was not asked. */
type Answered = { answer: unknown } | undefined;
type Answering = Answered | Promise<Answered>;

type Run = (signal: AbortSignal) => unknown;

function createLayerCaller(options: Required<Omit<DispatcherOptions, "isFork" | "layers">>) {
  const { clock, log, onCalled, rules } = options;
  const stuck = new Set<string>();

  return {
    /** Asks within the layer's own limit and the rest of the hook's. Never throws or rejects. */
    callLayer(layer: Layer, hook: HookName, limit: TimeLimit, run: Run): Answering {
      const { deadlineMs, isNotice } = rules[hook];
      const ownMs = layer.withinMs?.[hook] ?? deadlineMs;
      if (layer.isIndispensable) {
        const beganMs = clock.now();
        const called = callWithin(layer, hook, ownMs, run);
        if (!isPromise(called)) return called;
        return called.finally(() => limit.add(clock.now() - beganMs));
      }
      if (stuck.has(nameOf(layer, hook))) return undefined;
      const leftMs = limit.leftMs();
      if (leftMs > 0) return callWithin(layer, hook, Math.min(ownMs, leftMs), run);
      if (isNotice) {
        void callWithin(layer, hook, ownMs, run);
        return { answer: undefined };
      }
      fail(layer, hook, `was not asked: all layers together had used up their ${limit.totalMs} ms`);
      return undefined;
    },

    callWithin,

    /** Tells the layer that its answer does not count. */
    passOver<H extends HookName>(layer: Layer, hook: H, input: HookInput<H>): void {
      try {
        (layer.passedOver?.[hook] as ((input: HookInput<H>) => void) | undefined)?.(input);
      } catch (thrown) {
        fail(layer, hook, `failed: ${formatError(thrown)}`);
      }
    },

    fail,
    complain,
  };

  /** Asks within this limit, even if an earlier call hangs. Never throws or rejects. */
  function callWithin(layer: Layer, hook: string, deadlineMs: number, run: Run): Answering {
    let hasEnded = false;
    const waited = waitAtMost(clock, deadlineMs, run, () => {
      hasEnded = true;
      stuck.delete(nameOf(layer, hook));
    });
    return isPromise(waited) ? waited.then(take) : take(waited);

    function take(outcome: Waited<unknown>): Answered {
      if (outcome.kind === "done") return { answer: outcome.value };
      if (outcome.kind === "overran") {
        // A call that ends as it is aborted has ended by now.
        if (!hasEnded) stuck.add(nameOf(layer, hook));
        fail(layer, hook, "did not answer in time and is left out until it does");
      } else {
        fail(layer, hook, `failed: ${formatError(outcome.thrown)}`);
      }
      return undefined;
    }
  }

  function fail({ name }: Layer, hook: string, why: string): void {
    onCalled({ layer: name, hook, outcome: "failed", why });
    complain(`layer ${name}`, hook, why);
  }

  function complain(who: string, hook: string, what: string): void {
    log.error("dispatcher", `${who} at hook ${hook} ${what}; the turn continues without it`);
  }
}

const nameOf = (layer: Layer, hook: string): string => `${layer.name} ${hook}`;

type TimeLimit = ReturnType<typeof createTimeLimit>;

/** Remaining time that one call of the host may take, over all its hooks and layers. */
function createTimeLimit(clock: Clock, totalMs: number) {
  let endMs = clock.now() + totalMs;
  return {
    totalMs,
    /** Milliseconds, never below 0. */
    leftMs: (): number => Math.max(0, endMs - clock.now()),
    /** Adds time that does not count. */
    add(ms: number): void {
      endMs += ms;
    },
  };
}
