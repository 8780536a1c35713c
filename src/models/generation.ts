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
import type { KnownPrices } from "../costs/prices.js";
import type { Savings } from "../costs/savings.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Host, UsedTokens } from "../io/host.js";
import type { Log } from "../io/log.js";
import type { Toasts } from "../io/toasts.js";
import { type Backoff, type Budget, createBackoff, createBudget } from "./budget.js";
import { type Choice, countMostAnswerTokens, countMostTokens, describeCall, planChoice } from "./cost.js";

/** A model call by Strata. The model has no tools. */
export interface GenerationRequest {
  /** Purpose in a few fixed words: "session notes". */
  purpose: string;
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

interface GenerationOptions {
  config: Config["background"];
  /** What the configuration files say of models. */
  claims: ModelClaims;
  clock: Clock;
  files: Files;
  host: Host;
  log: Log;
  prices: Pick<KnownPrices, "rates">;
  /** What a call has cost is entered here. */
  savings: Pick<Savings, "record">;
  toasts: Pick<Toasts, "show">;
  /** Of the daily records. */
  folder: string;
  instance: string;
}

const DEADLINE_MS = 60_000;
const MOST_WAITING = 8;
const SOURCE = "background";

export type Generation = ReturnType<typeof createGeneration>;

export function createGeneration(options: GenerationOptions) {
  const { claims, config, host } = options;
  const budget = createBudget(options);
  const backoff = createBackoff(options.clock);
  const end = new AbortController();
  const chooseModel = () => planChoice(config, host.models(), claims);
  /** Why no call can be made now. */
  const findObstacle = (): string | undefined => {
    if (end.signal.aborted) return ENDING;
    const choice = chooseModel();
    return choice.kind === "refused" ? choice.why : backoff.why();
  };
  const calls = createCalls(options, { backoff, budget, chooseModel, findObstacle, signal: end.signal });
  const queue = createQueue(calls.write);

  return {
    /** Never rejects. Of two requests for the same purpose and session that both wait only the newer is made. */
    async generate(request: GenerationRequest): Promise<GenerationResult> {
      const why = findObstacle();
      if (why !== undefined) return calls.refuse(request.purpose, why);
      if (request.long) return calls.write(request);
      const waiting = queue.add(request);
      return waiting ?? calls.refuse(request.purpose, `${MOST_WAITING} calls are waiting already`);
    },

    /**
     * Would a call be made now? And for people: why not, as a sentence. `model`: "provider/model", absent when it is the
     * host's choice, or none may be used. Never rejects.
     */
    async status(): Promise<{ isAllowed: boolean; why?: string; model?: string }> {
      const choice = chooseModel();
      const why = findObstacle() ?? (await budget.findObstacle());
      return {
        isAllowed: why === undefined,
        ...(why !== undefined && { why }),
        ...(choice.kind === "allowed" && choice.model !== undefined && { model: choice.model }),
      };
    },

    /** Purposes of the calls under way. */
    running: calls.running,
    /** Calls the listener whenever a call begins or ends. */
    onChange: calls.onChange,
    /** Resolves when no call is under way or waiting. */
    onIdle: queue.onIdle,

    /** Aborts the call under way and refuses all others from now on. */
    dispose(): void {
      end.abort();
      queue.clear();
    },
  };
}

const ENDING = "the plugin is ending";

interface CallParts {
  backoff: Backoff;
  budget: Budget;
  chooseModel(): Choice;
  findObstacle(): string | undefined;
  /** Aborted when the plugin ends. */
  signal: AbortSignal;
}

/** One call after another: reserves, asks the host, records what was spent. */
function createCalls(options: GenerationOptions, parts: CallParts) {
  const { host, log, prices, savings } = options;
  const { backoff, budget, chooseModel, findObstacle, signal } = parts;
  const purposes: string[] = [];
  const listeners: (() => void)[] = [];
  const { refuse, showUsedUp } = createRefusals(options);

  return {
    write,
    refuse,
    running: (): readonly string[] => purposes,
    onChange: (listener: () => void): void => void listeners.push(listener),
  };

  /** Never rejects. */
  async function write(request: GenerationRequest): Promise<GenerationResult> {
    const { purpose } = request;
    // It may have waited for a call that failed.
    const why = findObstacle();
    if (why !== undefined) return refuse(purpose, why);
    purposes.push(purpose);
    announce();
    try {
      return await call(request);
    } catch (thrown) {
      log.error(SOURCE, `${purpose}: ${formatError(thrown)}`);
      return { kind: "failed", why: formatError(thrown) };
    } finally {
      purposes.splice(purposes.indexOf(purpose), 1);
      announce();
    }
  }

  async function call(request: GenerationRequest): Promise<GenerationResult> {
    const { long, prompt, purpose, sessionID } = request;
    const tokens = countMostTokens(request);
    const reservation = await budget.reserve({ purpose, session: sessionID, tokens });
    if (reservation.kind === "refused") {
      if (reservation.isUsedUp) showUsedUp(reservation.why);
      return refuse(purpose, reservation.why);
    }
    const choice = chooseModel();
    const model = choice.kind === "allowed" ? choice.model : undefined;
    const generated = await host.generate({
      ...{ parentID: sessionID, title: purpose, prompt, ...(model !== undefined && { model }) },
      maxAnswerTokens: countMostAnswerTokens(request),
      signal: long ? AbortSignal.any([signal, long.signal]) : signal,
      deadlineMs: long?.deadlineMs ?? DEADLINE_MS,
    });
    if (generated.tokens) await reservation.recordSpent(generated.tokens);
    savings.record(describeCall(request, generated.tokens, prices.rates(model)));
    if (generated.kind === "text") {
      backoff.noteAnswer();
      return check(log, request, { ...generated, model: model ?? "the host's model" });
    }
    // A call that fails because the plugin or the caller ends it is no failure of the model.
    const { reason, status, tokens: spent } = generated;
    if (signal.aborted || long?.signal.aborted) return { kind: "failed", why: reason };
    const pauseMs = backoff.noteFailure(reason, status);
    const why = status === undefined ? reason : `${status} ${reason}`;
    const used = spent ? formatUsed(spent) : "tokens not known, an estimate is counted";
    log.warn(SOURCE, `${purpose}: ${why} (${used}); no model call for ${formatCount(pauseMs / 1_000)} s`);
    return { kind: "failed", why };
  }

  function announce(): void {
    for (const listener of listeners) listener();
  }
}

function createRefusals({ clock, log, toasts }: GenerationOptions) {
  let lastRefusal = "";
  let usedUpOn = "";
  return {
    /** Logged once for the same reason in a row: at a limit layers go on asking. */
    refuse(purpose: string, why: string): GenerationResult {
      log[why === lastRefusal ? "debug" : "info"](SOURCE, `${purpose}: no model call, ${why}`);
      lastRefusal = why;
      return { kind: "refused", why };
    },

    /** Shown once a day, since it explains why notes are plainer. */
    showUsedUp(why: string): void {
      const today = formatDay(clock.now());
      const what = `no more model calls in the background today: ${why}. Everything goes on without them.`;
      if (usedUpOn !== today) toasts.show(what, "info");
      usedUpOn = today;
    },
  };
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

/** Runs one call at a time. One with the purpose and session of a waiting one replaces it and keeps its place. */
function createQueue(write: (request: GenerationRequest) => Promise<GenerationResult>) {
  const queue = new PQueue({ concurrency: 1 });
  const waiting = new Map<string, { request: GenerationRequest; resolve(result: GenerationResult): void }>();
  const refused = (why: string): GenerationResult => ({ kind: "refused", why });

  return {
    /** `undefined` if too many are waiting. */
    add(request: GenerationRequest): Promise<GenerationResult> | undefined {
      const key = `${request.sessionID} ${request.purpose}`;
      const earlier = waiting.get(key);
      if (!earlier && waiting.size >= MOST_WAITING) return undefined;
      return new Promise((resolve) => {
        waiting.set(key, { request, resolve });
        if (earlier) earlier.resolve(refused("a newer request took its place"));
        else void queue.add(() => take(key));
      });
    },
    clear() {
      queue.clear();
      for (const { resolve } of waiting.values()) resolve(refused(ENDING));
      waiting.clear();
    },
    onIdle: () => queue.onIdle(),
  };

  async function take(key: string): Promise<void> {
    const next = waiting.get(key);
    waiting.delete(key);
    if (next) next.resolve(await write(next.request));
  }
}
