/** What is learned from a provider that says the context is too long, and from a compaction of the host's. */
import { describe, expect, it } from "vitest";
import { shortenHistory } from "../../layers/4-full-compact/summary.js";
import { findHostBreak } from "../../src/context/cold.js";
import type { Message, MessageInfo } from "../../src/io/message.js";
import { readHistory } from "../../src/messages/history.js";
import { answer, user } from "../support/messages.js";
import { openWorld } from "../support/world.js";

const MODEL = { providerID: "acme", modelID: "large" };
const withInfo = (message: Message, info: Partial<MessageInfo>): Message => ({
  ...message,
  info: { ...message.info, ...info },
});
const asked = (text: string): Message => withInfo(user(text), { model: MODEL });
const said = (text: string): Message => ({ ...answer([]), parts: [{ type: "text", text }] });
const answered = (text: string, input: number): Message =>
  withInfo(said(text), {
    ...MODEL,
    tokens: { input, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
    finish: "stop",
  });
const words = (tokens: number): string => "abc ".repeat(tokens);
const OVERFLOW = { name: "ContextOverflowError", data: { message: "prompt is too long" } };

const open = async () => {
  const world = await openWorld();
  const window = { contextTokens: 200_000, outputTokens: 8_000 };
  await world.strata.dispatcher.ask("modelWindow", { sessionID: "ses_1", model: MODEL, window }, undefined);
  const hear = (type: string, properties: Record<string, unknown>) =>
    world.strata.dispatcher.ask("event", { type, properties }, undefined);
  const budget = () => world.strata.requests.open([asked("x")])?.budgetTokens;
  return { world, hear, budget };
};

it("a request that the provider refuses as too long lowers the budget of the next ones to that model, below what it had, and says so once", async () => {
  const { world, hear, budget } = await open();
  expect(budget()).toBe(50_000);
  await world.request([asked(words(30_000))]);
  await hear("session.error", { sessionID: "ses_1", error: OVERFLOW });
  await hear("session.error", { sessionID: "ses_1", error: OVERFLOW });
  expect(budget()).toBe(32_000);
  expect((await world.log()).match(/about 40,000 tokens were too long for acme\/large/g)).toHaveLength(1);
});

const freshSummaryOf = (messages: readonly Message[]): Message | undefined =>
  messages[readHistory(messages).freshSummary];

describe("after a compaction of the host's, with the last answer kept verbatim behind the summary", () => {
  const before = answered("before", 28_000);
  const request = asked("compact");
  const summary = withInfo(said("the summary"), { summary: true, finish: "stop" });
  const compacted = [request, summary, before, asked("go on")];

  it("the summary counts as the newer one, until an answer has come", () => {
    expect(freshSummaryOf(compacted)).toBe(summary);
    expect(findHostBreak(readHistory(compacted), MODEL, 0)?.kind).toBe("compacted");
    const later = [...compacted, answered("after", 9_000), asked("more")];
    expect(freshSummaryOf(later)).toBeUndefined();
  });

  it.each([
    ["with an error", { error: { name: "APIError" } }],
    ["that was broken off", { finish: undefined as never }],
  ])("a summary %s is none", (_, info) => {
    expect(freshSummaryOf([request, withInfo(summary, info), asked("go on")])).toBeUndefined();
  });
});

const notes = { formatForModel: async () => "the notes" } as never;
const shorten = (budgetTokens: number, view: readonly Message[]) =>
  shortenHistory({ notes }, { sessionID: "ses_1", budgetTokens }, view);

it("a history that is too long to be summarised is given as the notes and its end, which begins with a user's message", async () => {
  const history = [1, 2, 3, 4].flatMap((n) => [asked(`${n} ${words(1_000)}`), answered("done", 1)]);
  const view = (await shorten(5_000, history)) ?? [];
  expect(view.map(({ info }) => info.role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(view[0]?.parts.map(({ text }) => text?.slice(0, 9))).toEqual(["[Strata] ", "3 abc abc"]);
  expect(view.at(-1)).toBe(history.at(-1));
});
