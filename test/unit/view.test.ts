import { describe, expect, it } from "vitest";
import { createContextSizes } from "../../src/context/context-size.js";
import type { Message, ReportedTokens } from "../../src/io/message.js";
import { readResultKey } from "../../src/messages/history.js";
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

it("the key of a decision tells results apart that share a call id, and is the same for the same result in a fork", () => {
  const one = call("bash", "text", { callID: "call_0", startMs: 1_000 });
  const two = call("bash", "text", { callID: "call_0", startMs: 2_000 });
  const three = call("bash", "tess", { callID: "call_0", startMs: 1_000 });
  expect(readResultKey(one)).not.toEqual(readResultKey(two));
  expect(readResultKey(one)).not.toEqual(readResultKey(three));
  expect(readResultKey(structuredClone(one))).toEqual(readResultKey(one));
});
