/**
 * Calls the layers of a hook, from cheap to expensive, and combines their answers into one.
 *
 * Together with hearing.ts it has the only deadline and the only catch-all of the program. Each layer has its time limit,
 * and each hook has one for all its layers. A layer that throws, overruns or returns an invalid answer counts as having
 * passed: the next layer sees the value so far, and the user's turn continues. A call that never returns costs one
 * deadline, not one per request.
 */
import { formatError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { Log } from "../io/log.js";
import { createHearing } from "./hearing.js";
import type { HookInput, HookName, HookRule, HookRules, HookValue } from "./hooks.js";
import { findSession, heardEvents, hookRules } from "./hooks.js";
import type { Layer } from "./layer.js";
import type { Heard } from "./pulse.js";
import type { SlashCommand } from "./slash-command.js";
import { createTimeLimit, type TimeLimit } from "./time-limit.js";
import type { Tool } from "./tool.js";

export interface Dispatcher {
  /**
   * Handles one call of the host: reads its input, asks the layers, and writes back their answer, if any. Never rejects,
   * even if the host's objects are not as expected. Asks no layer if `read` returns `undefined`.
   */
  serve<H extends HookName>(hook: H, exchange: Exchange<H>, limit?: TimeLimit): Promise<void>;
  /** Never rejects. Resolves with `value` itself if every layer passed. */
  ask<H extends HookName>(
    hook: H,
    input: HookInput<H>,
    value: HookValue<H>,
    limit?: TimeLimit,
  ): Promise<HookValue<H>>;
  /** Time limit of this hook, shared by all hooks that run in the same call of the host. */
  limit(hook: HookName): TimeLimit;
  /** Tools of all layers, for the agent. */
  readonly tools: readonly Tool[];
  /** Commands of all layers, for people. */
  readonly commands: readonly SlashCommand[];
  /** Does any layer handle this hook? */
  hears(hook: HookName): boolean;
  /** Does any layer hear of events of this type? */
  hearsEvent(type: string): boolean;
  /** Resolves when no layer has work left in the background. Never rejects. */
  onIdle(): Promise<void>;
  /** Disposes every layer. A layer that fails or hangs does not delay the others. */
  dispose(): Promise<void>;
}

/** The host's side of one call. */
export interface Exchange<H extends HookName> {
  read(): { input: HookInput<H>; value: HookValue<H> } | undefined;
  /** Called only if the value differs from the one that was read. */
  write(value: HookValue<H>): void;
}

export interface DispatcherOptions {
  layers: readonly Layer[];
  clock: Clock;
  log: Log;
  /** Is the session a fork made by Strata? Only layers that serve forks are asked about it. */
  isFork?: (sessionID: string) => boolean;
  /** Called with the outcome of each layer that was asked. */
  onHeard?: (heard: Heard) => void;
  /** Replaced in tests only. */
  rules?: HookRules;
}

const DISPOSE_DEADLINE_MS = 2_000;

/** By phase; within one as listed. */
const orderLayers = (layers: readonly Layer[]): readonly Layer[] =>
  ["before", undefined, "after"].flatMap((phase) => layers.filter((layer) => layer.phase === phase));

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { layers, clock, log, isFork = () => false, onHeard = () => {}, rules = hookRules } = options;
  const inOrder = orderLayers(layers);
  const events = new Set([...heardEvents, ...layers.flatMap((layer) => layer.events ?? [])]);
  const { complain, fail, hear, hearWithin, passOver } = createHearing({ clock, log, rules, onHeard });

  return {
    ask,
    tools: inOrder.flatMap(({ tools = [] }) => tools),
    commands: inOrder.flatMap(({ commands = [] }) => commands),

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

    hears: (hook) => inOrder.some((layer) => layer.handlers[hook] !== undefined),
    hearsEvent: (type) => events.has(type),

    async onIdle() {
      await Promise.all(inOrder.map((layer) => layer.onIdle?.()));
    },

    async dispose() {
      await Promise.all(
        inOrder.map(async (layer) =>
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
    for (const layer of inOrder) {
      if (inFork && !layer.servesForks?.includes(hook)) continue;
      const handler = layer.handlers[hook];
      if (!handler) continue;
      const isSpared = layer.isLastResort === true && rule.combine === "until";
      if (isSpared && guarded(hook, () => rule.isEnough?.(input, current))) continue;
      const heard = await hear(layer, hook, limit, (signal) => handler(input, current, signal));
      if (!heard || (heard.answer !== undefined && !rule.accepts(heard.answer))) {
        if (heard) fail(layer, hook, `returned an invalid answer (${describe(heard.answer)})`);
        passOver(layer, hook, input);
        current = guarded(hook, () => rule.withoutAnswer?.(input, current)) ?? current;
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

  /** What a hook's rule says of the host's own objects, which may have any shape; `undefined` when it throws. */
  function guarded<T>(hook: HookName, ask: () => T): T | undefined {
    try {
      return ask();
    } catch (thrown) {
      complain("the rule", hook, `failed: ${formatError(thrown)}`);
      return undefined;
    }
  }
}

function describe(answer: unknown): string {
  if (answer === null) return "null";
  if (Array.isArray(answer)) return `a list of ${answer.length}`;
  return typeof answer === "object" ? "an object" : typeof answer;
}
