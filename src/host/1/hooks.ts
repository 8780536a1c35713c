/**
 * Binds each dispatcher hook to a host hook, one row each. Hooks without a listening layer are not registered. Layers
 * hear nothing about our own sessions.
 */
import type { Hooks } from "@opencode-ai/plugin";
import { StrataError } from "../../base/error.js";
import type { ContextRequest } from "../../context/request.js";
import { isForPeopleOnly, type Message } from "../../io/message.js";
import type { Exchange } from "../../kernel/dispatcher.js";
import { findRefusal, type HookName } from "../../kernel/hooks.js";
import type { Beat, Pulse } from "../../kernel/pulse.js";
import { isSummary } from "../../messages/history.js";
import type { Strata } from "../../strata.js";
import { readPrices } from "../prices.js";
import { noteSign } from "../signs.js";
import { bindTools, defineTools } from "../tools.js";
import type { OpenCodeHost } from "./opencode.js";
import { isOwnAgent } from "./own-sessions.js";
import { createSlashCommands, type SlashCommands } from "./slash-commands.js";

type Row<N extends keyof Hooks> = { hook: HookName; name: N; answer: NonNullable<Hooks[N]> };

type Bound = Pick<OpenCodeHost, "forkSessions" | "liveConfig" | "ownSessions" | "show" | "titles">;

/** Dependencies of the rows. */
interface Binding extends Pick<Strata, "dispatcher" | "pulse" | "requests"> {
  host: Bound;
  slashCommands: SlashCommands;
}

export function bindHooks(
  { clock, config, dispatcher, dispose, log, pulse, requests, toasts }: Strata,
  host: Bound,
): Hooks {
  const { liveConfig } = host;
  const slashCommands = createSlashCommands({
    commands: dispatcher.commands,
    clock,
    log,
    show: host.show,
    toast: (text) => toasts.show(text, "info"),
  });
  const withAgent = config.background.enabled !== false;
  // Needed whichever hooks the layers listen to: commands are answered, and our own sessions are kept within bounds.
  const ofOwnSessions: readonly HookName[] = withAgent ? BOUNDING : [];
  const isOurs = (hook: HookName): boolean =>
    hook === "command" || hook === "turn" || ofOwnSessions.includes(hook);
  const rows = listRows({
    ...{ dispatcher, pulse, requests, host, slashCommands },
  });
  const heard = rows.filter(({ hook }) => isOurs(hook) || dispatcher.hears(hook));
  pulse.bind(["config", ...heard.map(({ hook }) => hook)]);
  return {
    ...Object.fromEntries(heard.map(({ name, hook, answer }) => [name, withPulse(answer, hook, pulse)])),
    ...(dispatcher.tools.length > 0 && {
      tool: bindTools(dispatcher.tools, { clock, log }),
      "tool.definition": defineTools(dispatcher.tools),
    }),
    config: async (live) => {
      pulse.beat("config");
      liveConfig.take(live, { withAgent });
      slashCommands.register(live);
    },
    dispose,
  };
}

function listRows(binding: Binding) {
  return [
    row("context", "experimental.chat.messages.transform", (_input, output) =>
      answerContext(binding, output as { messages: Message[] }),
    ),
    row("compacting", "experimental.session.compacting", ({ sessionID }, output) =>
      binding.dispatcher.serve("compacting", {
        read: () => ({ input: { sessionID }, value: output.prompt }),
        write(prompt) {
          if (prompt !== undefined) output.prompt = prompt;
        },
      }),
    ),
    bindTurn(binding),
    bindCommand(binding),
    bindModelWindow(binding),
    bindToolArguments(binding),
    bindEvent(binding),
  ];
}

/** Serves three dispatcher hooks in one host call; they share its time limit. */
async function answerContext(
  { dispatcher, host, requests }: Binding,
  output: { messages: Message[] },
): Promise<void> {
  let input: ContextRequest | undefined;
  const limit = dispatcher.limit("context");
  const takenBack: Exchange<"takenBack"> = {
    read() {
      const { messages } = output;
      if (isOwnRequest(messages)) return undefined;
      host.titles.close(messages[0]?.info.sessionID ?? "");
      // A copy, because the host's own list is overwritten below.
      input = requests.open(messages.filter((one) => !isForPeopleOnly(one)));
      return input && { input, value: undefined };
    },
    write: () => undefined,
  };
  const compacted: Exchange<"compacted"> = {
    read: () => (input && hasSummary(input) ? { input, value: undefined } : undefined),
    write: () => undefined,
  };
  const context: Exchange<"context"> = {
    read: () => input && { input, value: input.history.messages },
    write: (view) => writeInPlace(output.messages, view),
  };
  await dispatcher.serve("takenBack", takenBack, limit);
  await dispatcher.serve("compacted", compacted, limit);
  await dispatcher.serve("context", context, limit);
}

