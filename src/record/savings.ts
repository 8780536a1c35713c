/**
 * The savings ledger: what was saved, what that cost, and what was sent. One file a session,
 * `.opencode/strata/savings/<sessionID>.jsonl`, append-only, one JSON record a line, for good.
 *
 * Three kinds of records:
 *     spilled, cleared, cut, …   something left the context: tokensFreed, and cacheLost where cached bytes changed
 *     break                      cached bytes changed for another reason: the host compacted, the model was switched
 *     answer                     a request was answered: what was sent, and what was kept out of it
 *     background                 a model call of our own
 *
 * `net` is what the record is worth in tokens of input price, with the prices below: minus what the loss of cache and
 * our own calls cost, plus what an answer would have cost more without us. The sum over a session is what it saved.
 */
import type PQueue from "p-queue";
import { formatError } from "../error.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import { each, object, parserOf, string } from "../shape.js";
import type { Log } from "./log.js";
import { isVersion } from "./version.js";

/** What a token costs that is written to the prompt cache, read from it, or answered; a token of input is 1. */
export const PRICE = { written: 1.25, cached: 0.1, answered: 5 } as const;

export interface SavingsRecord {
  /** Format of the record. */
  v: 1;
  /** ISO 8601, UTC. */
  time: string;
  /** One run of the plugin. */
  instance: string;
  session: string;
  layer: string;
  event: string;
  /** Why now, for people. */
  reason?: string;
  tool?: string;
  callID?: string;
  /** What the record is about, where the same may be recorded twice: a result judged again, a cut tried again. */
  key?: string;
  /** Size of what was moved. */
  bytes?: number;
  /** Results that a batch is about. */
  results?: number;
  /** Tokens that are from now on not sent any more; an estimate. */
  tokensFreed?: number;
  /** Tokens that were cached and have to be written again; an estimate. */
  cacheLost?: number;
  /** Of an answer, as the provider counted: the prompt, what of it came from the cache, and the answer. */
  sent?: number;
  cached?: number;
  answered?: number;
  /**
   * Of an answer: tokens that the prompt would have had besides, less those that only we put there: definitions of tools,
   * what stands behind messages and results. Below 0 where these are more. An estimate.
   */
  keptOut?: number;
  /** Of a model call of our own, as the provider counted: all its tokens. */
  backgroundTokens?: number;
  net?: number;
  /** Where what was moved lies. */
  file?: string;
}

export type NewSavingsRecord = Omit<SavingsRecord, "v" | "time" | "instance">;

export interface Savings {
  /** Written behind the turn, in order. A failure is logged and nothing else. */
  record(record: NewSavingsRecord): void;
  /** Written when it resolves. Throws when that fails: for what may not happen without a record. */
  recordNow(record: NewSavingsRecord): Promise<void>;
}

export interface SavingsOptions {
  files: Files;
  clock: Clock;
  writes: PQueue;
  log: Log;
  folder: string;
  instance: string;
}

export function createSavings({ files, clock, writes, log, folder, instance }: SavingsOptions): Savings {
  const append = (record: NewSavingsRecord): Promise<void> => {
    const line = { v: 1, time: new Date(clock.now()).toISOString(), instance, ...record };
    return files.appendLine(`${folder}/${record.session}.jsonl`, JSON.stringify(line));
  };
  return {
    record(record) {
      void writes.add(() =>
        append(record).catch((thrown) =>
          log.error("savings", `cannot write to ${folder} (${formatError(thrown)}); lost: ${record.event}`),
        ),
      );
    },
    recordNow: append,
  };
}

/** The record, or `undefined` when the value is not one. Fields it does not know are kept. */
export const parseSavingsRecord = parserOf(
  object<SavingsRecord>({ v: isVersion, ...each(string, "time", "instance", "session", "layer", "event") }),
);

/** What some records come to, in tokens. */
export interface SavingsTotals {
  /** Results moved to files, and results cleared. */
  spilled: number;
  cleared: number;
  /** Times that history was cut or compacted. */
  compactions: number;
  tokensFreed: number;
  cacheLost: number;
  backgroundTokens: number;
  sent: number;
  cached: number;
  answered: number;
  net: number;
}

/** The records that count, in order: of several of one event and key the last. */
export function findCounted(records: readonly SavingsRecord[]): SavingsRecord[] {
  const last = new Map<unknown, SavingsRecord>();
  for (const record of records) {
    const name = record.key === undefined ? record : `${record.event} ${record.key}`;
    last.delete(name);
    last.set(name, record);
  }
  return [...last.values()];
}

/** Adds up the records that count. */
export function sumSavings(records: readonly SavingsRecord[]): SavingsTotals {
  const all = findCounted(records);
  const sum = (field: keyof SavingsRecord): number =>
    Math.round(all.reduce((total, record) => total + (Number(record[field]) || 0), 0));
  const count = (...events: string[]): number =>
    all.filter(({ event }) => events.includes(event)).reduce((total, { results = 1 }) => total + results, 0);
  return {
    spilled: count("spilled"),
    cleared: count("cleared"),
    compactions: count("cut", "compacted"),
    tokensFreed: sum("tokensFreed"),
    cacheLost: sum("cacheLost"),
    backgroundTokens: sum("backgroundTokens"),
    sent: sum("sent"),
    cached: sum("cached"),
    answered: sum("answered"),
    net: sum("net"),
  };
}

/** What it costs that cached tokens have to be written again. */
export function priceLostCache(tokens: number): number {
  return -tokens * (PRICE.written - PRICE.cached);
}
