/**
 * What the layers did, for good: `.opencode/strata/events.jsonl`, one JSON record a line, append-only, written by
 * every instance of the project. The status view and the savings figures are read from it.
 */
import type PQueue from "p-queue";
import { formatError } from "../error.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { formatCorruption, readJsonLines } from "./json-lines.js";
import type { Log } from "./log.js";

export interface StrataEvent {
  /** Format of the record. */
  v: 1;
  /** ISO 8601, UTC. */
  time: string;
  /** One run of the plugin. */
  instance: string;
  session?: string;
  layer: string;
  event: string;
  tool?: string;
  callID?: string;
  /** What the event is about, where the same may be recorded twice, as a result that is judged anew. */
  key?: string;
  /** Size of what was moved. */
  bytes?: number;
  /** Tokens that left the context; an estimate. */
  tokensFreed?: number;
  /** Where what was moved lies. */
  file?: string;
  /** For people. */
  note?: string;
}

export type NewEvent = Omit<StrataEvent, "v" | "time" | "instance">;

export interface Events {
  /** Written behind the turn, in order. A failure is logged and nothing else. */
  record(event: NewEvent): void;
  /** All readable records, oldest first. Unreadable lines are passed over and logged. */
  read(): Promise<StrataEvent[]>;
}

export interface EventsOptions {
  files: Files;
  clock: Clock;
  writes: PQueue;
  log: Log;
  path: string;
  instance: string;
}

export function createEvents({ files, clock, writes, log, path, instance }: EventsOptions): Events {
  return {
    record(event) {
      const record = { v: 1, time: new Date(clock.now()).toISOString(), instance, ...event };
      void writes.add(() =>
        files
          .appendLine(path, JSON.stringify(record))
          .catch((thrown) =>
            log.error("events", `cannot write ${path} (${formatError(thrown)}); lost: ${record.event}`),
          ),
      );
    },
    async read() {
      const { records, corruptLines } = await readJsonLines(files, path, parseEvent);
      if (corruptLines.length > 0) log.warn("events", formatCorruption(path, corruptLines));
      return records;
    },
  };
}

/** The record, or `undefined` when the value is not one. Fields it does not know are kept. */
export function parseEvent(value: unknown): StrataEvent | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const event = value as Partial<StrataEvent>;
  const isEvent =
    event.v === 1 &&
    [event.time, event.instance, event.layer, event.event].every((field) => typeof field === "string");
  return isEvent ? (event as StrataEvent) : undefined;
}

/** How many results left the context, and how many tokens with them. Of two events about one result the last counts. */
export function sumSpilled(events: readonly StrataEvent[]): { spilled: number; tokensFreed: number } {
  const byResult = new Map<string | StrataEvent, number>();
  for (const event of events) {
    if (event.event === "spilled") byResult.set(event.key ?? event, event.tokensFreed ?? 0);
  }
  return {
    spilled: byResult.size,
    tokensFreed: [...byResult.values()].reduce((sum, tokens) => sum + tokens, 0),
  };
}