function bindTurn({ dispatcher, host: { titles } }: Binding) {
  return row("turn", "chat.message", async ({ agent, sessionID }, { message: info, parts }) => {
    const isTurn = !isOwnAgent(agent) && !isForPeopleOnly({ info, parts } as Message);
    if (isTurn) await titles.open(sessionID, info.id);
    await dispatcher.serve("turn", {
      read: () => (isTurn ? { input: { sessionID }, value: undefined } : undefined),
      write: () => undefined,
    });
  });
}

function bindCommand({ dispatcher, slashCommands }: Binding) {
  return row("command", "command.execute.before", async (call, { parts }) => {
    // Our own commands are answered by throwing (see slash-commands.ts), so the dispatcher gets only the others.
    await slashCommands.answer(call, parts);
    await dispatcher.serve("command", {
      read() {
        const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
        return { input: { sessionID: call.sessionID, texts }, value: undefined };
      },
      write: () => undefined,
    });
  });
}

function bindModelWindow({ dispatcher, host: { ownSessions } }: Binding) {
  return row("modelWindow", "chat.params", ({ agent, model, sessionID }, output) => {
    const most = ownSessions.findAnswerLimit(sessionID);
    if (most !== undefined) output.maxOutputTokens = Math.min(most, output.maxOutputTokens ?? most);
    return dispatcher.serve("modelWindow", {
      read() {
        if (isOwnAgent(agent)) return undefined;
        const prices = readPrices(model.cost);
        const window = readWindow(model, output.maxOutputTokens);
        return { input: { sessionID, ...window, ...(prices && { prices }) }, value: undefined };
      },
      write: () => undefined,
    });
  });
}

function bindToolArguments({ dispatcher, host: { ownSessions } }: Binding) {
  return row("toolArguments", "tool.execute.before", async (input, output) => {
    if (ownSessions.has(input?.sessionID)) throw new StrataError("EREFUSED", "this session has no tools");
    let refusal: string | undefined;
    await dispatcher.serve("toolArguments", {
      read: () => ({
        input: { tool: input.tool, sessionID: input.sessionID, callID: input.callID },
        value: output.args as Record<string, unknown>,
      }),
      write(args) {
        refusal = findRefusal(args);
        // The host runs the tool with the object it passed in and ignores a replaced `output.args`.
        if (refusal === undefined) Object.assign(output.args, args);
      },
    });
    // Thrown on purpose: the host then skips the tool and shows the message to the model.
    if (refusal !== undefined) throw new StrataError("EREFUSED", refusal);
  });
}

function bindEvent({ dispatcher, host, pulse, slashCommands }: Binding) {
  const { forkSessions, ownSessions, titles } = host;
  return row("event", "event", (given) =>
    dispatcher.serve("event", {
      read() {
        const { type, properties } = given.event;
        forkSessions.notice(type, properties);
        noteSign(type, properties, pulse);
        slashCommands.notice(type, properties);
        if (type === "session.idle" && typeof properties?.sessionID === "string")
          titles.close(properties.sessionID);
        if (ownSessions.notice(type, properties) || !dispatcher.hearsEvent(type)) return undefined;
        return { input: { type, properties }, value: undefined };
      },
      write: () => undefined,
    }),
  );
}

/** Hooks that bound our own sessions: their tool calls and the length of their answers. */
const BOUNDING: readonly HookName[] = ["toolArguments", "modelWindow"];

/** Counts the host's calls of this hook. */
function withPulse<N extends keyof Hooks>(answer: Row<N>["answer"], hook: Beat, pulse: Pulse) {
  return (...given: unknown[]): unknown => {
    pulse.beat(hook);
    return (answer as (...given: unknown[]) => unknown)(...given);
  };
}

/** Whether the request belongs to one of our own sessions. */
function isOwnRequest(messages: readonly { info: { role: string; agent?: unknown } }[]): boolean {
  return isOwnAgent(messages.findLast(({ info }) => info.role === "user")?.info.agent);
}

/** Ties a host hook's name to the type of its answer. */
function row<N extends keyof Hooks>(hook: HookName, name: N, answer: NonNullable<Hooks[N]>): Row<N> {
  return { hook, name, answer };
}

/** Whether the request's history contains a summary by the host. */
function hasSummary({ history, isCompaction }: ContextRequest): boolean {
  return !isCompaction && history.messages.some(isSummary);
}

/** The model's window, with the host's output limit where it sets one. */
function readWindow({ id, providerID, limit }: Model, maxOutputTokens: number | undefined) {
  const window = {
    contextTokens: limit.context,
    outputTokens: maxOutputTokens ?? limit.output,
    ...("input" in limit && typeof limit.input === "number" && { inputTokens: limit.input }),
  };
  return { model: { providerID, modelID: id }, window };
}

type Model = Parameters<NonNullable<Hooks["chat.params"]>>[0]["model"];

/** The host keeps using its own array and ignores a new one. */
function writeInPlace(messages: Message[], view: readonly Message[]): void {
  for (const [index, message] of view.entries()) {
    if (messages[index] !== message) messages[index] = message;
  }
  messages.length = view.length;
}
