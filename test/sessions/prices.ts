/**
 * Prices of models in dollars per million tokens: tokens written to the prompt cache (or not cached), read from it, and
 * answered. Where a provider charges long prompts more, `above` has the dearer tier.
 *
 * Sources, read in November 2026:
 *     Claude     platform.claude.com/docs/en/about-claude/pricing (cache writes for 5 minutes)
 *     GPT        developers.openai.com/api/docs/pricing (long prompts: input twice, output 1.5 times)
 *     Gemini     ai.google.dev/gemini-api/docs/pricing
 *     Grok       docs.x.ai/docs/models
 *     DeepSeek   api-docs.deepseek.com/quick_start/pricing
 */

/** Prices of one tier. */
export interface Tier {
  written: number;
  read: number;
  answered: number;
}

export interface Price extends Tier {
  model: string;
  /** Whether cache points and the look-back of Anthropic's cache apply. */
  hasLookBack: boolean;
  /** Prices of a request of more than `tokens` tokens. */
  above?: Tier & { tokens: number };
}

/** The prices of the report, in tokens of input. */
export const REPORT_PRICE: Price = {
  model: "report",
  written: 1.25,
  read: 0.1,
  answered: 5,
  hasLookBack: false,
};

const claude = (model: string, written: number, read: number, answered: number): Price => ({
  model,
  written,
  read,
  answered,
  hasLookBack: true,
});

const other = (
  model: string,
  { written, read, answered }: Tier,
  long?: { tokens: number; input: number; output: number },
): Price => ({
  model,
  written,
  read,
  answered,
  hasLookBack: false,
  ...(long && {
    above: {
      tokens: long.tokens,
      written: written * long.input,
      read: read * long.input,
      answered: answered * long.output,
    },
  }),
});

export const PRICES: readonly Price[] = [
  claude("Claude Opus 4.1", 18.75, 1.5, 75),
  claude("Claude Opus 4.8", 6.25, 0.5, 25),
  claude("Claude Opus 5.5", 5, 0.2, 20),
  claude("Claude Sonnet 4.5", 3.75, 0.3, 15),
  other("GPT-5.2", { written: 1.75, read: 0.175, answered: 14 }),
  other("GPT-5.4", { written: 2.5, read: 0.25, answered: 15 }, { tokens: 272_000, input: 2, output: 1.5 }),
  other("Gemini 3 Pro", { written: 2, read: 0.2, answered: 12 }, { tokens: 200_000, input: 2, output: 1.5 }),
  other("Grok 4", { written: 3, read: 0.75, answered: 15 }, { tokens: 128_000, input: 2, output: 2 }),
  other("Grok 4.7", { written: 2, read: 0.5, answered: 6 }, { tokens: 200_000, input: 2, output: 2 }),
  other("DeepSeek V3.2", { written: 0.28, read: 0.028, answered: 0.42 }),
];

/** Name of the model as a host would call it. */
export function modelOf({ model }: Price): { providerID: string; modelID: string } {
  return { providerID: "mock", modelID: model.toLowerCase().replaceAll(/[ .]/g, "-") };
}

/** The prices as the host gives them to plugins. Anthropic's are for writing to the cache, at 1.25 of input. */
export function costOf({ above, hasLookBack, ...price }: Price): object {
  const read = ({ answered, read, written }: Tier) => ({
    input: hasLookBack ? written / 1.25 : written,
    output: answered,
    cache: { read, write: hasLookBack ? written : 0 },
  });
  const tiers = above ? [{ ...read(above), tier: { type: "context", size: above.tokens } }] : [];
  return { ...read(price), tiers };
}

/** Tokens of a request, by what they cost. */
export interface Usage {
  sent: number;
  cached: number;
  answered: number;
}

/** The prices that apply to a prompt of this size. */
export function tierOf(price: Price, sent: number): Tier {
  return price.above && sent > price.above.tokens ? price.above : price;
}

/** Price of one request. */
export function priceOf(price: Price, { sent, cached, answered }: Usage): number {
  const tier = tierOf(price, sent);
  return (sent - cached) * tier.written + cached * tier.read + answered * tier.answered;
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
