/**
 * Runs the plugin in OpenCode 2: makes the host of its context, opens Strata with it, and registers what the layers
 * listen to. Written against OpenCode's documentation; see contract.ts.
 */
import { formatError, StrataError } from "../../base/error.js";
import { isRecord, type PlainRecord } from "../../base/shape.js";
import { findChanges } from "../../base/tested.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Host } from "../../io/host.js";
import type { Log } from "../../io/log.js";
import { findRefusal, type HookName } from "../../kernel/hooks.js";
import { formatParameters, type SlashCommand, type Tool } from "../../kernel/layer.js";
import type { Strata } from "../../strata.js";
import { answerCommand } from "../command-answers.js";
import { noteSign } from "../signs.js";
import { bindTools } from "../tools.js";
import { type Capabilities, type Capability, createCapabilities, find } from "./capabilities.js";
import { type Catalog, createCatalog } from "./catalog.js";
import type { BeforeToolEvent, PromptEvent, SyntheticInput, TheirCommand, TheirTool } from "./contract.js";
import { createEventReader, type EventReader } from "./events.js";
import { createSetupHost, readPlace } from "./host.js";
import { createRequestHooks, type RequestHooks } from "./requests.js";
import { SCREEN_EVENTS } from "./screen-events.js";
import { ANSWER_METADATA, readInput, readToolName, writeInput } from "./stored.js";
import { createStoredSessions, type StoredSessions } from "./stored-sessions.js";

export interface StartOptions {
  context: unknown;
  clock: Clock;
  /** Assembles Strata with this host and the options of the plugin's entry. */
  open(host: Host, options: Record<string, unknown> | undefined): Promise<Strata>;
}

/** What the rows below work with. */
interface Running {
  answers: Answers;
  capabilities: Capabilities;
  catalog: Catalog;
  context: unknown;
  events: EventReader;
  hooks: RequestHooks;
  /** Aborted at the end. */
  signal: AbortSignal;
  signs: Signs;
  stored: StoredSessions;
  strata: Strata;
}

/** What has arrived from the host so far. */
interface Signs {
  /** The stream of events is open. */
  isListening: boolean;
  hasComplained: boolean;
}

/** Returns the cleanup; `undefined` if the context does not say where it is loaded. */
export async function startInSetup({
  clock,
  context,
  open,
}: StartOptions): Promise<(() => Promise<void>) | undefined> {
  const place = readPlace(context);
  if (!place) return undefined;
  let strata: Strata | undefined;
  const lateLog: Pick<Log, "debug" | "error"> = {
    debug: (source, message) => strata?.log.debug(source, message),
    error: (source, message) => strata?.log.error(source, message),
  };
  const capabilities = createCapabilities({ context, clock, log: () => strata?.log });
  const stored = createStoredSessions({ clock, log: lateLog, context: find(context, "session.context") });
  const catalog = createCatalog({
    clock,
    list: find(context, "model.list"),
    findDefault: find(context, "model.default"),
    findAgent: find(context, "agent.get"),
  });
  const screen = createScreen(context, clock);
  const missing = () => capabilities.missing();
  const host = createSetupHost({
    ...{ catalog, clock, context, missing, place, stored },
    toast: screen.toast,
  });
  const options = isRecord(context) && isRecord(context.options) ? context.options : undefined;
  strata = await open(host, options);
  const events = createEventReader(place);
  const signs: Signs = { isListening: false, hasComplained: false };
  const hooks = createRequestHooks({ strata, catalog, events, stored });
  const ended = new AbortController();
  const answers = createAnswers(clock, find(context, "session.synthetic"));
  const running = {
    answers,
    capabilities,
    catalog,
    context,
    events,
    hooks,
    signal: ended.signal,
    signs,
    stored,
    strata,
  };
  await Promise.all([...registerAll(running), screen.open(capabilities)]);
  void listen(running);
  report(strata, context, missing());
  return async () => {
    ended.abort();
    await strata?.dispose();
  };
}

/** Each registration is bounded, and a failed one does not prevent the others. */
function registerAll(running: Running): Promise<unknown>[] {
  const { capabilities, context, hooks, strata } = running;
  const { dispatcher, pulse } = strata;
  const bound: readonly HookName[] = [
    "context",
    "compacting",
    "turn",
    "modelWindow",
    "toolArguments",
    "event",
  ];
  pulse.bind(
    bound.filter((hook) => isBound(hook, capabilities) && (hook === "turn" || dispatcher.handles(hook))),
  );
  const on = (capability: Capability, path: string, name: string, callback: (event: never) => unknown) =>
    capabilities.register(capability, `${path} "${name}"`, () => find(context, path)?.(name, callback));
  return [
    on("session.hook", "session.hook", "prompt", (event) => hearPrompt(running, event)),
    on("session.hook", "session.hook", "context", hooks.context),
    on("session.hook", "session.hook", "compaction", hooks.compaction),
    on("session.hook", "session.hook", "generate", hooks.transient),
    on("tool.hook", "tool.hook", "execute.before", (event) => checkCall(running, event)),
    registerTools(running),
    registerCommands(running),
  ];
}

