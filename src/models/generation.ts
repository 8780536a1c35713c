/**
 * Model calls of our own, each a prompt and its answer: the one way for a layer to have something written. Bounded in
 * every direction:
 *
 *     settings and models → backoff → waiting line (1 at a time, 8 waiting) → budget of the day → the host → checks
 *
 * A call that may not be made is a refusal, and every layer works without it. No hook waits for a call: an answer takes
 * seconds, and up to the whole deadline when others wait before it.
 */
import PQueue from "p-queue";
import { formatDay } from "../base/days.js";
import { formatError } from "../base/error.js";
import { formatCount } from "../base/format.js";
import type { ModelClaims } from "../config/plugin-entries.js";
import type { Config } from "../config/schema.js";
import { findRates, type KnownPrices } from "../costs/prices.js";
import type { Savings } from "../costs/savings.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Generated, GenerateRequest, Host, UsedTokens } from "../io/host.js";
import type { Log } from "../io/log.js";
import type { Toasts } from "../io/toasts.js";
import { type Backoff, createBackoff, createBudget } from "./budget.js";
import { countMostAnswerTokens, countMostTokens, describeCall, planChoice } from "./cost.js";

/** A model call by Strata. The model has no tools. */
export interface GenerationRequest {
  /** Purpose in a few fixed words: "session notes". */
  purpose: string;
  /** The session it is for. */
  sessionID: string;
  /** Task and material. Strata sets the system prompt: a writer that ignores instructions in the material. */
  prompt: string;
  /** A longer answer is a failure. */
  maxCharacters?: number;
  /** For a call that may take minutes: neither does it wait for other calls, nor they for it. */
  long?: { deadlineMs: number; signal: AbortSignal };
}

export type GenerationResult =
  | { kind: "text"; text: string; tokens: UsedTokens }
  /** No call was made. */
  | { kind: "refused"; why: string }
  /** A call was made and came to nothing. */
  | { kind: "failed"; why: string };

export interface Generation {
  /** Never rejects. Of two requests for the same purpose and session that both wait only the newer is made. */
  generate(request: GenerationRequest): Promise<GenerationResult>;
  /** Would a call be made now? And for people: why not, and what was spent. Never rejects. */
  status(): Promise<GenerationStatus>;
  /** Purposes of the calls under way. */
  running(): readonly string[];
  /** Calls `listener` whenever a call begins or ends. */
  onChange(listener: () => void): void;
  /** Resolves when no call is under way or waiting. */
  onIdle(): Promise<void>;
  /** Aborts the call under way and refuses all others from now on. */
  dispose(): void;
}

export interface GenerationStatus {
  isAllowed: boolean;
  /** A sentence, where it is not. */
  why?: string;
  /** "provider/model"; absent when it is the host's choice, or none may be used. */
  model?: string;
  /** By all instances, since midnight UTC; absent when the records cannot be read. */
  callsToday?: number;
  tokensToday?: number;
  dailyCalls: number;
  dailyTokens: number;
  waiting: number;
}

export interface GenerationOptions {
  config: Config["background"];
  /** What the configuration files say of models. */
  claims: ModelClaims;
  clock: Clock;
  files: Files;
  host: Host;
  log: Log;
  prices?: Pick<KnownPrices, "find">;
  /** What a call has cost is entered here. */
  savings: Pick<Savings, "record">;
  toasts: Pick<Toasts, "show">;
  /** Of the daily records. */
  folder: string;
  instance: string;
  /** How long a model may take for its answer; set in tests only. */
  deadlineMs?: number;
}

const DEADLINE_MS = 60_000;
const MOST_WAITING = 8;
const SOURCE = "background";

