import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { createSavings, parseSavingsRecord } from "../../src/costs/savings.js";
import { sumSavings } from "../../src/costs/sums.js";
import { createTokenCounter, createTokenizer, type Tokenizer } from "../../src/costs/tokens.js";
import { readJsonLines } from "../../src/io/json-lines.js";
import { createLog, type LogLevel } from "../../src/io/log.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeHost } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";

function openLog(level: LogLevel = "info", files = createMemoryFiles()) {
  const writes = new PQueue({ concurrency: 1 });
  const host = createFakeHost();
  const clock = createFakeClock();
  const log = createLog({
    files,
    clock,
    host,
    writes,
    path: "/log/strata.log",
    level,
  });
  return { clock, log, files, host, writes };
}

describe("the log", () => {
  it("the log has one line per entry, in order, with time, level and source", async () => {
    const { log, files, writes } = openLog();
    log.info("config", "one");
    log.error("tool-results", "two\nlines");
    await writes.onIdle();
    expect(files.text("/log/strata.log")).toBe(
      "2026-11-21 09:00:00.000 INFO  config        one\n" +
        "2026-11-21 09:00:00.000 ERROR tool-results  two ⏎ lines\n",
    );
  });

  it("the log contains entries up to its level, and none at off", async () => {
    for (const [level, expected] of [
      ["off", ""],
      ["error", "E"],
      ["warn", "EW"],
      ["info", "EWI"],
      ["debug", "EWID"],
    ] as const) {
      const { log, files, writes } = openLog(level);
      log.error("x", "E");
      log.warn("x", "W");
      log.info("x", "I");
      log.debug("x", "D");
      await writes.onIdle();
      const last = (files.text("/log/strata.log") ?? "").split("\n").map((line) => line.at(-1) ?? "");
      expect(last.join("")).toBe(expected);
    }
  });

  it("the log has each warning once a day, however often it comes", async () => {
    const { clock, files, log, writes } = openLog();
    for (const message of ["full", "full", "slow", "full"]) log.warn("disk", message);
    log.warn("lock", "full");
    log.info("disk", "full");
    clock.advance(DAY_MS);
    log.warn("disk", "full");
    await writes.onIdle();
    const lines = (files.text("/log/strata.log") ?? "").trimEnd().split("\n");
    expect(lines.map((line) => line.slice(24).split(/ +/).join(" "))).toEqual([
      "WARN disk full",
      "WARN disk slow",
      "WARN lock full",
      "INFO disk full",
      "WARN disk full",
    ]);
  });

  it("the log is rotated at 1 MB and keeps two old files", async () => {
    const files = createMemoryFiles({
      "/log/strata.log": "a".repeat(1_000_001),
      "/log/strata.log.1": "b",
      "/log/strata.log.2": "c",
    });
    const { log, writes } = openLog("info", files);
    log.info("x", "fresh");
    await writes.onIdle();
    expect(files.text("/log/strata.log")).toContain("fresh");
    expect(files.text("/log/strata.log.1")).toMatch(/^a+$/);
    expect(files.text("/log/strata.log.2")).toBe("b");
    expect(await files.list("/log")).toHaveLength(3);
  });

  it("the log goes to the host's log when it cannot be written, warnings and errors only", async () => {
    const { log, host, writes } = openLog("info", createMemoryFiles({ "/log": "a file" }));
    log.info("x", "quiet");
    log.warn("x", "loud");
    await writes.onIdle();
    expect(host.logged).toEqual([
      expect.stringContaining("cannot write /log/strata.log (ENOTDIR"),
      "warn: x: loud",
    ]);
  });
});

describe("the savings ledger", () => {
  const entry = { session: "ses_1", layer: "tool-results", event: "spilled", bytes: 5 };

  it("the savings ledger has one file per session, and each record has time and instance", async () => {
    const { log, files, writes } = openLog();
    const clock = createFakeClock();
    const savings = createSavings({ files, clock, writes, log, folder: "/savings", instance: "i1" });
    savings.record(entry);
    await writes.onIdle();
    await savings.recordNow({ ...entry, session: "ses_2" });
    const stamped = { v: 1, time: "2026-11-21T09:00:00.000Z", instance: "i1" };
    const read = (session: string) => readJsonLines(files, `/savings/${session}.jsonl`, parseSavingsRecord);
    expect((await read("ses_1")).records).toEqual([{ ...stamped, ...entry }]);
    expect((await read("ses_2")).records).toEqual([{ ...stamped, ...entry, session: "ses_2" }]);
  });

  it("the savings ledger skips what is not a record, and of two about one result counts the last", () => {
    const lines = [
      { ...entry, key: "a", tokensFreed: 10 },
      { ...entry, key: "a", tokensFreed: 12 },
      { ...entry, event: "cleared", results: 3, tokensFreed: 100, cacheLost: 40, net: -46 },
      { ...entry, event: "answer", sent: 1_000, cached: 900, answered: 20, net: 60 },
    ].map((record) => ({ v: 1, time: "2026-11-21T09:00:00.000Z", instance: "i1", ...record }));
    const records = lines.map(parseSavingsRecord).filter((record) => record !== undefined);
    expect([{ v: 99 }, { v: 1, time: 7 }, "text", null].map(parseSavingsRecord)).toEqual(
      Array(4).fill(undefined),
    );
    expect(sumSavings(records)).toEqual({
      spilled: 1,
      cleared: 3,
      compactions: 0,
      tokensFreed: 112,
      cacheLost: 40,
      backgroundTokens: 0,
      sent: 1_000,
      cached: 900,
      answered: 20,
      judging: 0,
      cost: 0,
      net: 14,
      unpriced: 14,
    });
  });
});

