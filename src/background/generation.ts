/**
 * Model calls of our own: the one way for a layer to have something written. Bounded in every direction:
 *
 *     settings and models → backoff → waiting line (1 at a time, 8 waiting) → budget of the day → the host → checks
 *
 * A call that may not be made is a refusal, and every layer works without it. No hook waits for a call: an answer takes
 * seconds, and up to the whole deadline when others wait before it.
 */
import type { ModelClaims } from "../config/model-claims.js";
import type { Config } from "../config/schema.js";
import { formatError } from "../error.js";
import type { Log } from "../record/log.js";
import { findRates, type KnownPrices } from "../record/prices.js";
import type { Savings } from "../record/savings.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { GenerateRequest, Host } from "../seams/host.js";
import type { Toasts } from "../toasts.js";
import { createAllowance } from "./allowance.js";
import { createBackoff } from "./backoff.js";
import { createBudget } from "./budget.js";
import { planChoice } from "./choice.js";
import { countMostAnswerTokens, countMostTokens } from "./cost.js";
import type { GenerationRequest, GenerationResult } from "./generation-request.js";
import { createOutcomes } from "./outcomes.js";
import { createRefusals } from "./refusals.js";
import { createRunning } from "./running.js";
import { createWaitingLine } from "./waiting-line.js";

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
  const { claims, config, clock, host, log, prices, savings, toasts, deadlineMs = DEADLINE_MS } = options;
  const budget = createBudget(options);
  const backoff = createBackoff(clock);
  const running = createRunning();
  const line = createWaitingLine(MOST_WAITING, write);
  const end = new AbortController();
  const outcomes = createOutcomes({ backoff, end: end.signal, log, savings });
  const { refuse, showUsedUp } = createRefusals({ clock, log, toasts });

  return {
    async generate(request) {
      const { purpose, sessionID } = request;
      const why = findObstacle();
      if (why !== undefined) return refuse(purpose, why);
      try {
        // A call with tools takes minutes: the others do not wait for it.
        if (request.tools) return await write(request);
        const placed = await line.add(`${sessionID} ${purpose}`, request);
        if (placed.kind === "done") return placed.result;
        if (placed.kind === "full") return refuse(purpose, `${MOST_WAITING} calls are waiting already`);
        const isReplaced = placed.kind === "replaced";
        return {
          kind: "refused",
          why: isReplaced ? "a newer request took its place" : "the plugin is ending",
        };
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
    const planned = { purpose, session: sessionID, tokens: countMostTokens(request) };
    const reservation = await budget.reserve(planned);
    if (reservation.kind === "refused") {
      if (reservation.isUsedUp) showUsedUp(reservation.why);
      return refuse(purpose, reservation.why);
    }
    const choice = planChoice(config, host.models(), claims);
    const model = choice.kind === "allowed" ? choice.model : undefined;
    const asked = planCall(request, { model, signal: end.signal, deadlineMs, extend: reservation.extend });
    const generated = await running.follow(purpose, () => host.generate(asked));
    if (generated.tokens) await reservation.settle(generated.tokens);
    const rates = findRates(prices?.find(model));
    return outcomes.take(request, generated, { name: model ?? "the host's model", rates });
  }
}

interface CallOptions extends Pick<GenerateRequest, "signal" | "deadlineMs"> {
  /** Absent: the host's choice. */
  model: string | undefined;
  extend(tokens: number): Promise<string | undefined>;
}

function planCall(
  request: GenerationRequest,
  { deadlineMs, extend, model, signal }: CallOptions,
): GenerateRequest {
  const { prompt, purpose, sessionID, tools } = request;
  return {
    parentID: sessionID,
    title: purpose,
    prompt,
    ...(model !== undefined && { model }),
    maxAnswerTokens: countMostAnswerTokens(request),
    signal: tools ? AbortSignal.any([signal, tools.signal]) : signal,
    deadlineMs: tools?.deadlineMs ?? deadlineMs,
    ...(tools && { bounds: tools, mayGoOn: createAllowance(request, extend) }),
  };
}