export function createGeneration(options: GenerationOptions): Generation {
  const { claims, config, host, log, prices, savings, deadlineMs = DEADLINE_MS } = options;
  const budget = createBudget(options);
  const backoff = createBackoff(options.clock);
  const running = createRunning();
  const line = createWaitingLine(MOST_WAITING, write);
  const end = new AbortController();
  const { refuse, showUsedUp } = createRefusals(options);

  return {
    async generate(request) {
      const { purpose, sessionID } = request;
      const why = findObstacle();
      if (why !== undefined) return refuse(purpose, why);
      try {
        if (request.long) return await write(request);
        const placed = await line.add(`${sessionID} ${purpose}`, request);
        if (placed.kind === "done") return placed.result;
        if (placed.kind === "full") return refuse(purpose, `${MOST_WAITING} calls are waiting already`);
        const why = placed.kind === "replaced" ? "a newer request took its place" : "the plugin is ending";
        return { kind: "refused", why };
      } catch (thrown) {
        log.error(SOURCE, `${purpose}: ${formatError(thrown)}`);
        return { kind: "failed", why: formatError(thrown) };
      }
    },

    async status() {
      const { dailyCalls, dailyTokens } = config;
      const choice = planChoice(config, host.models(), claims);
      const spent = await budget.today();
      const isUsedUp = spent && (spent.calls >= dailyCalls || spent.tokens >= dailyTokens);
      const why =
        findObstacle() ??
        (spent ? undefined : "the records of the day cannot be read") ??
        (isUsedUp ? "the budget of the day is used up" : undefined);
      return {
        isAllowed: why === undefined,
        ...(why !== undefined && { why }),
        ...(choice.kind === "allowed" && choice.model !== undefined && { model: choice.model }),
        ...(spent && { callsToday: spent.calls, tokensToday: spent.tokens }),
        dailyCalls,
        dailyTokens,
        waiting: line.size,
      };
    },

    running: running.list,
    onChange: running.onChange,
    onIdle: line.onIdle,

    dispose() {
      end.abort();
      line.clear();
    },
  };

  /** Why no call can be made now. */
  function findObstacle(): string | undefined {
    if (end.signal.aborted) return "the plugin is ending";
    const choice = planChoice(config, host.models(), claims);
    return choice.kind === "refused" ? choice.why : backoff.why();
  }

  async function write(request: GenerationRequest): Promise<GenerationResult> {
    const { purpose, sessionID } = request;
    // It may have waited for a call that failed.
    const why = findObstacle();
    if (why !== undefined) return refuse(purpose, why);
    const tokens = countMostTokens(request);
    const reservation = await budget.reserve({ purpose, session: sessionID, tokens });
    if (reservation.kind === "refused") {
      if (reservation.isUsedUp) showUsedUp(reservation.why);
      return refuse(purpose, reservation.why);
    }
    const choice = planChoice(config, host.models(), claims);
    const model = choice.kind === "allowed" ? choice.model : undefined;
    const asked = planCall(request, { model, signal: end.signal, deadlineMs });
    const generated = await running.follow(purpose, () => host.generate(asked));
    if (generated.tokens) await reservation.settle(generated.tokens);
    savings.record(describeCall(request, generated.tokens, findRates(prices?.find(model))));
    if (generated.kind === "text") {
      backoff.noteAnswer();
      return check(log, request, { ...generated, model: model ?? "the host's model" });
    }
    // A call that fails because the plugin or the caller ends it is no failure of the model.
    const isCalledOff = end.signal.aborted || request.long?.signal.aborted;
    return isCalledOff
      ? { kind: "failed", why: generated.reason }
      : noteFailure({ backoff, log }, request, generated);
  }
}

/** `signal`: aborted when the plugin ends. Without a model the host chooses. */
function planCall(
  request: GenerationRequest,
  { deadlineMs, model, signal }: { deadlineMs: number; model: string | undefined; signal: AbortSignal },
): GenerateRequest {
  const { long, prompt, purpose, sessionID } = request;
  return {
    parentID: sessionID,
    title: purpose,
    prompt,
    ...(model !== undefined && { model }),
    maxAnswerTokens: countMostAnswerTokens(request),
    signal: long ? AbortSignal.any([signal, long.signal]) : signal,
    deadlineMs: long?.deadlineMs ?? deadlineMs,
  };
}

function noteFailure(
  { backoff, log }: { backoff: Backoff; log: Log },
  { purpose }: GenerationRequest,
  { reason, status, tokens }: Generated & { kind: "failed" },
): GenerationResult {
  const pauseMs = backoff.noteFailure({ reason, ...(status !== undefined && { status }) });
  const why = status === undefined ? reason : `${status} ${reason}`;
  const used = tokens ? formatUsed(tokens) : "tokens not known, an estimate is counted";
  log.warn(SOURCE, `${purpose}: ${why} (${used}); no model call for ${formatCount(pauseMs / 1_000)} s`);
  return { kind: "failed", why };
}