describe("the token counter", () => {
  function open(tokenize: Tokenizer) {
    const said: unknown[] = [];
    const clock = createFakeClock();
    return {
      counter: createTokenCounter({ tokenize, clock, onFailure: (why) => said.push(why) }),
      clock,
      said,
    };
  }

  it("the token counter counts the same text once, even if asked twice at a time", async () => {
    const asked: string[] = [];
    const { counter } = open(async (pieces) => asked.push(pieces.join("")));
    const [first, second] = await Promise.all([counter.count("a text"), counter.count("a text")]);
    expect(second).toBe(first);
    await counter.count("another");
    expect(asked).toEqual(["a text", "another"]);
  });

  it("the token counter asks for no more than 16 pieces of 1,000 characters, however long a text is, and scales up", async () => {
    const sizes: number[] = [];
    const { counter } = open(async (pieces) => {
      sizes.push(...pieces.map(({ length }) => length));
      return 4_000;
    });
    expect(await counter.count("a".repeat(5_000_000))).toBe(1_250_000);
    expect(sizes).toEqual(Array(16).fill(1_000));
    expect(await counter.count("")).toBe(0);
  });

  it("the token counter estimates from the length if it cannot count, and says why", async () => {
    const { counter, said } = open(() => Promise.reject(new Error("no threads here")));
    expect(await counter.count("x".repeat(400))).toBe(100);
    expect(said).toEqual([new Error("no threads here")]);
  });

  it("the token counter estimates while the tokenizer is starting, and has the count the next time", async () => {
    let answer = (_tokens: number): void => {};
    const { counter, clock, said } = open(() => new Promise((resolve) => (answer = resolve)));
    const first = counter.count("x".repeat(400));
    await new Promise(setImmediate);
    clock.advance(300);
    expect(await first).toBe(100);
    answer(50);
    expect(await counter.count("x".repeat(400))).toBe(50);
    expect(said).toEqual([]);
  });
});

/** Its thread runs a file of the package. */
const built = pathToFileURL(resolve("dist/tokenizer-worker.js"));

describe("the tokenizer", () => {
  it("the tokenizer counts as gpt-tokenizer does, with special tokens as plain text", async () => {
    const tokenize = createTokenizer(createFakeClock(), built);
    expect(await tokenize(["hello world", "hello world"])).toBe(4);
    expect(await tokenize(["<|endoftext|>"])).toBeGreaterThan(3);
  });

  it("the tokenizer counts a long text from samples within a tenth of the exact number", async () => {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    const text = Array.from(
      { length: 3_000 },
      (_, n) => `line ${n}: const value${n} = await read("${n * 7}.json");`,
    ).join("\n");
    const exact = countTokens(text);
    const clock = createFakeClock();
    const counter = createTokenCounter({
      tokenize: createTokenizer(clock, built),
      clock,
      onFailure: () => {},
    });
    const counted = await counter.count(text);
    expect(Math.abs(counted - exact) / exact).toBeLessThan(0.1);
  });

  it("the tokenizer is terminated after some idle time, and started again on demand", async () => {
    const clock = createFakeClock();
    const tokenize = createTokenizer(clock, built);
    expect(await tokenize(["one"])).toBe(1);
    clock.advance(60_000);
    expect(await tokenize(["one"])).toBe(1);
  });

  it("a tokenizer that does not answer is abandoned, and the next count starts another", async () => {
    const clock = createFakeClock();
    const tokenize = createTokenizer(clock, built);
    const stuck = tokenize(["one"]);
    clock.advance(10_000);
    await expect(stuck).rejects.toThrow("does not answer");
    expect(await tokenize(["one"])).toBe(1);
  });
});
