/**
 * Answers the hooks of OpenCode 2 that show a request to the model. Layers get it in Strata's form; the result is
 * written into the host's list last and all at once, so an earlier failure leaves the request as it was.
 */
import { formatError } from "../../base/error.js";
import { each, list, object, oneOf, string } from "../../base/shape.js";
import { isSummary, type Message, type ModelName } from "../../io/message.js";
import { askForView } from "../../kernel/dispatcher.js";
import type { Strata } from "../../strata.js";
import type { Catalog } from "./catalog.js";
import type {
  CompactionEvent,
  ContextEvent,
  ModelRef,
  StoredMessage,
  TheirMessage,
  TheirPart,
} from "./contract.js";
import type { EventReader } from "./events.js";
import { type ReadRequest, readRequest } from "./messages.js";
import type { StoredSessions } from "./stored-sessions.js";
import type { Offer } from "./tools.js";

interface RequestHooksOptions {
  strata: Strata;
  catalog: Catalog;
  events: Pick<EventReader, "know">;
  offer: Offer;
  stored: StoredSessions;
}

/** A request of the host, and its messages as ours. */
interface Opened {
  event: ContextEvent;
  request: ReadRequest;
  model: ModelName;
}

const SOURCE = "host";

/** What is remembered between requests. */
interface State extends RequestHooksOptions {
  /** When a request that leaves no trace last refreshed the provider's cache, by session. */
  warmed: Map<string, number>;
  /** Summaries of which the layers know the cost. */
  summaries: Set<string>;
}

/** None of them rejects. */
export function createRequestHooks(options: RequestHooksOptions) {
  const state: State = { ...options, warmed: new Map(), summaries: new Set() };
  const { strata } = options;
  return {
    /** Before one of the agent's own requests. */
    context: guard(state, "context", async (opened) => {
      strata.calls.count("context");
      await tellModel(state, opened);
      await tellSummary(state, opened);
      return write(opened, await askLayers(strata, opened.request.messages));
    }),
    /** Before a summary: gives the host our notes instead, if there are any. */
    compaction: guard(state, "compaction", (opened) => answerCompaction(state, opened)),
    /** Before a request that is made once: shows what the agent's requests show. Layers decide nothing about it. */
    transient: guard(state, "generate", async (opened) => {
      state.warmed.set(opened.event.sessionID, strata.clock.now());
      const request = strata.requests.open(opened.request.messages);
      return request?.isReady() ? write(opened, request.show()) : undefined;
    }),
  };
}

/** `run` returns why the request stays as it was; `undefined` if it does not, or nothing has changed. */
function guard(state: State, hook: string, run: (opened: Opened) => Promise<string | undefined>) {
  const { strata } = state;
  return async (event: unknown): Promise<void> => {
    try {
      if (!isContextEvent(event)) return complain(state, hook, "its event has another shape than was seen");
      state.events.know(event.sessionID);
      const opened = await open(state, event);
      const begunMs = opened?.request.messages[0]?.info.time?.created;
      await state.offer.apply(event, await strata.toolChoices.choose(begunMs));
      const fault = opened && (await run(opened));
      if (fault !== undefined) complain(state, hook, fault);
    } catch (thrown) {
      complain(state, hook, formatError(thrown));
    }
  };
}

function complain({ strata }: State, hook: string, what: string): void {
  strata.log.error(SOURCE, `hook ${hook}: ${what}; the request stays as it was`);
}

/** `undefined` if there are no messages for layers. */
async function open({ stored, warmed }: State, event: ContextEvent): Promise<Opened | undefined> {
  const { agent, messages, sessionID } = event;
  const known = await stored.readFor(sessionID, messages);
  const model = { providerID: event.model.providerID, modelID: event.model.id };
  const facts = { sessionID, model, ...(agent !== undefined && { agent }) };
  const last = messages.findLast(({ role }) => role === "assistant")?.id;
  const warmedMs = warmed.get(sessionID) ?? 0;
  const findStored = (id: string): StoredMessage | undefined => {
    const one = known.get(id);
    // A request without trace that came after the last answer has kept the provider's cache warm.
    const isWarmer = id === last && warmedMs > (one?.time.completed ?? Number.POSITIVE_INFINITY);
    return one && isWarmer ? { ...one, time: { ...one.time, completed: warmedMs } } : one;
  };
  const request = readRequest(messages, findStored, facts);
  return request.messages.length > 0 ? { event, request, model } : undefined;
}

