import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/schema.js";
import { measureCached } from "../../src/context/context-size.js";
import { createKnownPrices, findRates, relate } from "../../src/costs/prices.js";
import { PRICE, priceNet, type Rates } from "../../src/costs/savings.js";
import { readPrices } from "../../src/host/readings.js";
import type { ModelPrices } from "../../src/io/host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, user } from "../support/messages.js";

const SONNET = { input: 3, output: 15, cache: { read: 0.3, write: 3.75 } };
const GPT = { input: 2.5, output: 15, cache: { read: 0.25, write: 0 } };
const long = (size: number) => ({
  input: 5,
  output: 22.5,
  cache: { read: 0.5, write: 0 },
  tier: { type: "context", size },
});

function read(cost: unknown): ModelPrices {
  const prices = readPrices(cost);
  if (!prices) throw new Error(`no prices in ${JSON.stringify(cost)}`);
  return prices;
}

const FREE = read({ input: 0, output: 0, cache: { read: 0, write: 0 } });

/** What counts with this model, "provider/model", at these prices of the host. */
const rate = (name: string, prices?: ModelPrices, paidFor: Config["prices"] = {}): Rates =>
  findRates({ name, prices, paidFor });

it("a model's prices are dearer for the whole of a long prompt, from the token after each size", () => {
  const prices = read({ ...GPT, tiers: [long(272_000), { ...long(100_000), input: 3 }] });
  expect(prices.longer.map(({ aboveTokens }) => aboveTokens)).toEqual([100_000, 272_000]);
  expect(relate(prices, 100_000).written).toBe(1);
  expect(relate(prices, 100_001)).toMatchObject({ written: 1.2, cached: 0.2, dollars: 2.5 });
  expect(relate(prices, 272_001)).toMatchObject({ written: 2, cached: 0.2, answered: 9 });
});

it("a model's prices are the host's, in dollars, if it has any", () => {
  for (const cost of [undefined, null, 7, {}, { input: "3", output: 15 }, { input: -1, output: 1 }])
    expect(readPrices(cost)).toBeUndefined();
  expect(priceNet(-1_150_000, rate("acme/x", read(SONNET)))).toEqual({ net: -1_150_000, money: -3.45 });
});

it("a model's prices of zero are no gift: its family's list prices count, or the usual ones, and no money", () => {
  const ratios = {
    "anthropic/claude-sonnet-4-5": [1.25, 0.1, 5],
    "amazon-bedrock/us.anthropic.claude-opus-5.5-v1:0": [1.25, 0.05, 5],
    "openai/gpt-5.2-codex": [1, 0.1, 8],
    "openai/gpt-5.4": [1, 0.1, 6],
    "github-copilot/gpt-4.1": [1, 0.25, 4],
    "openrouter/x-ai/grok-4.7": [1, 0.25, 3],
    "opencode/big-pickle": [PRICE.written, PRICE.cached, PRICE.answered],
  };
  for (const [name, [written = 0, cached = 0, answered = 0]] of Object.entries(ratios))
    for (const prices of [FREE, undefined]) {
      const rates = rate(name, prices);
      expect(rates, name).toMatchObject({ written, answered });
      expect(rates.cached, name).toBeCloseTo(cached);
      expect(priceNet(7, rates)).toEqual({ net: 7 });
    }
});

it("a model's prices give way to what the user pays for, by name or pattern", () => {
  const paidFor = { "acme/*": "tokens", "acme/by-request": "requests", "ollama/*": "input only" } as const;
  const paid = (name: string) => rate(name, read(SONNET), paidFor);
  expect(paid("acme/large")).toEqual({ written: 1, cached: 1, answered: 1 });
  expect(paid("acme/by-request")).toEqual({ written: 0, cached: 0, answered: 0 });
  expect(paid("ollama/qwen")).toEqual({ written: 1, cached: 0, answered: 5 });
  expect(paid("anthropic/claude")).toMatchObject({ dollars: 3 });
});

describe("remembered prices", () => {
  const path = "/project/.opencode/strata/state/prices.json";
  const model = { providerID: "acme", modelID: "small" };

  function open(files = createMemoryFiles()) {
    const writes = new PQueue({ concurrency: 1 });
    const log = createFakeLog();
    return { files, writes, prices: createKnownPrices({ files, log, paidFor: {}, path, writes }) };
  }

  it("remembered prices are known at the next start before any request, for each model", async () => {
    const { files, prices, writes } = open();
    const other = { providerID: "acme", modelID: "large" };
    prices.learn(model, read(SONNET));
    prices.learn(other, read(GPT));
    await writes.onIdle();
    const next = open(files).prices;
    expect(next.rates(model)).toEqual(PRICE);
    await next.load();
    expect(next.rates(model)).toEqual(relate(read(SONNET)));
    expect(next.rates("acme/large")).toEqual(relate(read(GPT)));
    expect(next.rates(undefined)).toEqual(PRICE);
  });

  it("remembered prices give way to what the host says now, and are written only when they change", async () => {
    const { files, prices, writes } = open();
    prices.learn(model, read(GPT));
    await writes.onIdle();
    const next = open(files);
    next.prices.learn(model, read(SONNET));
    await next.prices.load();
    expect(next.prices.rates(model)).toEqual(relate(read(SONNET)));
    await next.writes.onIdle();
    const text = files.text(path);
    files.contents.delete(path);
    next.prices.learn(model, read(SONNET));
    await next.writes.onIdle();
    expect(text).toContain("3.75");
    expect(files.text(path)).toBeUndefined();
  });

  it("remembered prices that are damaged count as unknown", async () => {
    for (const text of ["", "[]", "{", '{"v":1,"models":{"acme/small":{"input":3}}}']) {
      const { prices } = open(createMemoryFiles({ [path]: text }));
      await prices.load();
      expect(prices.rates(model)).toEqual(PRICE);
    }
  });
});

it.each([
  ["anthropic", "x", 9, 0],
  ["anthropic", "x", 10, 1],
  ["bedrock", "eu.anthropic.claude-y", 30, 21],
  ["openai", "gpt-5", 30, 0],
])(
  "the cache of %s/%s is found again up to twenty blocks from the end of %d calls, a call and its result being two: from %d on",
  (providerID, modelID, calls, reach) => {
    const view = [user("go"), ...Array.from({ length: calls }, (_, n) => answer([call("bash", `${n}`)]))];
    const given = { view, count: view.length, lastAnswer: calls, model: { providerID, modelID } };
    const cachedFrom = measureCached(given, ({ length }) => length);
    expect(view.map((_, index) => cachedFrom(index))).toEqual(
      view.map((_, index) => (index < reach ? calls : calls - index)),
    );
  },
);
