/**
 * Model calls of our own: the one way for a layer to have something written. Bounded in every direction:
 *
 *     settings and models → backoff → waiting line (1 at a time, 8 waiting) → budget of the day → the host → checks
 *
 * A call that may not be made is a refusal, and every layer has a half that does without. Nobody waits for one in a
 * hook: an answer takes seconds, and may take all of the deadline behind others.
 */
import type { ModelClaims } from "../config/model-claims.js";
import type { Config } from "../config/schema.js";
import { formatDay } from "../days.js";
import { formatError } from "../error.js";
import { formatCount } from "../format.js";
import type { Log } from "../record/log.js";
import { PRICE, type Savings } from "../record/savings.js";
import type { Clock } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { Generated, Host, UsedTokens } from "../seams/host.js";
import type { Toasts } from "../toasts.js";
import { createAllowance } from "./allowance.js";
import { createBackoff } from "./backoff.js";
import { createBudget } from "./budget.js";
import { planChoice } from "./choice.js";
import { countMostAnswerTokens, countMostTokens, estimateTokens } from "./cost.js";
import type { GenerationRequest } from "./generation-request.js";
import { createWaitingLine, type Placed } from "./waiting-line.js";

export interface Generation {
  /** Never rejects. Of two requests for the same purpose and session that both wait only the newer is made. */
  generate(request: GenerationRequest): Promise<GenerationResult>;
  /** Would a call be made now? And for people: why not, and what was spent. Never rejects. */
  status(): Promise<GenerationStatus>;
  /** Resolves when no call is under way or waiting. */
  onIdle(): Promise<void>;
  /** Breaks off the call under way and refuses all others from now on. */
  dispose(): void;
}

export type GenerationResult =
  | { kind: "text"; text: string; tokens: UsedTokens }
  /** No call was made. */
  | { kind: "refused"; why: string }
  /** A call was made and came to nothing. */
  | { kind: "failed"; why: string };

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
  /** What a call has cost is entered here. */
  savings: Pick<Savings, "record">;
  toasts: Pick<Toasts, "show">;
  /** Of the daily records. */
  folder: string;
  instance: string;
  /** How long a model may take for its answer; another one in tests only. */
  deadlineMs?: number;
}

const DEADLINE_MS = 60_000;
const MOST_WAITING = 8;

const SOURCE = "background";

