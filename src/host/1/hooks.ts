/**
 * Binds each dispatcher hook to a host hook, one row each. Hooks without a listening layer are not registered. Layers
 * learn nothing about our own child sessions.
 */
import type { Hooks } from "@opencode-ai/plugin";
import { StrataError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import type { ContextRequest } from "../../context/request.js";
import type { Clock } from "../../io/clock.js";
import type { Log } from "../../io/log.js";
import { isForPeopleOnly, type Message } from "../../io/message.js";
import type { Calls, HostCall } from "../../kernel/calls.js";
import type { Exchange } from "../../kernel/dispatcher.js";
import { findRefusal, type HookName } from "../../kernel/hooks.js";
import type { SlashCommand } from "../../kernel/layer.js";
import { isSummary } from "../../messages/history.js";
import type { Strata } from "../../strata.js";
import { answerCommand, bindTools, defineTools } from "../commands-and-tools.js";
import { noteSign, readPrices } from "../readings.js";
import type { OpenCodeHost } from "./opencode.js";
import { isOwnAgent } from "./plugin-sessions.js";

type Row<N extends keyof Hooks> = { hook: HookName; name: N; answer: NonNullable<Hooks[N]> };

type Bound = Pick<OpenCodeHost, "liveConfig" | "sessions" | "show">;

/** Dependencies of the rows. */
interface Binding extends Pick<Strata, "dispatcher" | "calls" | "requests"> {
  host: Bound;
  slashCommands: SlashCommands;
}

export function bindHooks(
  { clock, config, dispatcher, dispose, log, calls, requests, toasts }: Strata,
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
    ...{ dispatcher, calls, requests, host, slashCommands },
  });
  const bound = rows.filter(({ hook }) => isOurs(hook) || dispatcher.handles(hook));
  calls.bind(["config", ...bound.map(({ hook }) => hook)]);
  return {
    ...Object.fromEntries(bound.map(({ name, hook, answer }) => [name, counted(answer, hook, calls)])),
    ...(dispatcher.tools.length > 0 && {
      tool: bindTools(dispatcher.tools, { clock, log }),
      "tool.definition": defineTools(dispatcher.tools),
    }),
    config: async (live) => {
      calls.count("config");
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
  { dispatcher, requests }: Binding,
  output: { messages: Message[] },
): Promise<void> {
  let input: ContextRequest | undefined;
  const limit = dispatcher.limit("context");
  const takenBack: Exchange<"takenBack"> = {
    read() {
      const { messages } = output;
      if (isOwnRequest(messages)) return undefined;
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

function bindTurn({ dispatcher }: Binding) {
  return row("turn", "chat.message", ({ agent, sessionID }, { message: info, parts }) =>
    dispatcher.serve("turn", {
      read() {
        const isTurn = !isOwnAgent(agent) && !isForPeopleOnly({ info, parts } as Message);
        return isTurn ? { input: { sessionID }, value: undefined } : undefined;
      },
      write: () => undefined,
    }),
  );
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

function bindModelWindow({ dispatcher, host: { sessions } }: Binding) {
  return row("modelWindow", "chat.params", ({ agent, model, sessionID }, output) => {
    const most = sessions.findAnswerLimit(sessionID);
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

function bindToolArguments({ dispatcher, host: { sessions } }: Binding) {
  return row("toolArguments", "tool.execute.before", async (input, output) => {
    if (sessions.isChild(input?.sessionID)) throw new StrataError("EREFUSED", "this session has no tools");
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

function bindEvent({ dispatcher, host, calls, slashCommands }: Binding) {
  return row("event", "event", (given) =>
    dispatcher.serve("event", {
      read() {
        const { type, properties } = given.event;
        const isChild = host.sessions.notice(type, properties);
        noteSign(type, properties, calls);
        slashCommands.notice(type, properties);
        if (isChild || !dispatcher.handlesEvent(type)) return undefined;
        return { input: { type, properties }, value: undefined };
      },
      write: () => undefined,
    }),
  );
}

/** Hooks that bound our own sessions: their tool calls and the length of their answers. */
const BOUNDING: readonly HookName[] = ["toolArguments", "modelWindow"];

/** Counts the host's calls of this hook. */
function counted<N extends keyof Hooks>(answer: Row<N>["answer"], hook: HostCall, calls: Calls) {
  return (...given: unknown[]): unknown => {
    calls.count(hook);
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

/*
 * Slash commands answered at once, without a model call (measured with OpenCode 1.18.33):
 *
 *     config                    adds the command to the host's list, unless the user has one of that name
 *     command.execute.before    adds the answer to the session as a message that is shown but not sent (`noReply`,
 *                               `ignored`), then throws, which ends the command before it becomes a turn
 *
 * The TUI shows the answer and not the exception; an HTTP client gets a 500 and finds the answer among the messages.
 * During a turn a new message would make the host call the model once more, so the answer waits for the turn's end.
 */

export interface SlashCommands {
  /** Adds the commands to the host's configuration. Never throws. */
  register(config: unknown): void;
  /** Answers one of our commands by throwing `CommandAnswered`. Returns if it is not ours or cannot be shown. */
  answer(call: CommandCall, parts: unknown[]): Promise<void>;
  /** Tracks which sessions are busy. */
  notice(type: string, properties: unknown): void;
}

export interface CommandCall {
  command: string;
  sessionID: string;
  arguments: string;
}

export interface SlashCommandsOptions {
  commands: readonly SlashCommand[];
  clock: Clock;
  log: Log;
  /** Adds a message to the session that is shown but not sent. Returns whether it succeeded. */
  show(sessionID: string, text: string): Promise<boolean>;
  toast(text: string): void;
}

/** Thrown to end an answered command; not an error. */
export class CommandAnswered extends Error {
  override readonly name = "CommandAnswered";
  constructor(command: string) {
    super(`[Strata] /${command} was answered without a model call. This is not an error.`);
  }
}

export function createSlashCommands({
  commands,
  clock,
  log,
  show,
  toast,
}: SlashCommandsOptions): SlashCommands {
  const registered = new Map<string, SlashCommand>();
  const busy = new Set<string>();
  const waiting = new Map<string, string[]>();

  return {
    register(config) {
      if (!isRecord(config)) return;
      const users = isRecord(config.command) ? config.command : {};
      const added: Record<string, unknown> = {};
      for (const command of commands) {
        if (users[command.name] !== undefined) continue;
        registered.set(command.name, command);
        added[command.name] = { template: "$ARGUMENTS", description: command.description };
      }
      if (Object.keys(added).length > 0) Reflect.set(config, "command", { ...users, ...added });
    },

    async answer({ arguments: words, command: name, sessionID }, parts) {
      const command = registered.get(name);
      if (!command) return;
      const text = await answerCommand({ clock, log }, command, { sessionID, words });
      if (busy.has(sessionID)) {
        waiting.set(sessionID, [...(waiting.get(sessionID) ?? []), text]);
        toast(`the answer to /${name} appears when this turn ends.`);
        throw new CommandAnswered(name);
      }
      if (await show(sessionID, text)) throw new CommandAnswered(name);
      log.warn("commands", `the host did not show the answer to /${name}; asking the model to repeat it`);
      const request = `Repeat this to the user word for word, and do nothing else:\n\n${text}`;
      parts.splice(0, parts.length, { type: "text", text: request });
    },

    notice(type, properties) {
      if (!isRecord(properties) || typeof properties.sessionID !== "string") return;
      const { sessionID, status } = properties;
      if (type === "session.status" && isRecord(status) && status.type !== "idle") busy.add(sessionID);
      if (type !== "session.idle" && type !== "session.deleted") return;
      busy.delete(sessionID);
      const texts = waiting.get(sessionID);
      waiting.delete(sessionID);
      if (texts && type === "session.idle") void show(sessionID, texts.join("\n\n"));
    },
  };
}
