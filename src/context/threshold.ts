/**
 * From how many tokens on notes replace history, as people set it: a number, a percentage of the model's window, either
 * of them by model, and by agent. The user's own files and the project's are kept apart, since only a model and its
 * window show which of the two is lower. Pure.
 */
import { findByName } from "../base/glob.js";
import { isRecord } from "../base/shape.js";
import { type Allowed, byName, either, only, textLike, whole } from "../config/setting.js";
import type { ModelName } from "../io/message.js";

type Amount = number | `${number}%`;
type ByModel = Readonly<Record<string, Amount>>;

const LEAST_TOKENS = 10_000;
/** More than any window has. */
export const MOST_TOKENS = 10_000_000;
/** Notes never replace history. */
export const NEVER = Number.POSITIVE_INFINITY;

export const tokens = whole(LEAST_TOKENS, MOST_TOKENS);
const amount = either(tokens, textLike(/^([1-9]\d?|100)%$/, "30%") as Allowed<`${number}%`>);
export const amountByModel: Allowed<Amount | ByModel> = either(amount, byName(amount));
export const amountByAgent = byName(either(amount, only(false)));

/** Where nothing else is set; docs/bench.md says how it was chosen. */
export const USUAL_TOKENS = 50_000;
/** The same after a pause in which the cache has gone cold: nothing is lost then. */
export const USUAL_COLD_TOKENS = 40_000;
/**
 * Both are for a system prompt and tools of at most so many tokens; what these take beyond, with many MCP servers 60,000,
 * is added. Notes cannot replace it, and the session would have no room beside it.
 */
const INCLUDED_FIXED_TOKENS = 15_000;

/** The settings that have been set, without defaults. */
export interface ThresholdSettings {
  readonly threshold?: Amount | ByModel | undefined;
  readonly agents?: Readonly<Record<string, Amount | false>> | undefined;
  readonly coldThreshold?: number | false | undefined;
}

export interface ThresholdLimits {
  readonly users: ThresholdSettings;
  readonly projects: ThresholdSettings;
}

/** What a request is for. */
interface Asking {
  agent?: string | undefined;
  model?: ModelName | undefined;
  /** The model's window: 0 if the host does not know it, `undefined` before its first request. */
  contextTokens?: number | undefined;
  /** Tokens of system prompt and tools. */
  fixedTokens?: number | undefined;
}

/**
 * The lower of the user's threshold and the project's. One that the user has set holds after a pause, too: only a
 * threshold that nobody has chosen gives way to the cold one, `coldTokens`: at the first request after a pause in which the
 * cache has gone cold; never above `tokens`, which may be `NEVER`.
 */
export function resolveThreshold({ projects, users }: ThresholdLimits, asking: Asking) {
  const chosen = findTokens(users, asking);
  const more = Math.max(0, (asking.fixedTokens ?? 0) - INCLUDED_FIXED_TOKENS);
  const tokens = Math.min(chosen ?? USUAL_TOKENS + more, findTokens(projects, asking) ?? NEVER);
  if (chosen !== undefined) return { tokens, coldTokens: tokens };
  const cold = [users.coldThreshold ?? USUAL_COLD_TOKENS + more, projects.coldThreshold ?? false];
  return { tokens, coldTokens: Math.min(tokens, ...cold.filter((one) => one !== false)) };
}

/** `undefined` if nothing is set for this agent and model. */
function findTokens(
  { agents = {}, threshold }: ThresholdSettings,
  { agent, contextTokens, model }: Asking,
): number | undefined {
  const name = model ? `${model.providerID}/${model.modelID}` : "";
  const general = isRecord(threshold) ? findByName<Amount>(threshold as ByModel, name) : threshold;
  const own = agent === undefined ? undefined : findByName(agents, agent);
  return toTokens(own, contextTokens) ?? toTokens(general, contextTokens);
}

/** `undefined` also if it is a share of a window that the host does not know. */
function toTokens(
  set: Amount | false | undefined,
  contextTokens: Asking["contextTokens"],
): number | undefined {
  if (set === undefined || typeof set === "number") return set;
  // Before the window is known, a share of it could be any size.
  if (set === false || contextTokens === undefined) return NEVER;
  if (contextTokens === 0) return undefined;
  return Math.max(LEAST_TOKENS, Math.floor((contextTokens * Number.parseInt(set, 10)) / 100));
}
