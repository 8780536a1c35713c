/** Binds each hook of the dispatcher to the host's own, one row each. Hooks no layer hears are not registered. */
import type { Hooks } from "@opencode-ai/plugin";
import type { HookName } from "../dispatcher/hooks.js";
import type { Strata } from "../strata.js";
import type { Message } from "../view/message.js";

type Row<N extends keyof Hooks> = { hook: HookName; name: N; answer: NonNullable<Hooks[N]> };

export function bindHooks({ dispatcher, dispose, requests }: Strata): Hooks {
  const rows = [
    row("context", "experimental.chat.messages.transform", (_input, output) =>
      dispatcher.serve("context", {
        read() {
          // A copy: the layers look at what the host has, and the host's own list is written to.
          const messages: readonly Message[] = [...output.messages];
          const input = requests.open(messages);
          return input && { input, value: messages };
        },
        write: (view) => writeInPlace(output.messages as Message[], view),
      }),
    ),
    row("compacting", "experimental.session.compacting", ({ sessionID }, output) =>
      dispatcher.serve("compacting", {
        read: () => ({ input: { sessionID }, value: output.prompt }),
        write(prompt) {
          if (prompt !== undefined) output.prompt = prompt;
        },
      }),
    ),
    row("modelWindow", "chat.params", ({ model }, output) =>
      dispatcher.serve("modelWindow", {
        read: () => ({ input: readWindow(model, output.maxOutputTokens), value: undefined }),
        write: () => undefined,
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
        read: () => ({
          input: { type: given.event.type, properties: given.event.properties },
          value: undefined,
        }),
        write: () => undefined,
      }),
    ),
  ];
  const heard = rows.filter(({ hook }) => dispatcher.hears(hook));
  return { ...Object.fromEntries(heard.map(({ name, answer }) => [name, answer])), dispose };
}

/** Ties a name of the host's to its type. */
function row<N extends keyof Hooks>(hook: HookName, name: N, answer: NonNullable<Hooks[N]>): Row<N> {
  return { hook, name, answer };
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
