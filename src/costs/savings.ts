/**
 * The savings ledger: what was saved, what that cost, and what was sent. One file per session,
 * `.opencode/strata/savings/<sessionID>.jsonl`, append-only, one JSON record per line, kept for ever.
 *
 * Kinds of records:
 *     spilled, shrunk, cut, …    something left the context: tokensFreed, and cacheLost where cached bytes changed
 *     break                      cached bytes changed for another reason: the host compacted, the model was switched
 *     answer                     a request was answered: what was sent, and what the host would have sent without Strata
 *     summary                    the host made a summary of its own
 *     background                 a model call by Strata
 *
 * `net` is the value of the record in tokens at input price, with the model's prices or else those below: of an answer,
 * what the host would have paid without Strata less what was paid; of a summary or a call by Strata, minus its price.
 * Their sum is the session's saving. `money` is the same in dollars, where the model has a price. What left the
 * context has no `net`: the next answer has it.
 */
import type PQueue from "p-queue";
import { formatError } from "../base/error.js";
import { each, isVersion, object, parserOf, string } from "../base/shape.js";
import type { Clock } from "../io/clock.js";
import type { Deferred } from "../io/deferred.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { MessageInfo } from "../io/message.js";

/** Price of a token written to the prompt cache, read from it, or answered; an input token is 1. */
export interface Rates {
  readonly written: number;
  readonly cached: number;
  readonly answered: number;
  /** Dollars per million input tokens; `undefined` if the host has no price. */
  readonly dollars?: number;
}

/** Reason of a background call that judges what is remembered. */
export const JUDGING = "memory judgement";

/** Where a model's own prices are unknown: those of most of Anthropic's models, with a cache of 5 minutes. */
export const PRICE = { written: 1.25, cached: 0.1, answered: 5 } as const satisfies Rates;

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
  /** Subject of the record, if it may be recorded twice, such as a result judged again or a cut tried again. */
  key?: string;
  /** Size of what was moved. */
  bytes?: number;
  /** Number of results in a batch. */
  results?: number;
  /** Number of inputs of calls in a batch. */
  inputs?: number;
  /** Tokens no longer sent from now on; an estimate. */
  tokensFreed?: number;
  /** Cached tokens that have to be written again; an estimate. */
  cacheLost?: number;
  /** Tokens of an answer as counted by the provider: its prompt, the cached part of that, and the answer. */
  sent?: number;
  cached?: number;
  answered?: number;
  /**
   * Tokens by which an answer's prompt would have been longer without Strata. Negative if Strata added more than it
   * removed, or if the host would have summarised by then. An estimate.
   */
  keptOut?: number;
  /** What an answer cost, or a summary by the host, in tokens at input price. */
  cost?: number;
  /** Part of an answer's cost: asking the agent what to remember, and its answers to that. An estimate. */
  judging?: number;
  /** Number of calls before an answer that only looked at what Strata had taken out; without Strata they had not been made. */
  looks?: number;
  /** What the host would have sent for the answer without Strata, in tokens. An estimate. */
  bare?: {
    sent: number;
    cached: number;
    /** Start of the answer, in milliseconds since 1970. */
    at: number;
    /** Start of the first message that the host would still have word for word; 0 if it has all of them. */
    since: number;
  };
  /** All tokens of a model call by Strata, as counted by the provider. */
  backgroundTokens?: number;
  net?: number;
  /** `net` in dollars; absent if the model has no price in money. */
  money?: number;
  /** File that a result was moved to. */
  file?: string;
}

export type NewSavingsRecord = Omit<SavingsRecord, "v" | "time" | "instance">;

export type Savings = ReturnType<typeof createSavings>;

interface SavingsOptions {
  files: Files;
  clock: Clock;
  writes: PQueue;
  log: Log;
  /** Without it, records are written at once. */
  deferred?: Pick<Deferred, "add">;
  folder: string;
  instance: string;
}

export function createSavings(options: SavingsOptions) {
  const { clock, deferred, files, folder, instance, log, writes } = options;
  /** Lines that wait for the file at this path. */
  const waiting = new Map<string, string[]>();

  return {
    /** Writes in the background, in order, records of several requests in one call. A failure is only logged. */
    record(record: NewSavingsRecord): void {
      const path = add(record);
      const write = () => writes.add(() => writeOrLog(path));
      if (deferred) deferred.add(path, write);
      else void write();
    },

    /**
     * Resolves after the write, earlier records of the session included; rejects if it fails. For actions that must not
     * happen without a record.
     */
    recordNow: (record: NewSavingsRecord): Promise<void> => write(add(record)),
  };

  function add(record: NewSavingsRecord): string {
    const path = `${folder}/${record.session}.jsonl`;
    const time = new Date(clock.now()).toISOString();
    const line = JSON.stringify({ v: 1, time, instance, ...record });
    waiting.set(path, [...(waiting.get(path) ?? []), line]);
    return path;
  }

  async function write(path: string): Promise<void> {
    const lines = waiting.get(path);
    waiting.delete(path);
    if (lines) await files.appendLine(path, lines.join("\n"));
  }

  async function writeOrLog(path: string): Promise<void> {
    const count = waiting.get(path)?.length;
    await write(path).catch((thrown) =>
      log.error("savings", `cannot write ${path} (${formatError(thrown)}); lost: ${count} records`),
    );
  }
}

/** `undefined` if the value is not a record. Unknown fields are kept. */
export const parseSavingsRecord = parserOf(
  object<SavingsRecord>({ v: isVersion, ...each(string, "time", "instance", "session", "layer", "event") }),
);

/** Tokens of a request and its answer. */
export interface Usage {
  sent: number;
  /** Part of `sent` that was read from the cache. */
  cached: number;
  answered: number;
}

/** As counted by the provider. */
export function countUsage({ tokens }: Pick<MessageInfo, "tokens">): Usage {
  if (!tokens) return { sent: 0, cached: 0, answered: 0 };
  const { cache, input, output, reasoning } = tokens;
  return { sent: input + cache.read + cache.write, cached: cache.read, answered: output + reasoning };
}

/** The price of a request and its answer, in tokens at input price. */
export function priceUsage({ answered, cached, sent }: Usage, rates: Rates): number {
  return (sent - cached) * rates.written + cached * rates.cached + answered * rates.answered;
}

/** The value of a record: `tokens` at input price, and the same in dollars. */
export function priceNet(tokens: number, { dollars }: Rates): Pick<SavingsRecord, "net" | "money"> {
  const net = Math.round(tokens);
  return dollars === undefined ? { net } : { net, money: roundMoney((net * dollars) / 1_000_000) };
}

export function roundMoney(dollars: number): number {
  return Math.round(dollars * 1_000_000) / 1_000_000;
}

/**
 * Writes the record, then acts. If acting fails, a record of nothing under the same key follows: the last of a key
 * counts, so that only what was done is added up. Rejects with the first failure; `act` is not called without the record.
 */
export async function recordBefore(
  savings: Pick<Savings, "recordNow">,
  record: NewSavingsRecord & { key: string },
  act: () => Promise<void>,
): Promise<void> {
  const { event, key, layer, session } = record;
  await savings.recordNow(record);
  try {
    await act();
  } catch (thrown) {
    // Awaited, so that the next attempt's record comes after it. On a broken disk the first failure tells enough.
    const reason = `not done: ${formatError(thrown)}`;
    const nothing = { reason, results: 0, tokensFreed: 0, cacheLost: 0, net: 0 };
    await savings.recordNow({ session, layer, event, key, ...nothing }).catch(() => {});
    throw thrown;
  }
}
