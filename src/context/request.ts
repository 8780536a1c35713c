/** A request to the model, as layers see it, and how large it may be. */

import type { KnownPrices } from "../costs/prices.js";
import type { Rates } from "../costs/savings.js";
import type { Clock } from "../io/clock.js";
import type { ModelWindow } from "../io/host.js";
import type { Message, ModelName } from "../io/message.js";
import { readAnsweredMs, readHistory } from "../messages/history.js";
import { type CachePolicy, findColdReason, findIdleReason } from "./cold.js";
import type { ContextSizes } from "./context-size.js";
import type { Decisions } from "./decisions.js";
import { type Find, findCut, replay } from "./replay.js";
import { MOST_TOKENS, NEVER, resolveThreshold, type ThresholdLimits } from "./threshold.js";

interface RequestsOptions {
  decisions: Decisions;
  sizes: ContextSizes;
  windows: ModelWindows;
  prices: Pick<KnownPrices, "rates">;
  limits: ThresholdLimits;
  cachePolicy: CachePolicy;
  clock: Pick<Clock, "now">;
}

export type Requests = ReturnType<typeof createRequests>;

export function createRequests(options: RequestsOptions) {
  /** Agent and model of the last request of each session. */
  const asked = new Map<string, Asked>();
  const compactions = new Set<string>();
  const wantedCuts = new Set<string>();
  return {
    /** The next request of this session is the host's request for a summary. */
    expectCompaction: (sessionID: string): void => void compactions.add(sessionID),
    /** Notes are to replace history in the next request of this session. */
    wantCut: (sessionID: string): void => void wantedCuts.add(sessionID),
    /** Cancels that. Returns whether it was pending. */
    unwantCut: (sessionID: string): boolean => wantedCuts.delete(sessionID),

    /** When notes replace the history of this session: as of its last request, or before one as of these messages. */
    thresholdOf: (sessionID: string, messages: readonly Message[] = []) =>
      findThreshold(options, sessionID, asked.get(sessionID) ?? readAsked(messages)),

    open(messages: readonly Message[]): ContextRequest | undefined {
      const sessionID = messages[0]?.info.sessionID;
      if (sessionID === undefined) return undefined;
      const { agent, model } = readAsked(messages);
      const isCompaction = compactions.delete(sessionID);
      // The agent that summarises is another one.
      const by = isCompaction ? { agent, ...asked.get(sessionID), model } : { agent, model };
      if (!isCompaction) asked.set(sessionID, by);
      const isCutWanted = !isCompaction && wantedCuts.delete(sessionID);
      return openRequest(options, messages, { sessionID, by, isCompaction, isCutWanted });
    },
  };
}

/** A request to the model, as layers see it. */
export type ContextRequest = ReturnType<typeof openRequest>;

interface Opening {
  sessionID: string;
  by: Asked;
  isCompaction: boolean;
  isCutWanted: boolean;
}

function openRequest(options: RequestsOptions, messages: readonly Message[], opening: Opening) {
  const { by, isCompaction, isCutWanted, sessionID } = opening;
  const { cachePolicy, clock, decisions, prices, sizes, windows } = options;
  const { model } = by;
  const history = readHistory(messages);
  const find: Find = (key) => decisions.find(key, sessionID);
  const cut = untilDecided(decisions, () => findCut(history, find));
  const coldReturn = findIdleReason(history, clock.now(), cachePolicy);
  let counted: { shown: readonly Message[]; tokens: number } | undefined;
  return {
    sessionID,
    /** The host's messages. */
    history,
    /** The model that will answer. */
    model,
    window: windows.find(model),
    /**
     * Tokens that the request may have before history must be cut. Asked when they are needed: behind a restart this
     * request tells what system prompt and tools take.
     */
    get budgetTokens(): number {
      const { coldTokens, thresholdTokens } = findThreshold(options, sessionID, by);
      return coldReturn === undefined ? thresholdTokens : coldTokens;
    },
    /** The same without regard to a pause. */
    get thresholdTokens(): number {
      return findThreshold(options, sessionID, by).thresholdTokens;
    },
    /** Notes may replace history, unless the settings say never for this session's agent. */
    mayCut: findThreshold(options, sessionID, by).mayCut,
    /** Why nothing is cached, at the first request after a pause: the budget is `autoCompact.coldThreshold` then. */
    coldReturn,
    /** Is the cache cold, or does it break at this request anyway? Then a change of the prefix costs nothing. */
    isCold: (): boolean => findColdReason(history, model, clock.now(), cachePolicy) !== undefined,
    /** What the model charges for a prompt of so many tokens: at the first request of a start, as remembered. */
    rates: (tokens: number): Rates => prices.rates(model, tokens),
    /** The request is for a summary of the history, so nothing new is decided. */
    isCompaction,
    /** A person wants notes to replace history now, however short it is. */
    isCutWanted,
    /** Are all earlier decisions loaded? If not, nothing that is expensive to undo should be decided. */
    isReady: (): boolean => [...history.days].every(decisions.isLoaded),
    /** Decisions of this session, or inherited by it, about the result or message with this key. */
    find,
    /** Index of the first message of the history that is sent. */
    shownFrom: (): number => cut()?.index ?? 0,
    /** The messages to send, with all decisions so far. */
    show: untilDecided(decisions, () => replay(history, find, cut)),
    /** The messages as sent for the last answer, plus new ones, without decisions made after it. */
    showSent(): readonly Message[] {
      const answeredMs = readAnsweredMs(history);
      return replay(history, (key) => decisions.find(key, sessionID, answeredMs));
    },
    /** Tokens of the whole request with these messages. */
    estimateTokens(shown: readonly Message[]): number {
      // Several layers estimate the same list.
      if (counted?.shown !== shown) counted = { shown, tokens: sizes.estimate(sessionID, shown) };
      return counted.tokens;
    },
  };
}

