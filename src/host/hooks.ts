/**
 * Binds each hook of the dispatcher to the host's own, one row each. Hooks no layer hears are not registered. What
 * goes on in sessions of our own does not reach the layers.
 */
import type { Hooks } from "@opencode-ai/plugin";
import { findRefusal, type HookName, heardEvents } from "../dispatcher/hooks.js";
import { StrataError } from "../error.js";
import type { Strata } from "../strata.js";
import { isSummary } from "../view/history.js";
import type { Message } from "../view/message.js";
import type { ContextRequest } from "../view/request.js";
import type { OpenCodeHost } from "./opencode.js";
import { isOwnAgent } from "./own-sessions.js";
import { bindTools } from "./tools.js";

type Row<N extends keyof Hooks> = { hook: HookName; name: N; answer: NonNullable<Hooks[N]> };

export function bindHooks(
  { clock, config, dispatcher, dispose, log, requests }: Strata,
  {
    forkSessions,
    liveConfig,
    ownSessions,
  }: Pick<OpenCodeHost, "forkSessions" | "liveConfig" | "ownSessions">,
): Hooks {
  const rows = [
    row("context", "experimental.chat.messages.transform", async (_input, output) => {
      let input: ContextRequest | undefined;
      await dispatcher.serve("compacted", {
        read() {
          if (isOwnRequest(output.messages)) return undefined;
          // A copy: the layers look at what the host has, and the host's own list is written to.
          input = requests.open([...(output.messages as Message[])]);
          return input && hasSummary(input) ? { input, value: undefined } : undefined;
        },
        write: () => undefined,
      });
      await dispatcher.serve("context", {
        read: () => input && { input, value: input.history.messages },
        write: (view) => writeInPlace(output.messages as Message[], view),
      });
    }),
    row("compacting", "experimental.session.compacting", ({ sessionID }, output) =>
      dispatcher.serve("compacting", {
        read: () => ({ input: { sessionID }, value: output.prompt }),
        write(prompt) {
          if (prompt !== undefined) output.prompt = prompt;
        },
      }),
    ),
    row("turn", "chat.message", ({ agent, sessionID }) =>
      dispatcher.serve("turn", {
        read: () => (isOwnAgent(agent) ? undefined : { input: { sessionID }, value: undefined }),
        write: () => undefined,
      }),
    ),
    row("modelWindow", "chat.params", ({ agent, model, sessionID }, output) =>
      dispatcher.serve("modelWindow", {
        read() {
          if (isOwnAgent(agent)) return undefined;
          return { input: { sessionID, ...readWindow(model, output.maxOutputTokens) }, value: undefined };
        },
        write: () => undefined,
      }),
    ),
    row("toolArguments", "tool.execute.before", async (input, output) => {
      let refusal: string | undefined;
      await dispatcher.serve("toolArguments", {
        read: () => ({
          input: { tool: input.tool, sessionID: input.sessionID, callID: input.callID },
          value: output.args as Record<string, unknown>,
        }),
        write(args) {
          refusal = findRefusal(args);
          // The host runs the tool with the object it passed in, whatever stands in `output.args` afterwards.
          if (refusal === undefined) Object.assign(output.args, args);
        },
      });
      // The one exception a hook of ours lets out: it is how the host is told not to run the tool, and what the model reads.
      if (refusal !== undefined) throw new StrataError("EREFUSED", refusal);
    }),
    row("event", "event", (given) =>
      dispatcher.serve("event", {
        read() {
          const { type, properties } = given.event;
          forkSessions.notice(type, properties);
          if (ownSessions.notice(type, properties) || !heardEvents.has(type)) return undefined;
          return { input: { type, properties }, value: undefined };
        },
        write: () => undefined,
      }),
    ),
  ];
  const heard = rows.filter(({ hook }) => dispatcher.hears(hook));
  return {
    ...Object.fromEntries(heard.map(({ name, answer }) => [name, answer])),
    ...(dispatcher.tools.length > 0 && { tool: bindTools(dispatcher.tools, { clock, log }) }),
    config: async (live) => liveConfig.take(live, { withAgent: config.background.enabled !== false }),
    dispose,
  };
}

/** Does the request belong to a session of our own? */
function isOwnRequest(messages: readonly { info: { role: string; agent?: unknown } }[]): boolean {
  return isOwnAgent(messages.findLast(({ info }) => info.role === "user")?.info.agent);
}

/** Ties a name of the host's to its type. */
function row<N extends keyof Hooks>(hook: HookName, name: N, answer: NonNullable<Hooks[N]>): Row<N> {
  return { hook, name, answer };
}

/** Does the request go on from a summary of the host's? */
function hasSummary({ history, isCompaction }: ContextRequest): boolean {
  return !isCompaction && history.messages.some(isSummary);
}

/** The host's own limit on an answer counts where it is lower than the model's. */
function readWindow({ id, providerID, limit }: Model, maxOutputTokens: number | undefined) {
  const window = {
    contextTokens: limit.context,
    outputTokens: maxOutputTokens ?? limit.output,
    ...("input" in limit && typeof limit.input === "number" && { inputTokens: limit.input }),
  };
  return { model: { providerID, modelID: id }, window };
}

type Model = Parameters<NonNullable<Hooks["chat.params"]>>[0]["model"];

/** The host goes on with its own array: a new one would be ignored. */
function writeInPlace(messages: Message[], view: readonly Message[]): void {
  for (const [index, message] of view.entries()) {
    if (messages[index] !== message) messages[index] = message;
  }
  messages.length = view.length;
}
