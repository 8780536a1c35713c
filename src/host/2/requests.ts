/**
 * Answers the hooks of OpenCode 2 that show a request to the model. Layers get it in Strata's form; the result is
 * written into the host's list last and all at once, so an earlier failure leaves the request as it was.
 */
import { formatError } from "../../base/error.js";
import { isRecord } from "../../base/shape.js";
import { isToolPart, type Message, type ModelName } from "../../io/message.js";
import { isSummary } from "../../messages/history.js";
import type { Strata } from "../../strata.js";
import type { Catalog } from "./catalog.js";
import type { CompactionEvent, ContextEvent, StoredMessage, TheirMessage, TheirPart } from "./contract.js";
import type { EventReader } from "./events.js";
import { isMessageList, type ReadRequest, readRequest } from "./messages.js";
import type { StoredSessions } from "./stored-sessions.js";

export interface RequestHooks {
  /** Before one of the agent's own requests. Never rejects. */
  context(event: unknown): Promise<void>;
  /** Before a summary: gives the host our notes instead, if there are any. Never rejects. */
  compaction(event: unknown): Promise<void>;
  /** Before a request that is made once and leaves no trace: shows what the agent's requests show. Never rejects. */
  transient(event: unknown): Promise<void>;
}

export interface RequestHooksOptions {
  strata: Pick<Strata, "clock" | "dispatcher" | "log" | "pulse" | "requests">;
  catalog: Catalog;
  events: Pick<EventReader, "know">;
  stored: StoredSessions;
}

const SOURCE = "host";
/** Most distinct failures that are logged as errors: messages can vary endlessly. */
const MOST_COMPLAINTS = 100;
/** Most summaries of which it is remembered that their cost was told. */
const MOST_SUMMARIES = 500;

export function createRequestHooks(options: RequestHooksOptions): RequestHooks {
  const { events, stored, strata } = options;
  const { clock, log, requests } = strata;
  const sent = createSent();
  const complained = new Set<string>();
  const summaries = new Set<string>();

  return {
    context: (event) => guarded("context", event, (opened) => answerContext(opened)),
    compaction: (event) => guarded("compaction", event, (opened) => answerCompaction(options, opened)),
    transient: (event) => guarded("generate", event, replay),
  };

  async function guarded(
    hook: string,
    event: unknown,
    run: (opened: Opened) => string | undefined | Promise<string | undefined>,
  ): Promise<void> {
    try {
      if (!isContextEvent(event))
        return complain(hook, "its event has another shape than OpenCode documents");
      events.know(event.sessionID);
      const opened = await openRequest(event, stored, sent);
      const fault = opened && (await run(opened));
      if (fault !== undefined) complain(hook, fault);
    } catch (thrown) {
      complain(hook, formatError(thrown));
    }
  }

  async function answerContext(opened: Opened): Promise<string | undefined> {
    strata.pulse.beat("context");
    await tellModel(options, opened);
    await tellSummary(strata.dispatcher, opened, summaries);
    return putRequest(opened, await askLayers(strata, opened.request.messages));
  }

  /** Layers decide nothing about a request that no later one continues. */
  function replay(opened: Opened): string | undefined {
    sent.warmed.set(opened.event.sessionID, clock.now());
    const request = requests.open(opened.request.messages);
    return request?.isReady() ? putRequest(opened, request.show()) : undefined;
  }

  function complain(hook: string, what: string): void {
    const isFirst = !complained.has(what) && complained.size < MOST_COMPLAINTS;
    if (isFirst) complained.add(what);
    log[isFirst ? "error" : "debug"](SOURCE, `hook ${hook}: ${what}; the request stays as it was`);
  }
}