function findThreshold(
  { limits, sizes, windows }: Pick<RequestsOptions, "limits" | "sizes" | "windows">,
  sessionID: string,
  { agent, model }: Asked,
) {
  const window = windows.find(model);
  const fixedTokens = sizes.fixedTokens(sessionID);
  const asking = { agent, model, fixedTokens, contextTokens: window?.contextTokens };
  const { coldTokens, tokens } = resolveThreshold(limits, asking);
  return {
    thresholdTokens: planBudget(tokens, window),
    coldTokens: planBudget(coldTokens, window),
    mayCut: tokens !== NEVER,
  };
}

/** Which agent's request it is, and to which model. */
interface Asked {
  agent?: string | undefined;
  model: ModelName | undefined;
}

function readAsked(messages: readonly Message[]): Asked {
  const model = messages.findLast(({ info }) => info.model)?.info.model;
  return { agent: messages.findLast(({ info }) => info.role === "user")?.info.agent, model };
}

/** Reads again only after a decision: several layers ask for what nothing else changes. */
function untilDecided<T>(decisions: Pick<Decisions, "version">, read: () => T): () => T {
  let known: { version: number; value: T } | undefined;
  return () => {
    const version = decisions.version();
    if (known?.version !== version) known = { version, value: read() };
    return known.value;
  };
}

/* Sizes of the models' context windows, as given by the host with each request. */

/** Tokens that OpenCode keeps free if the prompt has its own limit (`compaction.reserved`). */
const RESERVED_TOKENS = 20_000;
/** Share of the usable window to fill; the rest is for what one more answer adds before the next check. */
const FILLED = 0.85;
/** Share of a refused request's size allowed for later ones, since both sizes are estimates. */
const BELOW_REFUSED = 0.8;

type ModelWindows = ReturnType<typeof createModelWindows>;

export function createModelWindows() {
  const windows = new Map<string, ModelWindow>();
  const refused = new Map<string, number>();
  const nameOf = ({ providerID, modelID }: ModelName): string => `${providerID}/${modelID}`;
  return {
    learn: (model: ModelName, window: ModelWindow): void => void windows.set(nameOf(model), window),
    /** The provider refused a request of about this size as too long. Returns whether that is new. */
    noteRefused(model: ModelName, tokens: number): boolean {
      const isNews = tokens < (refused.get(nameOf(model)) ?? Number.POSITIVE_INFINITY);
      if (isNews) refused.set(nameOf(model), tokens);
      return isNews;
    },
    /** The provider accepted a request of this size: a refusal of a smaller one had another reason. */
    noteTaken(model: ModelName, tokens: number): void {
      if (tokens >= (refused.get(nameOf(model)) ?? Number.POSITIVE_INFINITY)) refused.delete(nameOf(model));
    },
    find(model: ModelName | undefined): ModelWindow | undefined {
      const window = model && windows.get(nameOf(model));
      const refusedTokens = model && refused.get(nameOf(model));
      return window && refusedTokens !== undefined ? { ...window, refusedTokens } : window;
    },
  };
}

/** Tokens of prompt and answer at which OpenCode 1.18.33 compacts by itself (measured). */
export function countUsableTokens(given: ModelWindow): number {
  const { contextTokens, inputTokens, outputTokens, usableTokens } = given;
  if (usableTokens !== undefined) return usableTokens;
  return inputTokens === undefined ? contextTokens - outputTokens : inputTokens - RESERVED_TOKENS;
}

/**
 * Tokens that a request may have before history must be cut: the threshold, but never more than the window allows, nor
 * close to a size that the provider has refused.
 */
export function planBudget(threshold: number, window: ModelWindow | undefined): number {
  const most = Math.min(threshold, MOST_TOKENS);
  if (!window) return most;
  const { contextTokens, refusedTokens = Number.POSITIVE_INFINITY } = window;
  const allowed = contextTokens > 0 ? countUsableTokens(window) * FILLED : Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor(Math.min(most, allowed, refusedTokens * BELOW_REFUSED)));
}
