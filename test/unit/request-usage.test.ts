import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRequestUsage, planAnswer as plan } from "../../layers/always/request-usage.js";
import { readHistory } from "../../src/conversation/history.js";
import type { Message, MessageInfo } from "../../src/conversation/message.js";
import { defineTool, estimateToolTokens } from "../../src/dispatcher/tool.js";
import { PRICE, type Savings } from "../../src/record/savings.js";
import { createContextSizes, estimateTokens } from "../../src/view/context-size.js";
import type { ContextRequest } from "../../src/view/request.js";
import { countUsableTokens, createModelWindows, planBudget } from "../../src/view/windows.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { answer, call, lines, outputs, user } from "../support/messages.js";
import { createSession, MODEL, NO_TOKENS } from "../support/session.js";
import { openWorld } from "../support/world.js";

const WINDOW = { contextTokens: 200_000, outputTokens: 32_000 };

function open(messages: readonly Message[], shown: readonly Message[], window = WINDOW): ContextRequest {
  const rest = { sessionID: "ses_1", window, rates: () => PRICE, show: () => shown };
  return { history: readHistory(messages), ...rest } as unknown as ContextRequest;
}

/** With four characters a token. */
const planAnswer = (request: ContextRequest, info: Parameters<typeof plan>[1], toolTokens: number) =>
  plan(request, info, {
    toolTokens,
    keptOut: estimateTokens(request.history.messages) - estimateTokens(request.show()),
    measure: estimateTokens,
  });

const usage = (input: number, read: number) => {
  const tokens = { input, output: 10, reasoning: 5, cache: { read, write: 0 } };
  return { ...user("").info, role: "assistant", tokens } as MessageInfo &
    Required<Pick<MessageInfo, "tokens">>;
};

describe("the usage of an answer", () => {
  const session = createSession(createFakeClock());
  session.user("go");
  session.answer([call("bash", "x".repeat(40_000))]);
  session.answer([call("bash", "y".repeat(8_000))]);
  const less = (text: string, index: number): readonly Message[] =>
    session.messages.map((message, at) =>
      at === index ? { ...message, parts: [call("bash", text)] } : message,
    );

  it("the usage of an answer prices tokens kept out as cached ones, and those that would have been new as written ones", () => {
    const old = planAnswer(open(session.messages, less("", 1)), usage(100, 900), 0);
    expect(old).toMatchObject({ sent: 1_000, cached: 900, answered: 15, keptOut: 10_000, net: 1_000 });
    const fresh = planAnswer(open(session.messages, less("", 2)), usage(100, 900), 0);
    expect(fresh).toMatchObject({ keptOut: 2_000, net: 2_000 * PRICE.written });
    const uncached = planAnswer(open(session.messages, less("", 1)), usage(1_000, 0), 0);
    expect(uncached.net).toBe(10_000 * PRICE.written);
  });

  it("the usage of an answer never counts more than fits into the window", () => {
    const full = planAnswer(open(session.messages, less("", 1)), usage(160_000, 7_000), 0);
    expect(full).toMatchObject({ keptOut: 1_000, net: 100 });
    const without = planAnswer(open(session.messages, less("", 1)), usage(160_000, 7_000), 9_500);
    expect(without.keptOut).toBe(500);
  });

  it("the usage of an answer counts tokens that Strata added as a cost, at the provider's price", () => {
    const longer = (index: number) => less("z".repeat(50_000), index);
    const uncached = planAnswer(open(session.messages, longer(1)), usage(10, 0), 0);
    expect(uncached).toMatchObject({ keptOut: -2_500, net: -2_500 * PRICE.written });
    const old = planAnswer(open(session.messages, longer(1)), usage(10, 900), 0);
    expect(old).toMatchObject({ keptOut: -2_500, net: -2_500 * PRICE.cached });
    const fresh = planAnswer(open(session.messages, longer(2)), usage(10, 900), 0);
    expect(fresh).toMatchObject({ keptOut: -10_500, net: -10_500 * PRICE.written });
  });

  it("the usage of an answer counts Strata's tool definitions in every request, even if nothing was kept out of it", () => {
    const shown = session.messages;
    expect(planAnswer(open(shown, shown), usage(10, 900), 1_000)).toMatchObject({
      keptOut: -1_000,
      net: -1_000 * PRICE.cached,
    });
    const fresh = planAnswer(open(shown, less("", 2)), usage(10, 900), 1_000);
    expect(fresh).toMatchObject({ keptOut: 1_000, net: 2_000 * PRICE.written - 1_000 * PRICE.cached });
  });

  it("the usage of an answer counts tool definitions as the host sends them: name, description and JSON Schema", () => {
    const tool = defineTool({
      name: "x".repeat(40),
      description: "y".repeat(400),
      parameters: { properties: { path: { description: "z".repeat(4_000), type: "string" } } },
      loadCheck: async () => z.object({ path: z.string() }),
      execute: async () => "",
    });
    expect(estimateToolTokens([])).toBe(0);
    expect(estimateToolTokens([tool])).toBeGreaterThan(1_110);
    expect(estimateToolTokens([tool])).toBeLessThan(1_190);
    expect(estimateToolTokens([tool, tool])).toBe(2 * estimateToolTokens([tool]));
  });

  it("the usage of an answer is closed once, and only by a finished answer", () => {
    const recorded: unknown[] = [];
    const savings: Savings = { record: (one) => void recorded.push(one), recordNow: async () => {} };
    const requests = createRequestUsage({
      log: createFakeLog(),
      savings,
      sizes: createContextSizes(),
      tools: [],
      windows: createModelWindows(),
    });
    const hear = (info: object) => requests.hear({ type: "message.updated", properties: { info } });
    const ended = { ...usage(100, 0), time: { created: 1, completed: 2 } };
    hear(ended);
    requests.open(open(session.messages, session.messages));
    hear({ ...ended, time: { created: 1 } });
    hear({ ...ended, tokens: NO_TOKENS });
    hear({ ...ended, summary: true });
    expect(recorded).toEqual([]);
    hear(ended);
    hear(ended);
    expect(recorded).toHaveLength(1);
    requests.open(open(session.messages, session.messages));
    requests.hear({ type: "session.idle", properties: { sessionID: "ses_1" } });
    hear(ended);
    expect(recorded).toHaveLength(1);
  });
});

