/**
 * What a model's tokens cost. Pure. The host gives prices with each request, in dollars per million tokens; 0 for each
 * where they are unknown or nothing is charged.
 */

import type PQueue from "p-queue";
import { formatError } from "../base/error.js";
import { count, isRecord, list, object, parserOf } from "../base/shape.js";
import type { Files } from "../io/files.js";
import type { LongPrices, ModelPrices } from "../io/host.js";
import type { Log } from "../io/log.js";
import { createStateFile, formatState } from "../io/state-file.js";
import { PRICE, type Rates } from "./savings.js";

/** Prices of a prompt of `tokens`; those of Claude in tokens of input, without dollars, if the model's are unknown. */
export function findRates(prices: ModelPrices | undefined, tokens = 0): Rates {
  if (!prices) return PRICE;
  if (isFree(prices)) return { ...PRICE, dollars: 0 };
  const tier = prices.longer.findLast(({ aboveTokens }) => tokens > aboveTokens) ?? prices;
  // Relative to the lowest tier, so that records of one model add up.
  const unit = prices.input;
  return {
    written: (tier.cacheWrite || tier.input) / unit,
    // Without a price of its own, a token in the cache costs what any other does.
    cached: (tier.cacheRead || tier.input) / unit,
    answered: tier.output / unit,
    dollars: unit,
  };
}

/** Whether prompts cost nothing: a free or local model, or a subscription. */
export function isFree({ input }: ModelPrices): boolean {
  return input === 0;
}

export type KnownPrices = ReturnType<typeof createKnownPrices>;

interface ModelKey {
  readonly providerID: string;
  readonly modelID: string;
}

const SOURCE = "prices";
/** The models used last are kept. */
const MOST_MODELS = 100;

type Stored = ReadonlyMap<string, ModelPrices>;

/** `path` is that of the file. */
export function createKnownPrices({
  files,
  log,
  path,
  writes,
}: {
  files: Files;
  log: Log;
  path: string;
  writes: PQueue;
}) {
  const known = new Map<string, ModelPrices>();
  const stored = createStateFile<Stored>({
    files,
    parse,
    format: (models) => formatState({ models: Object.fromEntries(models) }),
    fresh: new Map(),
    complain: { log, source: SOURCE, anew: "prices are known again after the first request" },
  });
  let loading: Promise<void> | undefined;

  return {
    /** Reads what earlier starts remembered; later calls do nothing. Never rejects. */
    load(): Promise<void> {
      loading ??= stored.read(path).then((models) => {
        for (const [name, prices] of models) if (!known.has(name)) known.set(name, prices);
      });
      return loading;
    },

    /** Remembers the prices; writes them in the background if they are new. */
    learn(model: ModelKey, prices: ModelPrices): void {
      const name = nameOf(model);
      if (JSON.stringify(known.get(name)) === JSON.stringify(prices)) return;
      known.set(name, prices);
      void writes.add(() => write(name, prices));
    },

    /** `undefined` if they are unknown. A text is "provider/model". */
    find: (model: ModelKey | string | undefined): ModelPrices | undefined =>
      model === undefined ? undefined : known.get(nameOf(model)),
  };

  async function write(name: string, prices: ModelPrices): Promise<void> {
    try {
      const models = new Map(await stored.read(path));
      models.delete(name);
      await stored.write(path, new Map([...models, [name, prices] as const].slice(-MOST_MODELS)));
    } catch (thrown) {
      log.warn(
        SOURCE,
        `cannot write ${path}, prices are learned again at the next start: ${formatError(thrown)}`,
      );
    }
  }
}

function nameOf(model: ModelKey | string): string {
  return typeof model === "string" ? model : `${model.providerID}/${model.modelID}`;
}

const tier = { input: count, output: count, cacheRead: count, cacheWrite: count };
const parsePrices = parserOf(
  object<ModelPrices>({ ...tier, longer: list(object<LongPrices>({ ...tier, aboveTokens: count })) }),
);

function parse(text: string): Stored | undefined {
  const state: unknown = JSON.parse(text);
  if (!isRecord(state) || !isRecord(state.models)) return undefined;
  return new Map(
    Object.entries(state.models).flatMap(([name, given]) => {
      const prices = parsePrices(given);
      return prices ? [[name, prices] as const] : [];
    }),
  );
}
