/**
 * How secrets look, as data. The forms of the tokens are facts that their issuers publish, most of them collected in the
 * rules of gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml, MIT); the patterns are our own, for text by
 * people and agents, and bounded, so that none backtracks for long.
 *
 * A library was looked at: secretlint 13 (MIT, no native parts) knows 24 providers, has no keys behind a provider's name
 * and no passwords in sentences, and takes 220 KB more.
 */
import type { SecretRule, TokenRow } from "./rules/rule.js";
import { sentenceRules } from "./rules/sentences.js";
import { settingRules } from "./rules/settings.js";
import { shapeRules } from "./rules/shapes.js";
import { cloudTokens } from "./rules/tokens/cloud.js";
import { codeTokens } from "./rules/tokens/code.js";
import { commerceTokens } from "./rules/tokens/commerce.js";
import { messageTokens } from "./rules/tokens/messages.js";
import { modelTokens } from "./rules/tokens/models.js";

/** Searched for wherever they stand. */
export const secretRules: readonly SecretRule[] = [...shapeRules, ...settingRules, ...sentenceRules];

/** Searched for where a word begins. */
export const tokenRows: readonly TokenRow[] = [
  ...cloudTokens,
  ...codeTokens,
  ...modelTokens,
  ...messageTokens,
  ...commerceTokens,
];
