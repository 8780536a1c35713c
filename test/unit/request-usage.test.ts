import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import type { FollowedRequest } from "../../layers/always/baseline/baseline.js";
import type { BaselineRequest } from "../../layers/always/baseline/plan-baseline.js";
import { createRequestUsage, planAnswer } from "../../layers/always/request-usage.js";
import { createContextSizes } from "../../src/context/context-size.js";
import {
  type ContextRequest,
  countUsableTokens,
  createModelWindows,
  planBudget,
} from "../../src/context/request.js";
import { type NewSavingsRecord, PRICE, type Savings } from "../../src/costs/savings.js";
import type { Message, MessageInfo } from "../../src/io/message.js";
import { readHistory } from "../../src/messages/history.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeHost, PROJECT } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { call, lines, user } from "../support/messages.js";
import { createSession, NO_TOKENS } from "../support/session.js";
import { openWorld } from "../support/world.js";

const WINDOW = { contextTokens: 200_000, outputTokens: 32_000 };

function open(messages: readonly Message[], shown: readonly Message[], window = WINDOW): ContextRequest {
  const given = { sessionID: "ses_1", window, rates: () => PRICE, isCompaction: false };
  const rest = { ...given, show: () => shown, find: () => undefined, shownFrom: () => 0 };
  return { history: readHistory(messages), ...rest } as unknown as ContextRequest;
}

const usage = (input: number, read: number) => {
  const tokens = { input, output: 10, reasoning: 5, cache: { read, write: 0 } };
  return { ...user("").info, role: "assistant", tokens } as MessageInfo &
    Required<Pick<MessageInfo, "tokens">>;
};

function openUsage() {
  let announce = (): void => {};
  /** Resolves with the first record. */
  const first = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const recorded: NewSavingsRecord[] = [];
  const savings: Savings = {
    record(one) {
      recorded.push(one);
      announce();
    },
    recordNow: async (one) => void recorded.push(one),
  };
  const clock = createFakeClock();
  const writes = new PQueue({ concurrency: 1 });
  const requests = createRequestUsage({
    clock,
    files: createMemoryFiles({}, clock.now),
    folders: planFolders(PROJECT),
    host: createFakeHost(),
    log: createFakeLog(),
    savings,
    screen: { note() {} },
    sizes: createContextSizes(),
    tools: [],
    windows: createModelWindows(),
    writes,
  } as never);
  return { first, recorded, requests, writes };
}

describe("the usage of an answer", () => {
  const session = createSession(createFakeClock());
  session.user("go");
  session.answer([call("bash", "x".repeat(40_000))]);
  session.answer([call("bash", "y".repeat(8_000))]);

  const asked = { sessionID: "ses_1", rates: () => PRICE };
  const counted = { sent: 1_000, cached: 900, answered: 15 };
  const bare = (sent: number, cached: number) => ({ at: 7, since: 0, sent, cached, answered: 15 });
  const plan = (request: BaselineRequest, more: Partial<FollowedRequest> = {}) =>
    planAnswer(asked, counted, { request, rereads: 0, ...more });

  it("the usage of an answer is worth what the host would have paid, less what was paid", () => {
    expect(plan(bare(11_000, 10_900))).toMatchObject({
      ...counted,
      keptOut: 10_000,
      net: 1_000,
      cost: 100 * PRICE.written + 900 * PRICE.cached + 15 * PRICE.answered,
      bare: { sent: 11_000, cached: 10_900, at: 7, since: 0 },
    });
    expect(plan(bare(3_000, 900)).net).toBe(2_000 * PRICE.written);
    expect(plan(bare(1_000, 900))).toMatchObject({ keptOut: 0, net: 0 });
  });

  it("the usage of an answer is credited with the host's summary, and charged with a reread", () => {
    const same = bare(1_000, 900);
    const summary = { sent: 60_000, cached: 0, answered: 1_000 };
    expect(plan(same, { summary }).net).toBe(60_000 * PRICE.written + 1_000 * PRICE.answered);
    const { net, looks } = plan(same, {
      retracted: { sent: 20_000, cached: 20_000, answered: 10 },
      rereads: 2,
    });
    expect([net, looks]).toEqual([-20_000 * PRICE.cached - 10 * PRICE.answered, 2]);
  });

  it("the usage of answers is recorded in their order, however busy the disk is when the session is opened", async () => {
    const { first, recorded, requests, writes } = openUsage();
    let finish = (): void => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const answer = (created: number): void => {
      requests.open(open(session.messages, session.messages));
      const info = { ...usage(100 + created, 0), time: { created, completed: created + 1 } };
      requests.onEvent({ type: "message.updated", properties: { info } });
    };
    writes.pause();
    answer(1);
    void writes.add(() => slow);
    answer(2);
    writes.start();
    await first;
    answer(3);
    finish();
    await writes.onIdle();
    expect(recorded.map(({ sent }) => sent)).toEqual([101, 102, 103]);
  });

  it("the usage of an answer is closed once, and only by a finished answer", async () => {
    const { recorded, requests, writes } = openUsage();
    const events = async (): Promise<string[]> => {
      await writes.onIdle();
      return recorded.map(({ event }) => event);
    };
    const hear = (info: object) => requests.onEvent({ type: "message.updated", properties: { info } });
    const ended = { ...usage(100, 0), time: { created: 1, completed: 2 } };
    hear(ended);
    requests.open(open(session.messages, session.messages));
    hear({ ...ended, time: { created: 1 } });
    hear({ ...ended, tokens: NO_TOKENS });
    hear({ ...ended, summary: true });
    expect(await events()).toEqual([]);
    hear(ended);
    hear(ended);
    expect(await events()).toEqual(["answer"]);
    requests.open(open(session.messages, session.messages));
    requests.onEvent({ type: "session.idle", properties: { sessionID: "ses_1" } });
    hear(ended);
    expect(await events()).toEqual(["answer"]);
    requests.open({ ...open(session.messages, session.messages), isCompaction: true });
    hear(ended);
    expect(await events()).toEqual(["answer"]);
    hear({ ...ended, summary: true });
    expect(await events()).toEqual(["answer", "summary"]);
    expect(recorded.at(-1)).toMatchObject({
      sent: 100,
      answered: 15,
      net: -100 * PRICE.written - 15 * PRICE.answered,
    });
  });
});

it("the budget of a request is the threshold, at most 85 % of what the window allows, and never negative", () => {
  expect(planBudget(140_000, undefined)).toBe(140_000);
  expect(planBudget(140_000, WINDOW)).toBe(140_000);
  expect(planBudget(150_000, WINDOW)).toBe(142_800);
  expect(planBudget(140_000, { ...WINDOW, inputTokens: 100_000 })).toBe(68_000);
  expect(planBudget(140_000, { contextTokens: 4_000, outputTokens: 8_000 })).toBe(0);
  expect(countUsableTokens({ ...WINDOW, inputTokens: 100_000 })).toBe(80_000);
});

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
