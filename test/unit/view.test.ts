import { describe, expect, it } from "vitest";
import { createContextSizes } from "../../src/context/context-size.js";
import { createDecisions, decide } from "../../src/context/decisions.js";
import type { Message, ReportedTokens } from "../../src/io/message.js";
import { readResultKey } from "../../src/messages/history.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, user } from "../support/messages.js";

function reported(message: Message, tokens: ReportedTokens): Message {
  return { ...message, info: { ...message.info, tokens } };
}

describe("the size of the context", () => {
  const usage = { input: 1_000, output: 50, reasoning: 20, cache: { read: 8_000, write: 300 } };
  const sent = [user("y".repeat(400)), reported(answer([call("bash", "x".repeat(4_000))]), usage)];

  it("the size of the context is what the provider reported for the last answer, and an estimate of what came since", () => {
    const sizes = createContextSizes();
    sizes.observe("ses_1", () => sent, sent);
    expect(sizes.estimate("ses_1", sent)).toBeCloseTo(9_370 + 1_000, -1);
    expect(sizes.estimate("ses_1", [...sent, user("y".repeat(400))])).toBeCloseTo(9_370 + 1_100, -1);
  });
});

describe("the key of a decision", () => {
  it("the key of a decision tells results apart that share a call id, and is the same for the same result in a fork", () => {
    const one = call("bash", "text", { callID: "call_0", startMs: 1_000 });
    const two = call("bash", "text", { callID: "call_0", startMs: 2_000 });
    const three = call("bash", "tess", { callID: "call_0", startMs: 1_000 });
    expect(readResultKey(one)).not.toEqual(readResultKey(two));
    expect(readResultKey(one)).not.toEqual(readResultKey(three));
    expect(readResultKey(structuredClone(one))).toEqual(readResultKey(one));
  });
});

describe("decisions", () => {
  const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const kept = (key: string) => ({ key, outcome: "kept" as const });
  const day1 = (key: string) => decide({ day: 1, key }, { outcome: "kept" });
  const batch = (...decisions: object[]) => ({ v: 1, session: "ses_1", layer: "x", decisions });
  const replaced = (key: string, file = "/r/f.txt") => ({ key, outcome: "replaced", text: "t", file });

  it("the first of two about one result counts, on disk and in memory", async () => {
    const lines = [batch(kept("a")), batch(replaced("a"))].map((one) => JSON.stringify(one)).join("\n");
    const files = createMemoryFiles({ "/state/1970-01-02.jsonl": lines });
    const decisions = createDecisions({
      clock: createFakeClock(),
      files,
      log,
      folder: "/state",
      resultsFolder: "/r",
    });
    await decisions.load([1]);
    expect(decisions.find("a", "ses_1")?.judged?.outcome).toBe("kept");
    await decisions.record("ses_2", "x", [day1("b")]);
    decisions.remember("ses_2", { key: "b", outcome: "replaced", text: "t", file: "/r/f.txt" });
    expect(decisions.find("b", "ses_2")?.judged?.outcome).toBe("kept");
  });

  it("decisions of one time are on disk together or not at all: a torn line counts for nothing", async () => {
    const files = createMemoryFiles();
    const decisions = createDecisions({
      clock: createFakeClock(),
      files,
      log,
      folder: "/state",
      resultsFolder: "/r",
    });
    await decisions.record("ses_1", "x", [day1("a"), day1("b")]);
    const whole = files.text("/state/1970-01-02.jsonl") ?? "";
    for (let length = 1; length < whole.length - 1; length++) {
      const torn = createMemoryFiles({ "/state/1970-01-02.jsonl": whole.slice(0, length) });
      const again = createDecisions({
        clock: createFakeClock(),
        files: torn,
        log,
        folder: "/state",
        resultsFolder: "/r",
      });
      await again.load([1]);
      expect([again.find("a", "ses_1"), again.find("b", "ses_1")]).toEqual([undefined, undefined]);
    }
  });

  it("decisions that name a file elsewhere do not count: the project has been moved", async () => {
    const elsewhere = ["/r-old/f.txt", "/r/../f.txt", "/r/deeper/f.txt"].map((file, n) =>
      replaced(`k${n}`, file),
    );
    const files = createMemoryFiles({
      "/state/1970-01-02.jsonl": JSON.stringify(batch(...elsewhere, replaced("here"))),
    });
    const decisions = createDecisions({
      clock: createFakeClock(),
      files,
      log,
      folder: "/state",
      resultsFolder: "/r",
    });
    await decisions.load([1]);
    expect(["k0", "k1", "k2", "here"].map((key) => decisions.find(key, "ses_1")?.judged?.outcome)).toEqual([
      undefined,
      undefined,
      undefined,
      "replaced",
    ]);
  });
});