export function createGeneration(options: GenerationOptions): Generation {
  const { claims, config, clock, host, log, savings, toasts, deadlineMs = DEADLINE_MS } = options;
  const budget = createBudget(options);
  const backoff = createBackoff(clock);
  const line = createWaitingLine(MOST_WAITING, write);
  const end = new AbortController();
  let lastRefusal = "";
  let usedUpOn = "";

  return {
    async generate(request) {
      const { purpose, sessionID } = request;
      const why = findObstacle();
      if (why !== undefined) return refuse(purpose, why);
      try {
        // One that works with tools takes minutes: the others do not wait for it.
        if (request.tools) return await write(request);
        return readPlaced(purpose, await line.add(`${sessionID} ${purpose}`, request));
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

    onIdle: line.onIdle,

    dispose() {
      end.abort();
      line.clear();
    },
  };

  /** What stands against any call now. */
  function findObstacle(): string | undefined {
    if (end.signal.aborted) return "the plugin is ending";
    const choice = planChoice(config, host.models(), claims);
    return choice.kind === "refused" ? choice.why : backoff.why();
  }

  async function write(request: GenerationRequest): Promise<GenerationResult> {
    const { purpose, sessionID, prompt, tools } = request;
    // It may have waited for a call that failed.
    const why = findObstacle();
    if (why !== undefined) return refuse(purpose, why);
    const reservation = await budget.reserve({
      purpose,
      session: sessionID,
      tokens: countMostTokens(request),
    });
    if (reservation.kind === "refused") {
      if (reservation.isUsedUp) tellUsedUp(reservation.why);
      return refuse(purpose, reservation.why);
    }
    const choice = planChoice(config, host.models(), claims);
    const model = choice.kind === "allowed" ? choice.model : undefined;
    const generated = await host.generate({
      parentID: sessionID,
      title: purpose,
      prompt,
      ...(model !== undefined && { model }),
      maxAnswerTokens: countMostAnswerTokens(request),
      signal: tools ? AbortSignal.any([end.signal, tools.signal]) : end.signal,
      deadlineMs: tools?.deadlineMs ?? deadlineMs,
      ...(tools && { bounds: tools, mayGoOn: createAllowance(request, reservation.extend) }),
    });
    if (generated.tokens) await reservation.settle(generated.tokens);
    account(request, generated.tokens ?? { input: estimateTokens(request), output: 0, cacheRead: 0 });
    return judge(request, generated, model ?? "the host's model");
  }

  /** Failed calls cost as well. */
  function account({ purpose, sessionID }: GenerationRequest, tokens: UsedTokens): void {
    const { cacheRead, input, output } = tokens;
    savings.record({
      session: sessionID,
      layer: SOURCE,
      event: "background",
      reason: purpose,
      backgroundTokens: input + output + cacheRead,
      net: -Math.round(input * PRICE.written + cacheRead * PRICE.cached + output * PRICE.answered),
    });
  }

  function judge({ purpose, maxCharacters }: GenerationRequest, generated: Generated, model: string) {
    if (generated.kind === "failed") return fail(purpose, generated);
    backoff.noteAnswer();
    const { text, tokens } = generated;
    const used = `${formatUsed(tokens)}, ${model}`;
    if (maxCharacters !== undefined && text.length > maxCharacters) {
      const why = `the answer has ${formatCount(text.length)} characters, ${formatCount(maxCharacters)} are allowed`;
      log.warn(SOURCE, `${purpose}: ${why} (${used})`);
      return { kind: "failed", why } as const;
    }
    log.info(SOURCE, `${purpose}: written (${used})`);
    return { kind: "text", text, tokens } as const;
  }

  function fail(purpose: string, failure: Generated & { kind: "failed" }): GenerationResult {
    const { reason: why, status, tokens } = failure;
    if (end.signal.aborted) return { kind: "failed", why };
    const pauseMs = backoff.noteFailure({ reason: why, ...(status !== undefined && { status }) });
    const said = status === undefined ? why : `${status} ${why}`;
    const used = tokens ? formatUsed(tokens) : "tokens not known, an estimate is counted";
    log.warn(SOURCE, `${purpose}: ${said} (${used}); no model call for ${formatCount(pauseMs / 1_000)} s`);
    return { kind: "failed", why: said };
  }

  /** Said once, and again when it is another reason: at a limit layers go on asking. */
  function refuse(purpose: string, why: string): GenerationResult {
    log[why === lastRefusal ? "debug" : "info"](SOURCE, `${purpose}: no model call, ${why}`);
    lastRefusal = why;
    return { kind: "refused", why };
  }

  /** Once a day: everything goes on without the calls, and a person may want to know why notes are plainer. */
  function tellUsedUp(why: string): void {
    const today = formatDay(clock.now());
    if (usedUpOn === today) return;
    usedUpOn = today;
    toasts.show(
      `no more model calls in the background today: ${why}. Everything goes on without them.`,
      "info",
    );
  }

  function readPlaced(purpose: string, placed: Placed<GenerationResult>): GenerationResult {
    if (placed.kind === "done") return placed.result;
    if (placed.kind === "full") return refuse(purpose, `${MOST_WAITING} calls are waiting already`);
    return {
      kind: "refused",
      why: placed.kind === "replaced" ? "a newer request took its place" : "the plugin is ending",
    };
  }
}

function formatUsed({ input, output, cacheRead }: UsedTokens): string {
  return `tokens in ${formatCount(input)}, out ${formatCount(output)}, cached ${formatCount(cacheRead)}`;
}