async function answerCompaction(
  { stored, strata }: RequestHooksOptions,
  opened: Opened,
): Promise<string | undefined> {
  const { dispatcher, log, pulse } = strata;
  const { messages } = opened.request;
  const { sessionID } = opened.event;
  pulse.beat("compacting");
  await stored.noteCheckpoint(sessionID);
  const summary = await dispatcher.ask("summary", { sessionID, messages }, undefined);
  if (summary !== undefined) {
    (opened.event as CompactionEvent).result = { summary };
    log.info(SOURCE, `the notes stand for a summary of ${sessionID}; no model is called`);
    return undefined;
  }
  await dispatcher.ask("compacting", { sessionID }, undefined);
  return putRequest(opened, await askLayers(strata, messages));
}

async function tellModel({ catalog, strata }: RequestHooksOptions, { event, model }: Opened): Promise<void> {
  strata.pulse.beat("modelWindow");
  const found = await catalog.find(model);
  if (!found) return;
  await strata.dispatcher.ask("modelWindow", { sessionID: event.sessionID, model, ...found }, undefined);
}

/** What a checkpoint's summary has cost, once: OpenCode 1 reports it as an answer. No event of OpenCode 2 does. */
async function tellSummary(
  { ask }: Pick<Strata["dispatcher"], "ask">,
  { request }: Opened,
  told: Set<string>,
): Promise<void> {
  const info = request.messages.find(isSummary)?.info;
  if (!info?.tokens || told.has(info.id)) return;
  told.add(info.id);
  if (told.size > MOST_SUMMARIES) told.delete(told.values().next().value ?? "");
  await ask("event", { type: "message.updated", properties: { info } }, undefined);
}

/** In the same order as for OpenCode 1. */
async function askLayers(
  { dispatcher, requests }: RequestHooksOptions["strata"],
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const request = requests.open(messages);
  if (!request) return messages;
  const limit = dispatcher.limit("context");
  await dispatcher.ask("takenBack", request, undefined, limit);
  if (!request.isCompaction && messages.some(isSummary))
    await dispatcher.ask("compacted", request, undefined, limit);
  return dispatcher.ask("context", request, messages, limit);
}

/**
 * Writes what the layers have made of a request, at once or not at all. Returns why it stays as it was; `undefined` if it
 * is written or nothing has changed.
 */
function putRequest(
  { event, request }: Pick<Opened, "event" | "request">,
  view: readonly Message[],
): string | undefined {
  const before = event.messages;
  const after = request.write(view);
  if (!after) return "the changed messages have no safe form in OpenCode 2";
  if (after.length === before.length && after.every((message, index) => message === before[index]))
    return undefined;
  const fault = findFault(before, after);
  if (fault === undefined) event.messages = after;
  return fault;
}

/* Checks a request before it is written: would the host or a provider refuse it? Pure. */

/** The first fault that the change brings in; `undefined` if there is none. */
export function findFault(
  before: readonly TheirMessage[],
  after: readonly TheirMessage[],
): string | undefined {
  if (after.length === 0) return "no message is left";
  if (after.some(({ content }) => content.length === 0)) return "a message is empty";
  const known = new Set<unknown>(before.flatMap(({ content }) => content));
  const strange = after
    .flatMap(({ content }) => content)
    .find((part) => !known.has(part) && !isWellFormed(part));
  if (strange) return `a part of type ${strange.type} has a shape that OpenCode does not document`;
  const first = (messages: readonly TheirMessage[]) => messages.find(({ role }) => role !== "system")?.role;
  if (first(before) === "user" && first(after) !== "user") return "it does not begin with a user's message";
  return findBrokenPair(before, after);
}

function isWellFormed({ id, name, result, text, type, ...part }: TheirPart): boolean {
  if (type === "text") return typeof text === "string";
  if (type === "tool-call") return typeof id === "string" && typeof name === "string" && "input" in part;
  if (type !== "tool-result" || typeof id !== "string" || typeof name !== "string" || !isRecord(result))
    return false;
  const { type: form, value } = result as { type: string; value: unknown };
  return form === "content" ? Array.isArray(value) && value.length > 0 : form === "text" || form === "error";
}

