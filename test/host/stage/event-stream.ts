/**
 * The host's events: `GET /event` is a stream of server-sent events, one JSON document per `data:` line,
 * beginning with `server.connected`. Collects all events from there on.
 */

import type { Event } from "@opencode-ai/sdk/v2/types";
import { openResponse } from "./http.js";
import { createSightings } from "./sightings.js";

/** The events since the subscription. */
export interface EventStream {
  readonly all: readonly Event[];
  /** Resolves with the first matching event since the subscription; rejects after `timeoutMs` (30 s). */
  waitFor(fits: (event: Event) => boolean, timeoutMs?: number): Promise<Event>;
  /** Resolves when the stream ends, as it does when the host exits. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface StreamOptions {
  headers?: Record<string, string>;
  /** The events in OpenCode 1's form that one of the host's stands for. */
  translate?: (event: object) => readonly object[];
}

/** Subscribes to a host's events by their address; resolves once the host has confirmed. */
export async function openEventStream(
  url: string,
  { headers = {}, translate = (event) => [event] }: StreamOptions = {},
): Promise<EventStream> {
  const abort = new AbortController();
  const response = await openResponse({ method: "GET", url, headers, signal: abort.signal });
  const sightings = createSightings<Event>((event) => event.type);
  const add = (event: object): void => {
    for (const one of translate(event)) sightings.add(one as Event);
  };
  const ended = collect(response, add).catch(() => undefined);
  await sightings.waitFor((event) => event.type === "server.connected", 10_000);
  return { all: sightings.all, waitFor: sightings.waitFor, ended, close: () => abort.abort() };
}

async function collect(body: AsyncIterable<Uint8Array>, add: (event: object) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data:")) add(JSON.parse(line.slice(5)) as object);
  }
}
