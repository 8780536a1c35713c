import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { createSavings, parseSavingsRecord } from "../../src/costs/savings.js";
import { sumRecords } from "../../src/costs/sums.js";
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
    expect(sumRecords(records)).toEqual({
      spilled: 1,
      shrunk: 0,
      cleared: 3,
      compactions: 0,
      tokensFreed: 112,
      cacheLost: 40,
      backgroundTokens: 0,
      sent: 1_000,
      cached: 900,
      answered: 20,
      requests: 1,
      paid: 1,
      judging: 0,
      cost: 0,
      net: 14,
      unpriced: 14,
    });
  });
});