/** Whether the answer can be used. */
function check(
  log: Log,
  { maxCharacters, purpose }: GenerationRequest,
  { model, text, tokens }: { text: string; tokens: UsedTokens; model: string },
): GenerationResult {
  const used = `${formatUsed(tokens)}, ${model}`;
  if (maxCharacters !== undefined && text.length > maxCharacters) {
    const why = `the answer has ${formatCount(text.length)} characters, ${formatCount(maxCharacters)} are allowed`;
    log.warn(SOURCE, `${purpose}: ${why} (${used})`);
    return { kind: "failed", why };
  }
  log.info(SOURCE, `${purpose}: written (${used})`);
  return { kind: "text", text, tokens };
}

function formatUsed({ input, output, cacheRead }: UsedTokens): string {
  return `tokens in ${formatCount(input)}, out ${formatCount(output)}, cached ${formatCount(cacheRead)}`;
}

/** Refuses calls, and says why: in the log, and once a day to the person. */
function createRefusals({ clock, log, toasts }: Pick<GenerationOptions, "clock" | "log" | "toasts">) {
  let lastRefusal = "";
  let usedUpOn = "";

  return {
    /** Logged once for the same reason in a row: at a limit layers go on asking. */
    refuse(purpose: string, why: string): GenerationResult {
      log[why === lastRefusal ? "debug" : "info"](SOURCE, `${purpose}: no model call, ${why}`);
      lastRefusal = why;
      return { kind: "refused", why };
    },

    /** The budget of the day is used up. Shown once a day, since it explains why notes are plainer. */
    showUsedUp(why: string): void {
      const today = formatDay(clock.now());
      if (usedUpOn === today) return;
      usedUpOn = today;
      const text = `no more model calls in the background today: ${why}. Everything goes on without them.`;
      toasts.show(text, "info");
    },
  };
}

/** The purposes of the calls under way. */
function createRunning() {
  const purposes: string[] = [];
  const listeners: (() => void)[] = [];
  const announce = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    list: (): readonly string[] => purposes,
    onChange: (listener: () => void): void => void listeners.push(listener),
    async follow<T>(purpose: string, run: () => Promise<T>): Promise<T> {
      purposes.push(purpose);
      announce();
      try {
        return await run();
      } finally {
        purposes.splice(purposes.indexOf(purpose), 1);
        announce();
      }
    },
  };
}

/*
 * A short queue that runs one job at a time. A job with the key of a waiting one replaces it and keeps its place.
 */

export interface WaitingLine<Job, Result> {
  /** Resolves with the outcome. Rejects if the job does. */
  add(key: string, job: Job): Promise<Placed<Result>>;
  /** Number of waiting jobs. */
  readonly size: number;
  /** Drops the waiting jobs. */
  clear(): void;
  /** Resolves when no job is running or waiting. */
  onIdle(): Promise<void>;
}

export type Placed<Result> = { kind: "done"; result: Result } | { kind: "full" | "replaced" | "cleared" };

interface Waiting<Job, Result> {
  job: Job;
  resolve(placed: Placed<Result>): void;
  reject(thrown: unknown): void;
}

export function createWaitingLine<Job, Result>(
  mostWaiting: number,
  run: (job: Job) => Promise<Result>,
): WaitingLine<Job, Result> {
  const queue = new PQueue({ concurrency: 1 });
  const waiting = new Map<string, Waiting<Job, Result>>();

  return {
    add(key, job) {
      return new Promise((resolve, reject) => {
        const entry = { job, resolve, reject };
        const earlier = waiting.get(key);
        if (!earlier && waiting.size >= mostWaiting) return resolve({ kind: "full" });
        waiting.set(key, entry);
        if (earlier) earlier.resolve({ kind: "replaced" });
        else void queue.add(() => take(key));
      });
    },

    get size() {
      return waiting.size;
    },

    clear() {
      queue.clear();
      for (const { resolve } of waiting.values()) resolve({ kind: "cleared" });
      waiting.clear();
    },

    onIdle: () => queue.onIdle(),
  };

  async function take(key: string): Promise<void> {
    const entry = waiting.get(key);
    waiting.delete(key);
    if (!entry) return;
    await run(entry.job).then((result) => entry.resolve({ kind: "done", result }), entry.reject);
  }
}