describe("the budget of a request", () => {
  it("the budget of a request is the threshold, at most 85 % of what the window allows, and never negative", () => {
    expect(planBudget(140_000, undefined)).toBe(140_000);
    expect(planBudget(140_000, { contextTokens: 0, outputTokens: 0 })).toBe(140_000);
    expect(planBudget(140_000, WINDOW)).toBe(140_000);
    expect(planBudget(150_000, WINDOW)).toBe(142_800);
    expect(planBudget(140_000, { ...WINDOW, inputTokens: 100_000 })).toBe(68_000);
    expect(planBudget(140_000, { contextTokens: 4_000, outputTokens: 8_000 })).toBe(0);
    expect(countUsableTokens({ ...WINDOW, inputTokens: 100_000 })).toBe(80_000);
  });

  it("the budget of a request uses a model's window as soon as the host has given it", () => {
    const windows = createModelWindows();
    expect(windows.find(MODEL)).toBeUndefined();
    windows.learn(MODEL, WINDOW);
    expect(windows.find({ ...MODEL })).toEqual(WINDOW);
    expect(windows.find(undefined)).toBeUndefined();
  });
});

describe("deleted machine state", () => {
  const LOST = "the machine state was deleted, so what was decided is decided anew";

  async function clearAndLose(what: string) {
    const world = await openWorld({ options: { microCompact: { floor: 0, keepRecent: 0 } } });
    const session = createSession(world.clock);
    session.user("go");
    session.answer([call("bash", lines(60))]);
    session.answer([]);
    world.clock.advance(3_600_000);
    await world.request(session.messages);
    for (const path of [...world.files.contents.keys()])
      if (path.startsWith(`${PROJECT}/.opencode/strata/${what}`)) world.files.contents.delete(path);
    const again = await world.restart();
    await again.request(session.messages);
    await again.request(session.messages);
    return again.ledger("ses_1", "break").filter(({ reason }) => reason === LOST);
  }

  it("deleted machine state is reported once if requests depended on it, and the ledger has the cause of the other bytes", async () => {
    expect(await clearAndLose("state/")).toHaveLength(1);
    expect(await clearAndLose("nothing")).toHaveLength(0);
    expect(await clearAndLose("savings/")).toHaveLength(0);
  });

  it("deleted machine state is not reported if results were only moved, since they are judged again with the same outcome", async () => {
    const world = await openWorld();
    const messages = [user("go"), answer([call("bash", lines(2_000))])];
    const shown = outputs(await world.request(messages));
    // What the process before has not written yet would come after the deletion.
    await world.strata.idle();
    for (const path of [...world.files.contents.keys()])
      if (path.includes("/state/")) world.files.contents.delete(path);
    const again = await world.restart();
    expect(outputs(await again.request(messages))).toEqual(shown);
    expect(again.ledger("ses_1", "break")).toEqual([]);
  });
});
