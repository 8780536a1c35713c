/** What a call costs: tokens estimated in advance (the average for the ledger, the maximum for the budget), and the price. */
import { type Chosen, type Claim, findClaimOn, type ModelClaims } from "../config/plugin-entries.js";
import type { Config } from "../config/schema.js";
import { type NewSavingsRecord, priceNet, type Rates } from "../costs/savings.js";
import type { Models, UsedTokens } from "../io/host.js";

interface PlannedCall {
  prompt: string;
  maxCharacters?: number;
}

/** Characters of an answer if the request sets no limit. */
const USUAL_ANSWER_CHARACTERS = 8_000;
/** Tokens that the host adds to each of these requests; 110 measured. */
const PREAMBLE_TOKENS = 150;
/** Average. Counts for calls whose real number is unknown. */
const CHARACTERS_PER_TOKEN = 4;
/** Minimum for ASCII, seen in code and tables with all known tokenizers. */
const FEWEST_CHARACTERS_PER_TOKEN = 3;
/** For a character outside ASCII; older tokenizers use two tokens for a rare one. */
const MOST_TOKENS_PER_CHARACTER = 1.5;

/** Average tokens of a call. */
export function estimateTokens({ prompt, maxCharacters = USUAL_ANSWER_CHARACTERS }: PlannedCall): number {
  return PREAMBLE_TOKENS + Math.ceil((prompt.length + maxCharacters) / CHARACTERS_PER_TOKEN);
}

/** Maximum tokens of a call: its prompt, and an answer of the length that the provider is told to keep to. */
export function countMostTokens(call: PlannedCall): number {
  const { prompt } = call;
  const beyondAscii = prompt.match(/[^\p{ASCII}]/gu)?.join("").length ?? 0;
  const asked =
    (prompt.length - beyondAscii) / FEWEST_CHARACTERS_PER_TOKEN + beyondAscii * MOST_TOKENS_PER_CHARACTER;
  return PREAMBLE_TOKENS + Math.ceil(asked) + countMostAnswerTokens(call);
}

/**
 * Maximum tokens of one answer: as many as characters. In English that leaves three quarters for thinking, and text with
 * one token per character still fits.
 */
export const countMostAnswerTokens = ({ maxCharacters = USUAL_ANSWER_CHARACTERS }: PlannedCall): number =>
  maxCharacters;

/** A call in the savings ledger. Failed calls cost as well; where the tokens are unknown, the estimate counts. */
export function describeCall(
  call: PlannedCall & { purpose: string; sessionID: string },
  tokens: UsedTokens | undefined,
  rates: Rates,
): NewSavingsRecord {
  const { cacheRead, input, output } = tokens ?? { input: estimateTokens(call), output: 0, cacheRead: 0 };
  return {
    session: call.sessionID,
    layer: "background",
    event: "background",
    reason: call.purpose,
    backgroundTokens: input + output + cacheRead,
    ...priceNet(-(input * rates.written + cacheRead * rates.cached + output * rates.answered), rates),
  };
}

/** Whether model calls are allowed, and with which model; if absent, the host chooses. */
export type Choice =
  | { kind: "allowed"; model?: string }
  /** `claim`: the project's setting that is the reason, if any. */
  | { kind: "refused"; why: string; claim?: Claim };

const NO_MODEL =
  'background.enabled is "auto" and no small model other than the main one is configured ' +
  "(small_model in opencode.json; in OpenCode 2 agents.title.model); set background.model, or background.enabled to true";

/**
 * Decides from the settings and the configured models. "auto" never spends unasked: it uses only a model named for the
 * purpose, or a small model other than the main one. Text is never sent where a repository wants it: neither the model
 * nor its provider may be set by a project.
 */
export function planChoice(
  { enabled, model }: Config["background"],
  { main, small }: Models,
  claims: ModelClaims,
): Choice {
  if (enabled === false) return { kind: "refused", why: "background.enabled is false" };
  // If a project names another main model, the user's main one does not become a small one.
  const hasSmall = small !== undefined && small !== main && small !== claims.users.main;
  if (enabled === "auto" && model === undefined && !hasSmall) return { kind: "refused", why: NO_MODEL };
  const chosen = findChosen(model, { main, small }, claims);
  const claim = findClaimOn(chosen, claims);
  if (claim) return { kind: "refused", why: formatClaim(claim), claim };
  return { kind: "allowed", ...(chosen.model !== undefined && { model: chosen.model }) };
}

/** The model, and the OpenCode setting that named it if the value is not the user's own. */
function findChosen(
  model: string | undefined,
  { main, small }: { [Name in keyof Models]: Models[Name] | undefined },
  { users }: ModelClaims,
): Chosen {
  if (model !== undefined) return { model };
  if (small !== undefined)
    return small === users.small ? { model: small } : { model: small, key: "small_model" };
  if (main === undefined) return {};
  return main === users.main ? { model: main } : { model: main, key: "model" };
}

function formatClaim({ file, key }: Claim): string {
  const todo = /^providers?\./.test(key)
    ? "remove it there, or set background.model to another provider's model in your own configuration"
    : "set background.model in your own configuration";
  return `${key} in ${file} is set by the project, which must not decide where text is sent: ${todo}`;
}
