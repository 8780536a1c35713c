/**
 * Binds each hook of the dispatcher to the host's own, one row each. Hooks no layer hears are not registered. What
 * goes on in sessions of our own does not reach the layers.
 */
import type { Hooks } from "@opencode-ai/plugin";
import type { HookName } from "../dispatcher/hooks.js";
import type { Strata } from "../strata.js";
import type { Message } from "../view/message.js";
import type { OpenCodeHost } from "./opencode.js";
import { isOwnAgent } from "./own-sessions.js";

type Row<N extends keyof Hooks> = { hook: HookName; name: N; answer: NonNullable<Hooks[N]> };

export function bindHooks(
  { config, dispatcher, dispose }: Strata,
  { liveConfig, ownSessions }: Pick<OpenCodeHost, "liveConfig" | "ownSessions">,
): Hooks {
  const rows = [
    row("context", "experimental.chat.messages.transform", (_input, output) =>
      dispatcher.serve("context", {
        read() {
          const messages: readonly Message[] = output.messages;
          const sessionID = messages[0]?.info.sessionID;
          if (sessionID === undefined || isOwnRequest(output.messages)) return undefined;
          return { input: { sessionID, budgetTokens: config.autoCompact.threshold }, value: messages };
        },
        write: (view) => writeInPlace(output.messages as Message[], view),
      }),
    ),
    row("toolArguments", "tool.execute.before", (input, output) =>
      dispatcher.serve("toolArguments", {
        read: () => ({
          input: { tool: input.tool, sessionID: input.sessionID, callID: input.callID },
          value: output.args as Record<string, unknown>,
        }),
        // The host runs the tool with the object it passed in, whatever stands in `output.args` afterwards.
        write: (args) => void Object.assign(output.args, args),
      }),
    ),
    row("event", "event", (given) =>
      dispatcher.serve("event", {
        read() {
          const { type, properties } = given.event;
          if (ownSessions.notice(type, properties)) return undefined;
          return { input: { type, properties }, value: undefined };
        },
        write: () => undefined,
      }),
    ),
  ];
  const heard = rows.filter(({ hook }) => dispatcher.hears(hook));
  return {
    ...Object.fromEntries(heard.map(({ name, answer }) => [name, answer])),
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

/** The host goes on with its own array: a new one would be ignored. */
function writeInPlace(messages: Message[], view: readonly Message[]): void {
  for (const [index, message] of view.entries()) {
    if (messages[index] !== message) messages[index] = message;
  }
  messages.length = view.length;
}
