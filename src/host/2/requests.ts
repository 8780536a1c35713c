/**
 * Answers the hooks of OpenCode 2 that show a request to the model. Layers get it in Strata's form; the result is
 * written into the host's list last and all at once, so an earlier failure leaves the request as it was.
 */

import { formatError } from "../../base/error.js";
import type { Message } from "../../io/message.js";
import { isSummary } from "../../messages/history.js";
import type { Strata } from "../../strata.js";
import type { Catalog } from "./catalog.js";
import { findFault } from "./check-request.js";
import type { CompactionEvent } from "./contract.js";
import type { EventReader } from "./events.js";
import { createSent, isContextEvent, type Opened, openRequest } from "./open-request.js";
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
