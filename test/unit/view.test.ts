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
    expect(readDecisionKey(one)).not.toEqual(readDecisionKey(two));
    expect(readDecisionKey(structuredClone(one))).toEqual(readDecisionKey(one));
  });
});

describe("decisions", () => {
  const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
  const kept = (key: string) => ({
    v: 1 as const,
    key,
    session: "ses_1",
    layer: "x",
    outcome: "kept" as const,
  });

  it("of a day are read once, also by two requests at a time", async () => {
    const files = createMemoryFiles({ "/state/1970-01-02.jsonl": JSON.stringify(kept("a")) });
    let reads = 0;
    const counting = {
      ...files,
      async read(path: string) {
        reads++;
        return files.read(path);
      },
    };
    const decisions = createDecisions({ files: counting, log, folder: "/state", project: "/" });
    await Promise.all([decisions.load([1, 1]), decisions.load([1])]);
    await decisions.load([1]);
    expect([reads, decisions.find("a")?.outcome]).toEqual([1, "kept"]);
  });

  it("the first of two records for one result counts, whoever wrote it", async () => {
    const later = { ...kept("a"), outcome: "replaced", text: "t", file: "/f" };
    const files = createMemoryFiles({
      "/state/1970-01-02.jsonl": [kept("a"), later].map((one) => JSON.stringify(one)).join("\n"),
    });
    const decisions = createDecisions({ files, log, folder: "/state", project: "/" });
    await decisions.load([1]);
    expect(decisions.find("a")?.outcome).toBe("kept");
  });

  it("that cannot be written are not known either", async () => {
    const decisions = createDecisions({
      files: createMemoryFiles({ "/state": "a file" }),
      log,
      folder: "/state",
      project: "/",
    });
    await expect(decisions.record(1, [kept("a")])).rejects.toThrow("ENOTDIR");
    expect(decisions.find("a")).toBeUndefined();
  });
});
