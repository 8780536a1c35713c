import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import { findReach, hasLookBack } from "../../src/context/context-size.js";
import { createKnownPrices, findRates, isFree } from "../../src/costs/prices.js";
import { PRICE, priceNet } from "../../src/costs/savings.js";
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

describe("a model's prices", () => {
  it("a model's prices are dearer for the whole of a long prompt, from the token after each size", () => {
    const prices = read({ ...GPT, tiers: [long(272_000), { ...long(100_000), input: 3 }] });
    expect(prices.longer.map(({ aboveTokens }) => aboveTokens)).toEqual([100_000, 272_000]);
    expect(findRates(prices, 100_000).written).toBe(1);
    expect(findRates(prices, 100_001)).toMatchObject({ written: 1.2, cached: 0.2, dollars: 2.5 });
    expect(findRates(prices, 272_001)).toMatchObject({ written: 2, cached: 0.2, answered: 9 });
  });

  it("a model's prices are unknown if the host gives none that can be read, and then usual ones apply without dollars", () => {
    for (const cost of [undefined, null, 7, {}, { input: "3", output: 15 }, { input: -1, output: 1 }])
      expect(readPrices(cost)).toBeUndefined();
    expect(findRates(undefined)).toEqual(PRICE);
  });

  it("a model's prices of zero mean that nothing is charged", () => {
    const free = read({ input: 0, output: 0, cache: { read: 0, write: 0 } });
    expect(isFree(free)).toBe(true);
    expect(priceNet(-1_150, findRates(free))).toEqual({ net: -1_150, money: -0 });
    expect(isFree(read(SONNET))).toBe(false);
    expect(priceNet(-1_150_000, findRates(read(SONNET)))).toEqual({ net: -1_150_000, money: -3.45 });
  });
});

describe("remembered prices", () => {
  const path = "/project/.opencode/strata/state/prices.json";
  const model = { providerID: "anthropic", modelID: "claude-x" };

  function open(files = createMemoryFiles()) {
    const writes = new PQueue({ concurrency: 1 });
    const log = createFakeLog();
    return { files, writes, prices: createKnownPrices({ files, log, path, writes }) };
  }

  it("remembered prices are known at the next start before any request, for each model", async () => {
    const { files, prices, writes } = open();
    const other = { providerID: "acme", modelID: "large" };
    prices.learn(model, read(SONNET));
    prices.learn(other, read(GPT));
    await writes.onIdle();
    const next = open(files).prices;
    expect(next.find(model)).toBeUndefined();
    await next.load();
    expect(next.find(model)).toEqual(read(SONNET));
    expect(next.find("acme/large")).toEqual(read(GPT));
    expect(next.find(undefined)).toBeUndefined();
  });

  it("remembered prices give way to what the host says now, and are written only when they change", async () => {
    const { files, prices, writes } = open();
    prices.learn(model, read(GPT));
    await writes.onIdle();
    const next = open(files);
    next.prices.learn(model, read(SONNET));
    await next.prices.load();
    expect(next.prices.find(model)).toEqual(read(SONNET));
    await next.writes.onIdle();
    const text = files.text(path);
    files.contents.delete(path);
    next.prices.learn(model, read(SONNET));
    await next.writes.onIdle();
    expect(text).toContain("3.75");
    expect(files.text(path)).toBeUndefined();
  });

  it("remembered prices that are damaged count as unknown", async () => {
    for (const text of ["", "[]", "{", '{"v":1,"models":{"anthropic/claude-x":{"input":3}}}']) {
      const { prices } = open(createMemoryFiles({ [path]: text }));
      await prices.load();
      expect(prices.find(model)).toBeUndefined();
    }
  });
});

describe("the reach of a cache with a look-back", () => {
  const turns = (count: number) => Array.from({ length: count }, (_, n) => answer([call("bash", `${n}`)]));

  it("the reach of a cache with a look-back is twenty blocks from the end, a call and its result being two", () => {
    expect(findReach([user("go"), ...turns(9)])).toBe(0);
    expect(findReach([user("go"), ...turns(10)])).toBe(1);
    expect(findReach([user("go"), ...turns(30)])).toBe(21);
  });

  it("the reach of a cache with a look-back matters for Anthropic's models, whoever serves them", () => {
    expect(hasLookBack({ providerID: "anthropic", modelID: "x" })).toBe(true);
    expect(hasLookBack({ providerID: "bedrock", modelID: "eu.anthropic.claude-y" })).toBe(true);
    expect(hasLookBack({ providerID: "openai", modelID: "gpt-5" })).toBe(false);
  });
});