async function answerCompaction({ stored, strata }: State, opened: Opened): Promise<string | undefined> {
  const { calls, dispatcher, log } = strata;
  const { sessionID } = opened.event;
  const { messages } = opened.request;
  calls.count("compacting");
  await stored.noteCheckpoint(sessionID);
  const summary = await dispatcher.ask("summary", { sessionID, messages }, undefined);
  if (summary !== undefined) {
    (opened.event as CompactionEvent).result = { summary };
    log.info(SOURCE, `the notes stand for a summary of ${sessionID}; no model is called`);
    return undefined;
  }
  await dispatcher.ask("compacting", { sessionID }, undefined);
  return write(opened, await askLayers(strata, messages));
}

async function tellModel({ catalog, strata }: State, { event, model }: Opened): Promise<void> {
  strata.calls.count("modelWindow");
  const found = await catalog.find(model);
  if (found)
    await strata.dispatcher.ask("modelWindow", { sessionID: event.sessionID, model, ...found }, undefined);
}

/** What a checkpoint's summary has cost, once: OpenCode 1 reports it as an answer. No event of OpenCode 2 does. */
async function tellSummary({ strata, summaries }: State, { request }: Opened): Promise<void> {
  const info = request.messages.find(isSummary)?.info;
  if (!info?.tokens || summaries.has(info.id)) return;
  summaries.add(info.id);
  await strata.dispatcher.ask("event", { type: "message.updated", properties: { info } }, undefined);
}

async function askLayers({ dispatcher, requests }: Strata, messages: readonly Message[]) {
  const request = requests.open(messages);
  return request ? askForView(dispatcher, request) : messages;
}

const isContextEvent = object<Pick<ContextEvent, "messages" | "model" | "sessionID">>({
  sessionID: string,
  model: object<Pick<ModelRef, "id" | "providerID">>(each(string, "id", "providerID")),
  messages: list(
    object<Pick<TheirMessage, "content" | "role">>({
      role: oneOf(["system", "user", "assistant", "tool"]),
      content: list(object<Pick<TheirPart, "type">>({ type: string })),
    }),
  ),
});

/**
 * Writes what the layers have made of a request, at once or not at all. Returns why it stays as it was; `undefined` if it
 * is written or nothing has changed.
 */
function write({ event, request }: Opened, view: readonly Message[]): string | undefined {
  const before = event.messages;
  const after = request.write(view);
  if (!after) return "the changed messages have no safe form in OpenCode 2";
  if (after.length === before.length && after.every((message, index) => message === before[index]))
    return undefined;
  const fault = findFault(before, after);
  if (fault === undefined) event.messages = after;
  return fault;
}

/** What the host or a provider would refuse of the change; `undefined` if there is nothing. Pure. */
function findFault(before: readonly TheirMessage[], after: readonly TheirMessage[]): string | undefined {
  if (after.length === 0) return "no message is left";
  if (after.some(({ content }) => content.length === 0)) return "a message is empty";
  const first = (messages: readonly TheirMessage[]) => messages.find(({ role }) => role !== "system")?.role;
  if (first(before) === "user" && first(after) !== "user") return "it does not begin with a user's message";
  const had = findUnpaired(before);
  const [lost] = [...findUnpaired(after)].filter((id) => !had.has(id));
  return lost && `the call ${lost} and its result are separated`;
}

/** Ids of calls without a result, and of results without a call. */
function findUnpaired(messages: readonly TheirMessage[]): Set<string> {
  const parts = messages.flatMap(({ content }) => content);
  const idsOf = (wanted: string): Set<string> =>
    new Set(parts.flatMap(({ id, type }) => (type === wanted && id !== undefined ? [id] : [])));
  const [calls, results] = [idsOf("tool-call"), idsOf("tool-result")];
  return new Set([...calls, ...results].filter((id) => !calls.has(id) || !results.has(id)));
}
