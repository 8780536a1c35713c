/**
 * Runs the plugin in OpenCode 2: makes the host of its context, opens Strata with it, and registers what the layers
 * listen to.
 */
import { formatError, StrataError } from "../../base/error.js";
import { isRecord, type PlainRecord } from "../../base/shape.js";
import { findChanges } from "../../base/tested.js";
import { toLine } from "../../base/text.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Host } from "../../io/host.js";
import type { Log } from "../../io/log.js";
import { findRefusal, type HookName } from "../../kernel/hooks.js";
import { formatParameters, type SlashCommand, type Tool } from "../../kernel/layer.js";
import type { Strata } from "../../strata.js";
import { answerCommand, bindTools, createAnswers } from "../commands-and-tools.js";
import { noteSign } from "../readings.js";
import { SCREEN_EVENTS } from "../screen.js";
import { type Catalog, createCatalog } from "./catalog.js";
import type { BeforeToolEvent, SetupContext, SyntheticInput, TheirCommand, TheirTool } from "./contract.js";
import { createEventReader, type EventReader } from "./events.js";
import { createSetupHost, readPlace } from "./host.js";
import { createRequestHooks } from "./requests.js";
import { ANSWER_METADATA, readInput, readToolName, writeInput } from "./stored.js";
import { createStoredSessions, type StoredSessions } from "./stored-sessions.js";
import { createOffer, type Offer } from "./tools.js";

export interface StartOptions {
  context: SetupContext;
  clock: Clock;
  open(host: Host, options: Record<string, unknown> | undefined): Promise<Strata>;
}

/** What runs for one location of the host. */
interface Running {
  answers: ReturnType<typeof createAnswers<SyntheticInput>>;
  catalog: Catalog;
  context: SetupContext;
  events: EventReader;
  offer: Offer;
  stored: StoredSessions;
  strata: Strata;
  /** Aborted at the end. */
  signal: AbortSignal;
  stream: { isOpen: boolean };
}

const WITHIN_MS = 5_000;

/** Returns the cleanup. */
export async function startInSetup({ clock, context, open }: StartOptions): Promise<() => Promise<void>> {
  const place = readPlace(context);
  let strata: Strata | undefined;
  const error: Log["error"] = (source, message) => strata?.log.error(source, message);
  const stored = createStoredSessions({ clock, log: { error }, context });
  const catalog = createCatalog(context, clock);
  let emit: Emit | undefined;
  const toast: Host["toast"] = (message, variant) => {
    if (emit) void waitAtMost(clock, WITHIN_MS, () => emit?.("toast", { message, variant }));
  };
  const offer = createOffer({ clock, context });
  const host = createSetupHost({ catalog, clock, context, offer, place, stored, toast });
  const { options } = context;
  strata = await open(host, isRecord(options) ? options : undefined);
  describeHost(strata, context);
  const ended = new AbortController();
  const running: Running = {
    ...{ catalog, context, offer, stored, strata },
    answers: createAnswers(async (message: SyntheticInput) => {
      const sent = await waitAtMost(clock, WITHIN_MS, () => context.session.synthetic(message));
      return sent.kind === "done";
    }),
    events: createEventReader(place, stored.findTold),
    signal: ended.signal,
    stream: { isOpen: false },
  };
  const openScreen = async (): Promise<void> => {
    emit = findEmit(await register(running, "rpc.register", () => context.rpc.register(SCREEN_EVENTS, {})));
  };
  await Promise.all([...registerAll(running), openScreen()]);
  void listen(running);
  return async () => {
    ended.abort();
    await strata?.dispose();
  };
}

type Emit = (name: string, data: unknown) => unknown;

/** The server half has no screen of its own: the screen half shows what is sent to it. */
function findEmit(registration: unknown): Emit | undefined {
  const events = isRecord(registration) ? registration.events : undefined;
  if (!isRecord(events) || typeof events.emit !== "function") return undefined;
  return (name, data) => (events.emit as Emit)(name, data);
}

function describeHost({ calls, log }: Strata, { app }: SetupContext): void {
  const version = isRecord(app) && typeof app.version === "string" ? app.version : "2";
  calls.describeHost(`OpenCode ${version}`);
  const changes = findChanges(version);
  if (changes !== undefined)
    log.warn("host", `OpenCode ${version}: ${changes}; strata doctor shows what works here`);
}

/** Waits at most a few seconds, and a failed registration does not prevent the others. */
async function register({ strata }: Running, what: string, run: () => unknown): Promise<unknown> {
  const waited = await waitAtMost(strata.clock, WITHIN_MS, run);
  if (waited.kind === "done") return waited.value;
  const why =
    waited.kind === "failed" ? formatError(waited.thrown) : `no answer within ${WITHIN_MS / 1_000} s`;
  strata.log.warn("host", `OpenCode refuses ${what} (${toLine(why, 200)}); what needs it is off`);
  return undefined;
}

const HOOKS: readonly HookName[] = ["context", "compacting", "turn", "modelWindow", "toolArguments", "event"];