function isBound(hook: HookName, capabilities: Capabilities): boolean {
  if (hook === "event") return capabilities.has("event.subscribe");
  if (hook === "modelWindow") return capabilities.has("model.list");
  return hook === "toolArguments" ? capabilities.has("tool.hook") : capabilities.has("session.hook");
}

async function registerTools({ capabilities, context, strata }: Running): Promise<void> {
  const { clock, dispatcher, log } = strata;
  const tools = formatTools(dispatcher.tools, { clock, log });
  if (tools.length === 0) return;
  await capabilities.register("tool.transform", "tool.transform", () =>
    find(
      context,
      "tool.transform",
    )?.((editor: { add(tool: TheirTool): void }) => {
      for (const tool of tools) editor.add(tool);
    }),
  );
}

async function registerCommands({ answers, capabilities, context, strata }: Running): Promise<void> {
  const { clock, dispatcher, log } = strata;
  if (!capabilities.has("command.transform") || dispatcher.commands.length === 0) return;
  const commands = await formatCommands(dispatcher.commands, {
    ...{ answers, clock, log },
    list: find(context, "command.list"),
  });
  await capabilities.register("command.transform", "command.transform", () =>
    find(
      context,
      "command.transform",
    )?.((editor: { add(command: TheirCommand): void }) => {
      for (const command of commands) editor.add(command);
    }),
  );
}

/** A turn begins. Never changes the prompt, which the host stores afterwards. */
async function hearPrompt(running: Running, event: PromptEvent): Promise<void> {
  const { events, strata } = running;
  const sessionID: unknown = isRecord(event) ? event.sessionID : undefined;
  if (typeof sessionID !== "string") return;
  events.know(sessionID);
  void listen(running);
  const { dispatcher, pulse } = strata;
  pulse.beat("turn");
  await dispatcher.ask("turn", { sessionID }, undefined);
}

/** Throws to refuse the call, as OpenCode documents; any other failure lets it pass. */
async function checkCall({ strata }: Running, event: BeforeToolEvent): Promise<void> {
  if (!isRecord(event) || !isRecord(event.input)) return;
  const { id: callID, input, sessionID, tool } = event;
  if (typeof tool !== "string" || typeof sessionID !== "string" || typeof callID !== "string") return;
  strata.pulse.beat("toolArguments");
  const value = readInput(tool, input);
  const args = await strata.dispatcher.ask(
    "toolArguments",
    { tool: readToolName(tool), sessionID, callID },
    value,
  );
  const refusal = findRefusal(args);
  if (refusal !== undefined) throw new StrataError("EREFUSED", refusal);
  if (args !== value) event.input = writeInput(tool, { ...args }, input);
}

/** Reads the host's events until the stream ends; the next turn opens another one. Never rejects. */
async function listen({
  answers,
  capabilities,
  catalog,
  context,
  events,
  signal,
  signs,
  stored,
  strata,
}: Running): Promise<void> {
  if (signs.isListening || signal.aborted || !capabilities.has("event.subscribe")) return;
  signs.isListening = true;
  const { dispatcher, log, pulse } = strata;
  let why = "the stream is closed";
  try {
    const stream = (await find(context, "event.subscribe")?.({ signal })) as AsyncIterable<unknown>;
    for await (const event of stream) {
      if (isRecord(event) && event.type === "model.updated") catalog.changed();
      for (const { properties, type } of events.read(event)) {
        pulse.beat("event");
        noteSign(type, properties, pulse);
        if (type === "session.idle") answers.noteTurn(String(properties.sessionID), false);
        if (type === "session.status" && isBusy(properties))
          answers.noteTurn(String(properties.sessionID), true);
        if (type === "session.deleted" && isRecord(properties.info))
          stored.forget(String(properties.info.id));
        if (dispatcher.handlesEvent(type)) void dispatcher.ask("event", { type, properties }, undefined);
      }
    }
  } catch (thrown) {
    why = formatError(thrown);
  }
  if (!signal.aborted)
    log[signs.hasComplained ? "debug" : "warn"]("host", `OpenCode's events have ended: ${why}`);
  Object.assign(signs, { isListening: false, hasComplained: true });
}

const isBusy = ({ status }: PlainRecord): boolean => isRecord(status) && status.type === "busy";

/** Sends messages for the screen to the screen half, which shows them. */
function createScreen(context: unknown, clock: Clock) {
  const WITHIN_MS = 5_000;
  let emit: ((name: string, data: unknown) => unknown) | undefined;
  return {
    async open(capabilities: Capabilities): Promise<void> {
      const registration = await capabilities.register("rpc.register", "rpc.register", () =>
        find(context, "rpc.register")?.(SCREEN_EVENTS, {}),
      );
      emit = find(registration, "events.emit");
    },
    toast(message: string, variant: string): void {
      if (emit) void waitAtMost(clock, WITHIN_MS, () => emit?.("toast", { message, variant }));
    },
  };
}