/** Each call that had a result keeps it, and each result its call. */
function findBrokenPair(before: readonly TheirMessage[], after: readonly TheirMessage[]): string | undefined {
  const [were, are] = [readPairs(before), readPairs(after)];
  for (const id of are.calls)
    if (were.results.has(id) && !are.results.has(id)) return `the call ${id} has lost its result`;
  for (const id of are.results)
    if (were.calls.has(id) && !are.calls.has(id)) return `the result ${id} has lost its call`;
  return undefined;
}

function readPairs(messages: readonly TheirMessage[]): { calls: Set<string>; results: Set<string> } {
  const idsOf = (wanted: string): Set<string> =>
    new Set(
      messages.flatMap(({ content }) =>
        content.flatMap(({ id, type }) => (type === wanted && id !== undefined ? [id] : [])),
      ),
    );
  return { calls: idsOf("tool-call"), results: idsOf("tool-result") };
}

/* Opens a request of OpenCode 2 for the layers: the host's messages as ours, with what is stored about them. */

export interface Opened {
  event: ContextEvent;
  request: ReadRequest;
  model: ModelName;
}

/** What is remembered between requests. */
export interface Sent {
  /** When a request that leaves no trace last refreshed the provider's cache, by session. */
  warmed: Map<string, number>;
  /** Ids of calls whose results were sent before their times could be read. */
  untimed: Set<string>;
}

export const createSent = (): Sent => ({ warmed: new Map(), untimed: new Set() });

const MOST_UNTIMED = 5_000;

/** `undefined` if there are no messages for layers. Never rejects. */
export async function openRequest(
  event: ContextEvent,
  stored: StoredSessions,
  { untimed, warmed }: Sent,
): Promise<Opened | undefined> {
  const { agent, messages, sessionID } = event;
  const known = await stored.readFor(sessionID, messages);
  const model = { providerID: event.model.providerID, modelID: event.model.id };
  const facts = { sessionID, model, ...(agent !== undefined && { agent }) };
  const findWarm = withWarmth(messages, known, warmed.get(sessionID));
  const request = readRequest(messages, (id) => withoutCalls(findWarm(id), untimed), facts);
  // If nothing could be read since the start, decisions of earlier starts must apply as soon as it can.
  if (request && known.size > 0) noteUntimed(request.messages, untimed);
  return request && request.messages.length > 0 ? { event, request, model } : undefined;
}

/** A result that was sent whole stays whole: such calls stay without times, also when these can be read later. */
function withoutCalls(
  stored: StoredMessage | undefined,
  untimed: ReadonlySet<string>,
): StoredMessage | undefined {
  if (!stored?.content?.some(({ id = "" }) => untimed.has(id))) return stored;
  return { ...stored, content: stored.content.filter(({ id = "" }) => !untimed.has(id)) };
}

function noteUntimed(messages: readonly Message[], untimed: Set<string>): void {
  for (const { parts } of messages)
    for (const part of parts) {
      if (!isToolPart(part) || part.state.status === "running" || part.state.time !== undefined) continue;
      untimed.add(part.callID);
      if (untimed.size > MOST_UNTIMED) untimed.delete(untimed.values().next().value ?? "");
    }
}

/** A request without trace that came after the last answer has kept the provider's cache warm. */
function withWarmth(
  messages: readonly TheirMessage[],
  known: ReadonlyMap<string, StoredMessage>,
  warmedMs: number | undefined,
): (id: string) => StoredMessage | undefined {
  const last = messages.findLast(({ role }) => role === "assistant")?.id;
  return (id) => {
    const found = known.get(id);
    const completed = found?.time.completed;
    if (!found || id !== last || warmedMs === undefined || completed === undefined || warmedMs <= completed)
      return found;
    return { ...found, time: { ...found.time, completed: warmedMs } };
  };
}

export function isContextEvent(event: unknown): event is ContextEvent {
  if (!isRecord(event) || typeof event.sessionID !== "string" || !isRecord(event.model)) return false;
  const { id, providerID } = event.model;
  return typeof id === "string" && typeof providerID === "string" && isMessageList(event.messages);
}