function registerAll(running: Running): Promise<unknown>[] {
  const { catalog, context, events, offer, stored, strata } = running;
  const { clock, dispatcher, log } = strata;
  const hooks = createRequestHooks({ strata, catalog, events, offer, stored });
  strata.calls.bind(HOOKS.filter((hook) => hook === "turn" || dispatcher.handles(hook)));
  const onSession = (name: string, callback: (event: never) => unknown): Promise<unknown> =>
    register(running, `session.hook "${name}"`, () => context.session.hook(name, callback));
  const tools = formatTools(dispatcher.tools, { clock, log });
  return [
    onSession("prompt", (event) => beginTurn(running, event)),
    onSession("context", hooks.context),
    onSession("compaction", hooks.compaction),
    onSession("generate", hooks.transient),
    register(running, 'tool.hook "execute.before"', () =>
      context.tool.hook("execute.before", (event) => checkCall(running, event)),
    ),
    register(running, "tool.transform", () =>
      context.tool.transform((editor) => {
        for (const tool of tools) editor.add(tool);
      }),
    ),
    registerCommands(running),
  ];
}

/** A user's prompt before it is admitted. Never changes it, since the host stores it afterwards. */
async function beginTurn(running: Running, event: unknown): Promise<void> {
  const { events, strata } = running;
  const sessionID = isRecord(event) ? event.sessionID : undefined;
  if (typeof sessionID !== "string") return;
  events.know(sessionID);
  void listen(running);
  strata.calls.count("turn");
  await strata.dispatcher.ask("turn", { sessionID }, undefined);
}

/** Throws to refuse the call, as OpenCode documents; any other failure lets it pass. */
async function checkCall({ strata }: Running, event: BeforeToolEvent): Promise<void> {
  if (!isRecord(event) || !isRecord(event.input)) return;
  const { id: callID, input, sessionID, tool } = event;
  if (typeof tool !== "string" || typeof sessionID !== "string" || typeof callID !== "string") return;
  strata.calls.count("toolArguments");
  const value = readInput(tool, input);
  const call = { tool: readToolName(tool), sessionID, callID };
  const args = await strata.dispatcher.ask("toolArguments", call, value);
  const refusal = findRefusal(args);
  if (refusal !== undefined) throw new StrataError("EREFUSED", refusal);
  if (args !== value) event.input = writeInput(tool, { ...args }, input);
}

/** Reads the host's events until the stream ends; the next turn opens another one. Never rejects. */
async function listen(running: Running): Promise<void> {
  const { catalog, context, events, signal, stored, strata, stream } = running;
  if (stream.isOpen || signal.aborted) return;
  stream.isOpen = true;
  let why = "the stream is closed";
  try {
    for await (const event of (await context.event.subscribe({ signal })) as AsyncIterable<unknown>) {
      if (isRecord(event) && event.type === "model.updated") catalog.changed();
      stored.note(event);
      for (const { properties, type } of events.read(event)) takeEvent(running, type, properties);
    }
  } catch (thrown) {
    why = formatError(thrown);
  }
  if (!signal.aborted) strata.log.warn("host", `OpenCode's events have ended: ${why}`);
  stream.isOpen = false;
}

function takeEvent({ answers, stored, strata }: Running, type: string, properties: PlainRecord): void {
  const { calls, dispatcher } = strata;
  const { info } = properties;
  calls.count("event");
  noteSign(type, properties, calls);
  answers.notice(type, properties);
  if (type === "session.deleted" && isRecord(info)) stored.forget(String(info.id));
  if (dispatcher.handlesEvent(type)) void dispatcher.ask("event", { type, properties }, undefined);
}

/** Needs sessions of our own, which OpenCode 2 does not let a plugin remove. */
const NOT_OFFERED: ReadonlySet<string> = new Set(["fork"]);

/** The layers' tools. One never throws: its failure is its answer, since an error would end the turn. */
function formatTools(tools: readonly Tool[], use: { clock: Clock; log: Log }): TheirTool[] {
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
 * Slash commands. A command runs our code; its answer is added to the session as a synthetic message that wakes no model,
 * and the context hook leaves it out of every request.
 */

/** A user's own command of the same name stays. */
async function registerCommands(running: Running): Promise<void> {
  const { context, strata } = running;
  const waited = await waitAtMost(strata.clock, WITHIN_MS, () => context.command.list());
  const listed = waited.kind === "done" && isRecord(waited.value) ? waited.value.data : [];
  const taken = new Set((Array.isArray(listed) ? listed : []).map((one) => isRecord(one) && one.name));
  const own = strata.dispatcher.commands.filter(({ name }) => !taken.has(name));
  if (own.length === 0) return;
  await register(running, "command.transform", () =>
    context.command.transform((editor) => {
      for (const command of own) editor.add(formatCommand(running, command));
    }),
  );
}

function formatCommand({ answers, strata }: Running, command: SlashCommand): TheirCommand {
  const { description, name } = command;
  return {
    name,
    description,
    async execute({ prompt, sessionID }) {
      const words = typeof prompt?.text === "string" ? prompt.text : "";
      const text = await answerCommand(strata, command, { sessionID, words });
      // People see the description, models the text.
      const message = { sessionID, text: `/${name}`, description: text };
      // The host shows the message of an error, which is all that is left to show it with.
      if (!(await answers.show({ ...message, metadata: ANSWER_METADATA, resume: false })))
        throw new Error(text);
    },
  };
}
