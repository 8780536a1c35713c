import { describe, expect, it } from "vitest";
import { estimateContextTokens } from "../../src/view/context-size.js";
import { createDecisions, readDecisionKey } from "../../src/view/decisions.js";
import type { Message, ReportedTokens } from "../../src/view/message.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, user } from "../support/messages.js";

function reported(message: Message, tokens: ReportedTokens): Message {
  return { ...message, info: { ...message.info, tokens } };
}

describe("the size of the context", () => {
  const usage = { input: 1_000, output: 50, reasoning: 20, cache: { read: 8_000, write: 300 } };

  it("is what the provider reported for the last answer, and an estimate of what came since", () => {
    const last = reported(answer([call("bash", "x".repeat(3_500))]), usage);
    expect(estimateContextTokens([user("ignored ".repeat(9_000)), last])).toBe(9_370 + 1_000);
    expect(estimateContextTokens([last, user("y".repeat(350))])).toBe(9_370 + 1_100);
  });

  it("is estimated whole while nothing has been reported", () => {
    expect(estimateContextTokens([user("x".repeat(700))])).toBe(200);
    expect(estimateContextTokens([])).toBe(0);
  });

  it("passes over answers that broke off before any usage was reported", () => {
    const broken = reported(answer([]), { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } });
    expect(estimateContextTokens([reported(answer([]), usage), broken])).toBe(9_370);
  });
});

describe("the key of a decision", () => {
  it("tells results apart that share a call id, and is the same for the same result in a fork", () => {
    const one = call("bash", "text", { callID: "call_0", startMs: 1_000 });
    const two = call("bash", "text", { callID: "call_0", startMs: 2_000 });
    const three = call("bash", "tess", { callID: "call_0", startMs: 1_000 });
    expect(readDecisionKey(one)).not.toEqual(readDecisionKey(two));
    expect(readDecisionKey(one)).not.toEqual(readDecisionKey(three));
    expect(readDecisionKey(structuredClone(one))).toEqual(readDecisionKey(one));
  });
});

describe("decisions", () => {
  const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const kept = (key: string) => ({ key, outcome: "kept" as const });
  const batch = (...decisions: object[]) => ({ v: 1, session: "ses_1", layer: "x", decisions });
  const replaced = (key: string, file = "/r/f.txt") => ({ key, outcome: "replaced", text: "t", file });

  it("of a day are read once, also by two requests at a time", async () => {
    const files = createMemoryFiles({ "/state/1970-01-02.jsonl": JSON.stringify(batch(kept("a"))) });
    let reads = 0;
    const counting = {
      ...files,
      async read(path: string) {
        reads++;
        return files.read(path);
      },
    };
    const decisions = createDecisions({ files: counting, log, folder: "/state", resultsFolder: "/r" });
    await Promise.all([decisions.load([1, 1]), decisions.load([1])]);
    await decisions.load([1]);
    expect([reads, decisions.find("a")?.outcome]).toEqual([1, "kept"]);
  });

  it("the first of two about one result counts, on disk and in memory", async () => {
    const lines = [batch(kept("a")), batch(replaced("a"))].map((one) => JSON.stringify(one)).join("\n");
    const files = createMemoryFiles({ "/state/1970-01-02.jsonl": lines });
    const decisions = createDecisions({ files, log, folder: "/state", resultsFolder: "/r" });
    await decisions.load([1]);
    expect(decisions.find("a")?.outcome).toBe("kept");
    await decisions.record(1, { session: "ses_2", layer: "x", decisions: [{ ...kept("b") }] });
    decisions.remember("ses_2", { key: "b", outcome: "replaced", text: "t", file: "/r/f.txt" });
    expect(decisions.find("b")?.outcome).toBe("kept");
  });

  it("of one time are on disk together or not at all: a torn line counts for nothing", async () => {
    const files = createMemoryFiles();
    const decisions = createDecisions({ files, log, folder: "/state", resultsFolder: "/r" });
    await decisions.record(1, { session: "ses_1", layer: "x", decisions: [kept("a"), kept("b")] });
    const whole = files.text("/state/1970-01-02.jsonl") ?? "";
    for (let length = 1; length < whole.length - 1; length++) {
      const torn = createMemoryFiles({ "/state/1970-01-02.jsonl": whole.slice(0, length) });
      const again = createDecisions({ files: torn, log, folder: "/state", resultsFolder: "/r" });
      await again.load([1]);
      expect([again.find("a"), again.find("b")]).toEqual([undefined, undefined]);
    }
  });

  it("that name a file elsewhere do not count: the project has been moved", async () => {
    const elsewhere = ["/r-old/f.txt", "/r/../f.txt", "/r/deeper/f.txt"].map((file, n) =>
      replaced(`k${n}`, file),
    );
    const files = createMemoryFiles({
      "/state/1970-01-02.jsonl": JSON.stringify(batch(...elsewhere, replaced("here"))),
    });
    const decisions = createDecisions({ files, log, folder: "/state", resultsFolder: "/r" });
    await decisions.load([1]);
    expect(["k0", "k1", "k2", "here"].map((key) => decisions.find(key)?.outcome)).toEqual([
      undefined,
      undefined,
      undefined,
      "replaced",
    ]);
  });

  it("that cannot be written are not known either", async () => {
    const decisions = createDecisions({
      files: createMemoryFiles({ "/state": "a file" }),
      log,
      folder: "/state",
      resultsFolder: "/r",
    });
    await expect(
      decisions.record(1, { session: "ses_1", layer: "x", decisions: [kept("a")] }),
    ).rejects.toThrow("ENOTDIR");
    expect(decisions.find("a")).toBeUndefined();
  });
});
