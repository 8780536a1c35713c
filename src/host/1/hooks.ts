/**
 * Binds each dispatcher hook to a host hook. Hooks without a listening layer are not registered. Layers
 * learn nothing about our own child sessions.
 */
import type { Hooks } from "@opencode-ai/plugin";
import { StrataError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { isForPeopleOnly, type Message } from "../../io/message.js";
import { askForView } from "../../kernel/dispatcher.js";
import { findRefusal, type HookName } from "../../kernel/hooks.js";
import type { SlashCommand } from "../../kernel/layer.js";
import type { Strata } from "../../strata.js";
import { answerCommand, bindTools, createAnswers, defineTools } from "../commands-and-tools.js";
import { isToolEnd, noteSign, readPrices } from "../readings.js";
import type { OpenCodeHost } from "./opencode.js";
import { isOwnAgent } from "./plugin-sessions.js";

type Bound = Pick<OpenCodeHost, "liveConfig" | "sessions" | "shortened" | "show">;

/** What the rows work with. */
interface Binding extends Pick<Strata, "calls" | "dispatcher" | "looks" | "requests"> {
  host: Bound;
  slashCommands: ReturnType<typeof createSlashCommands>;
}

type Given<N extends keyof Hooks> = Parameters<Extract<Hooks[N], (...given: never[]) => unknown>>;

type Row<N extends keyof Hooks> = (binding: Binding, ...given: Given<N>) => Promise<void>;

export function bindHooks(strata: Strata, host: Bound): Hooks {
  const { calls, clock, config, dispatcher, dispose, log } = strata;
  const slashCommands = createSlashCommands(strata, host);
  const withAgent = config.background.enabled !== false;
  // Needed whichever hooks the layers listen to: commands are answered, and our own sessions are kept within bounds.
  const bounding: HookName[] = withAgent ? ["toolArguments", "modelWindow"] : [];
  const needed = new Set<HookName>(["command", "turn", ...bounding]);
  const binding: Binding = { ...strata, host, slashCommands };
  const bound = ROWS.filter(([, hook]) => needed.has(hook) || dispatcher.handles(hook));
  calls.bind(["config", ...bound.map(([, hook]) => hook)]);
  return {
    ...Object.fromEntries(
      bound.map(([name, hook, answer]) => [
        name,
        (...given: never[]) => {
          calls.count(hook);
          return answer(binding, ...given);
        },
      ]),
    ),
    ...(dispatcher.tools.length > 0 && { tool: bindTools(dispatcher.tools, { clock, log }) }),
    "tool.definition": defineTools(dispatcher.tools, config.tools.short ? host.shortened : undefined),
    config: async (live) => {
      calls.count("config");
      host.liveConfig.take(live, { withAgent });
      slashCommands.register(live);
    },
    dispose,
  };
}

function answerContext(
  { dispatcher, requests }: Binding,
  ...[, output]: Given<"experimental.chat.messages.transform">
): Promise<void> {
  return dispatcher.guard("context", async () => {
    const { messages } = output as { messages: Message[] };
    // A copy, because the host's own list is overwritten below.
    const request = isOwnRequest(messages)
      ? undefined
      : requests.open(messages.filter((one) => !isForPeopleOnly(one)));
    if (!request) return;
    const view = await askForView(dispatcher, request);
    if (view === request.history.messages) return;
    // The host keeps using its own array and ignores a new one. One by one: a call takes only so many arguments.
    for (const [index, message] of view.entries()) messages[index] = message;
    messages.length = view.length;
  });
}

const answerCompacting: Row<"experimental.session.compacting"> = ({ dispatcher }, { sessionID }, output) =>
  dispatcher.guard("compacting", async () => {
    const prompt = await dispatcher.ask("compacting", { sessionID }, output.prompt);
    if (prompt !== undefined) output.prompt = prompt;
  });

const answerTurn: Row<"chat.message"> = ({ dispatcher }, { agent, sessionID }, { message: info, parts }) =>
  dispatcher.guard("turn", async () => {
    if (isOwnAgent(agent) || isForPeopleOnly({ info, parts } as Message)) return;
    await dispatcher.ask("turn", { sessionID }, undefined);
  });

/** Our own commands are answered by throwing, so the dispatcher gets only the others. */
const answerSlashCommand: Row<"command.execute.before"> = async (
  { dispatcher, slashCommands },
  call,
  output,
) => {
  await slashCommands.answer(call, output);
  await dispatcher.guard("command", async () => {
    const texts = output.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    await dispatcher.ask("command", { sessionID: call.sessionID, texts }, undefined);
  });
};

const answerParams: Row<"chat.params"> = async ({ dispatcher, host }, call, output) => {
  const { agent, model, sessionID } = call;
  const most = host.sessions.findAnswerLimit(sessionID);
  if (most !== undefined) output.maxOutputTokens = Math.min(most, output.maxOutputTokens ?? most);
  await dispatcher.guard("modelWindow", async () => {
    if (isOwnAgent(agent)) return;
    const prices = readPrices(model.cost);
    const window = readWindow(model, output.maxOutputTokens);
    const input = { sessionID, ...window, ...(prices && { prices }) };
    await dispatcher.ask("modelWindow", input, undefined);
  });
};

const answerArguments: Row<"tool.execute.before"> = async ({ dispatcher, host }, call, output) => {
  if (host.sessions.isChild(call?.sessionID)) throw new StrataError("EREFUSED", "this session has no tools");
  let refusal: string | undefined;
  await dispatcher.guard("toolArguments", async () => {
    const { callID, sessionID, tool } = call;
    const before = output.args as Record<string, unknown>;
    const args = await dispatcher.ask("toolArguments", { tool, sessionID, callID }, before);
    refusal = findRefusal(args);
    // The host runs the tool with the object it passed in and ignores a replaced `output.args`.
    if (refusal === undefined && args !== before) Object.assign(output.args, args);
  });
  // Thrown on purpose: the host then skips the tool and shows the message to the model.
  if (refusal !== undefined) throw new StrataError("EREFUSED", refusal);
};

const takeEvent: Row<"event"> = ({ calls, dispatcher, host, looks, slashCommands }, given) =>
  dispatcher.guard("event", async () => {
    const { type, properties } = given.event;
    const isChild = host.sessions.notice(type, properties);
    noteSign(type, properties, calls);
    if (isToolEnd(type, properties)) looks.begin("tool");
    slashCommands.notice(type, properties);
    if (!isChild && dispatcher.handlesEvent(type))
      await dispatcher.ask("event", { type, properties }, undefined);
  });

/** Which host hook is which of the dispatcher's, and what answers it. */
const ROWS: readonly (readonly [
  keyof Hooks,
  HookName,
  (binding: Binding, ...given: never[]) => Promise<void>,
])[] = [
  ["experimental.chat.messages.transform", "context", answerContext],
  ["experimental.session.compacting", "compacting", answerCompacting],
  ["chat.message", "turn", answerTurn],
  ["command.execute.before", "command", answerSlashCommand],
  ["chat.params", "modelWindow", answerParams],
  ["tool.execute.before", "toolArguments", answerArguments],
  ["event", "event", takeEvent],
];

/** Whether the request belongs to one of our own sessions. */
function isOwnRequest(messages: readonly { info: { role: string; agent?: unknown } }[]): boolean {
  return isOwnAgent(messages.findLast(({ info }) => info.role === "user")?.info.agent);
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

/** Thrown to end an answered command; not an error. */
export class CommandAnswered extends Error {
  override readonly name = "CommandAnswered";
  constructor(command: string) {
    super(`[Strata] /${command} was answered without a model call. This is not an error.`);
  }
}

function createSlashCommands({ clock, dispatcher, log, toasts }: Strata, { show }: Bound) {
  const registered = new Map<string, SlashCommand>();
  const answers = createAnswers<{ sessionID: string; text: string }>(({ sessionID, text }) =>
    show(sessionID, text),
  );

  return {
    /** Adds the commands to the host's configuration. Never throws. */
    register(config: unknown): void {
      if (!isRecord(config)) return;
      const users = isRecord(config.command) ? config.command : {};
      const added: Record<string, unknown> = {};
      for (const command of dispatcher.commands) {
        if (users[command.name] !== undefined) continue;
        registered.set(command.name, command);
        added[command.name] = { template: "$ARGUMENTS", description: command.description };
      }
      if (Object.keys(added).length > 0) Reflect.set(config, "command", { ...users, ...added });
    },

    /** Answers one of our commands by throwing `CommandAnswered`. Returns if it is not ours or cannot be shown. */
    async answer(...[call, { parts }]: Given<"command.execute.before">): Promise<void> {
      const { arguments: words, command: name, sessionID } = call;
      const command = registered.get(name);
      if (!command) return;
      const text = await answerCommand({ clock, log }, command, { sessionID, words });
      if (answers.isAtWork(sessionID))
        toasts.show(`the answer to /${name} appears when this turn ends.`, "info");
      if (await answers.show({ sessionID, text })) throw new CommandAnswered(name);
      log.warn("commands", `the host did not show the answer to /${name}; asking the model to repeat it`);
      const request = `Repeat this to the user word for word, and do nothing else:\n\n${text}`;
      parts.splice(0, parts.length, { type: "text", text: request } as (typeof parts)[number]);
    },

    notice: answers.notice,
  };
}