function report({ log, pulse }: Strata, context: unknown, missing: readonly string[]): void {
  const app = isRecord(context) ? context.app : undefined;
  const version = isRecord(app) && typeof app.version === "string" ? app.version : "2";
  pulse.describeHost({ name: `OpenCode ${version}`, missing });
  const changes = findChanges(version);
  if (changes !== undefined)
    log.warn("host", `OpenCode ${version}: ${changes}; strata doctor shows what works here`);
  for (const what of missing) log.warn("host", what);
}

/* The layers' tools in the form of OpenCode 2. */

/** Needs sessions of our own, which OpenCode 2 does not let a plugin remove. */
const NOT_OFFERED: ReadonlySet<string> = new Set(["fork"]);

/** A tool never throws: its failure is its answer, since a host might end the turn otherwise. */
export function formatTools(tools: readonly Tool[], use: { clock: Clock; log: Log }): TheirTool[] {
  const offered = tools.filter(({ name }) => !NOT_OFFERED.has(name));
  const bound = bindTools(offered, use);
  return offered.map(({ description, name, parameters }) => ({
    name,
    description,
    input: formatParameters(parameters),
    // Else the model would have to call it from a program.
    options: { codemode: false },
    async execute(input, { id, messageID, sessionID, signal = new AbortController().signal }) {
      const context = { abort: signal, callID: id, messageID, sessionID };
      try {
        return { content: String(await bound[name]?.execute(input as never, context as never)) };
      } catch (thrown) {
        return { content: thrown instanceof Error ? thrown.message : String(thrown) };
      }
    },
  }));
}

/*
 * Slash commands in OpenCode 2. A command runs our code; its answer is added to the session as a synthetic message that
 * wakes no model, and the context hook leaves it out of every request. A message that is added while the model works is
 * delivered to it at the end, by one more request that nobody asked for: such an answer waits for the end of the turn.
 */

export interface CommandsOptions {
  clock: Clock;
  log: Log;
  answers: Answers;
  /** The host's `command.list`; absent if it is not offered. */
  list: (() => unknown) | undefined;
}

const WITHIN_MS = 5_000;

export interface Answers {
  /** Shows it now, or after the turn under way. Resolves with whether the host took it; never rejects. */
  show(message: SyntheticInput): Promise<boolean>;
  /** A turn begins, or ends. */
  noteTurn(sessionID: string, isAtWork: boolean): void;
}

/** `synthetic` is the host's `session.synthetic`; absent if it is not offered. */
export function createAnswers(
  clock: Clock,
  synthetic: ((input: SyntheticInput) => unknown) | undefined,
): Answers {
  /** What waits, by the sessions at work. */
  const atWork = new Map<string, SyntheticInput[]>();
  const send = async (message: SyntheticInput): Promise<boolean> =>
    synthetic !== undefined && (await waitAtMost(clock, WITHIN_MS, () => synthetic(message))).kind === "done";
  return {
    async show(message) {
      const waiting = synthetic && atWork.get(message.sessionID);
      if (!waiting) return send(message);
      waiting.push(message);
      return true;
    },
    noteTurn(sessionID, isAtWork) {
      const waiting = atWork.get(sessionID) ?? [];
      if (isAtWork) return void atWork.set(sessionID, waiting);
      atWork.delete(sessionID);
      for (const message of waiting) void send(message);
    },
  };
}

/** The commands to add. A user's own command of the same name stays. Never rejects. */
export async function formatCommands(
  commands: readonly SlashCommand[],
  { answers, clock, list, log }: CommandsOptions,
): Promise<TheirCommand[]> {
  const taken = await readNames();
  return commands.filter(({ name }) => !taken.has(name)).map(format);

  async function readNames(): Promise<Set<unknown>> {
    if (!list) return new Set();
    const waited = await waitAtMost(clock, WITHIN_MS, list);
    const all = waited.kind === "done" && isRecord(waited.value) ? waited.value.data : [];
    return new Set((Array.isArray(all) ? all : []).map((one) => (isRecord(one) ? one.name : undefined)));
  }

  function format(command: SlashCommand): TheirCommand {
    return {
      name: command.name,
      description: command.description,
      async execute({ prompt, sessionID }) {
        const words = typeof prompt?.text === "string" ? prompt.text : "";
        const text = await answerCommand({ clock, log }, command, { sessionID, words });
        // People see the description, models the text.
        const message = { sessionID, text: `/${command.name}`, description: text };
        if (!(await answers.show({ ...message, metadata: ANSWER_METADATA, resume: false }))) {
          // The host shows the message of an error, which is all that is left to show it with.
          throw new Error(text);
        }
      },
    };
  }
}
