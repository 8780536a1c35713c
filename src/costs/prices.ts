/**
 * What a model's tokens cost, in money or in what a subscription counts. The host gives prices with each request, in
 * dollars per million tokens. It gives 0, or none, for subscriptions, free models, and models that a configuration
 * names without a price. There is something to save there as well: a quota is used up like money, with the family's list
 * prices, unless the user says what counts (`prices`).
 */

import type PQueue from "p-queue";
import { formatError } from "../base/error.js";
import { findByName } from "../base/glob.js";
import { count, isRecord, list, object, parserOf } from "../base/shape.js";
import type { Config } from "../config/schema.js";
import type { Files } from "../io/files.js";
import type { LongPrices, ModelPrices } from "../io/host.js";
import type { Log } from "../io/log.js";
import type { ModelName } from "../io/message.js";
import { formatState, readState } from "../io/state-file.js";
import { PRICE, type Rates } from "./savings.js";

const listed = (input: number, cacheRead: number, output: number, cacheWrite = 0): ModelPrices => ({
  ...{ input, cacheRead, output, cacheWrite },
  longer: [],
});

/**
 * List prices by the family of models, the pattern with the most letters first: input, read from the cache, answered,
 * and written to the cache if that costs more than input. Without the tiers of prompts beyond 200,000 tokens.
 *
 * Sources, read in November 2026, beside models.dev, the host's catalogue:
 *     Claude     platform.claude.com/docs/en/about-claude/pricing (cache writes for 5 minutes)
 *     GPT        developers.openai.com/api/docs/pricing
 *     Gemini     ai.google.dev/gemini-api/docs/pricing
 *     Grok       docs.x.ai/docs/models
 *     DeepSeek   api-docs.deepseek.com/quick_start/pricing
 *     GLM        openrouter.ai/~z-ai/glm-latest
 */
export const LIST_PRICES: Readonly<Record<string, ModelPrices>> = {
  "*claude*": listed(3, 0.3, 15, 3.75),
  "*claude-fable-5-1*": listed(10, 0.25, 50, 12.5),
  "*claude-opus-5-5*": listed(4, 0.2, 20, 5),
  "*gpt-4*": listed(2, 0.5, 8),
  "*gpt-4o*": listed(2.5, 1.25, 10),
  "*gpt-5*": listed(1.25, 0.125, 10),
  "*gpt-5-4*": listed(2.5, 0.25, 15),
  "*gpt-5-5*": listed(5, 0.5, 30),
  "*gpt-5-6*": listed(2, 0.2, 10, 2.5),
  "*gemini*": listed(2, 0.2, 12),
  "*grok*": listed(2, 0.5, 6),
  "*deepseek*": listed(0.28, 0.028, 0.42),
  "*glm*": listed(1.4, 0.26, 4.4),
  "*kimi*": listed(0.6, 0.1, 3),
};

/** What counts, if the user says so. With "requests" tokens cost nothing: while the cache is warm, nothing is cleared to save some. */
const PAID_FOR: Readonly<Record<PaidFor, Rates>> = {
  tokens: { written: 1, cached: 1, answered: 1 },
  requests: { written: 0, cached: 0, answered: 0 },
  "input only": { written: 1, cached: 0, answered: 5 },
};

type PaidFor = Config["prices"][string];

/**
 * For a prompt of `tokens`. `name`: "provider/model", `prices`: as the host gives them. In dollars only if it has a price.
 * Pure.
 */
export function findRates(
  { name, paidFor, prices }: { name: string; prices: ModelPrices | undefined; paidFor: Config["prices"] },
  tokens = 0,
): Rates {
  const named = findByName(paidFor, name);
  if (named) return PAID_FOR[named];
  if (prices && prices.input > 0) return relate(prices, tokens);
  const list = findByName(LIST_PRICES, name.toLowerCase().replaceAll(".", "-"));
  if (!list) return PRICE;
  const { dollars: _, ...rates } = relate(list);
  return rates;
}

/** Relative to the input of the lowest tier, so that records of one model add up. */
export function relate(prices: ModelPrices, tokens = 0): Rates & { dollars: number } {
  const tier = prices.longer.findLast(({ aboveTokens }) => tokens > aboveTokens) ?? prices;
  const unit = prices.input;
  return {
    written: (tier.cacheWrite || tier.input) / unit,
    // Without a price of its own, a token in the cache costs what any other does.
    cached: (tier.cacheRead || tier.input) / unit,
    answered: tier.output / unit,
    dollars: unit,
  };
}

export type KnownPrices = ReturnType<typeof createKnownPrices>;

const SOURCE = "prices";
/** The models used last are kept. */
const MOST_MODELS = 100;

interface PricesOptions {
  files: Files;
  log: Log;
  paidFor: Config["prices"];
  /** Path of the file. */
  path: string;
  writes: PQueue;
}

export function createKnownPrices({ files, log, paidFor, path, writes }: PricesOptions) {
  const known = new Map<string, ModelPrices>();
  const anew = "prices are known again after the first request";
  const read = () => readState(files, path, parse, { log, source: SOURCE, anew });
  let loading: Promise<void> | undefined;

  return {
    /** Reads what earlier starts remembered; later calls do nothing. Never rejects. */
    load(): Promise<void> {
      loading ??= read().then((models = new Map()) => {
        for (const [name, prices] of models) if (!known.has(name)) known.set(name, prices);
      });
      return loading;
    },

    /** Remembers the prices; writes them in the background if they are new. */
    learn(model: ModelName, prices: ModelPrices): void {
      const name = nameOf(model);
      if (JSON.stringify(known.get(name)) === JSON.stringify(prices)) return;
      known.set(name, prices);
      void writes.add(() => write(name, prices));
    },

    /** What counts for a prompt of `tokens`. A text is "provider/model". */
    rates(model: ModelName | string | undefined, tokens?: number): Rates {
      if (model === undefined) return PRICE;
      const name = nameOf(model);
      return findRates({ name, paidFor, prices: known.get(name) }, tokens);
    },
  };

  async function write(name: string, prices: ModelPrices): Promise<void> {
    try {
      const models = new Map(await read());
      models.delete(name);
      const last = [...models, [name, prices] as const].slice(-MOST_MODELS);
      await files.writeWhole(path, formatState({ models: Object.fromEntries(last) }));
    } catch (thrown) {
      log.warn(
        SOURCE,
        `cannot write ${path}, prices are learned again at the next start: ${formatError(thrown)}`,
      );
    }
  }
}

function nameOf(model: ModelName | string): string {
  return typeof model === "string" ? model : `${model.providerID}/${model.modelID}`;
}

const tier = { input: count, output: count, cacheRead: count, cacheWrite: count };
const parsePrices = parserOf(
  object<ModelPrices>({ ...tier, longer: list(object<LongPrices>({ ...tier, aboveTokens: count })) }),
);

function parse(state: unknown): ReadonlyMap<string, ModelPrices> | undefined {
  if (!isRecord(state) || !isRecord(state.models)) return undefined;
  return new Map(
    Object.entries(state.models).flatMap(([name, given]) => {
      const prices = parsePrices(given);
      return prices ? [[name, prices] as const] : [];
    }),
  );
}
