import { describe, expect, it } from "vitest";
import { planCut } from "../../layers/4-full-compact/cut.js";
import { estimateTokens } from "../../src/context/context-size.js";
import type { Message } from "../../src/io/message.js";
import { PROJECT } from "../support/fake-host.js";
import { answer, call, fork, lines, user } from "../support/messages.js";
import { fc } from "../support/property.js";
import { createSession, NO_TOKENS, type Session } from "../support/session.js";
import { bytesOf } from "../support/view-check.js";
import { openWorld, type World } from "../support/world.js";

const NOTES = `${PROJECT}/.opencode/session-memory/ses_1.md`;
const options = { autoCompact: { threshold: 20_000 }, microCompact: { enabled: false } };

describe("where history is cut", () => {
  const limits = { leastTail: 100, mostTail: 300 };
  const read = (sizes: string) =>
    sizes.split(" ").map((one) => ({ tokens: Number.parseInt(one, 10), isUser: one.endsWith("u") }));

  it.each([
    ["the first turn that leaves neither too much nor too little", "900u 50 200u 50 50u 60 40", 6, 4],
    ["the first turn that leaves neither too much nor too little", "900u 50 100u 50 50u 60 40", 6, 2],
    ["any message where no turn begins in time", "900u 50 150 50 60 40", 5, 2],
    ["never behind what has to stay", "900u 50 100u 50 50u 60 40", 3, 2],
    ["never behind what has to stay", "900u 400 50 50", 1, 1],
    ["never behind what has to stay", "900u 50u 400 500", 2, 2],
    ["nowhere where nothing is before it", "900u", 0, undefined],
    ["nowhere where nothing is before it", "900u 900", 0, undefined],
    ["nowhere where nothing is before it", "900u 900", -3, undefined],
  ])("the place where history is cut is %s: %s", (_, sizes, latest, index) => {
    expect(planCut(read(sizes), { ...limits, latest })).toBe(index);
  });

  it("the place where history is cut leaves a tail within the limits wherever messages allow it", () => {
    const message = fc.record({ tokens: fc.integer({ min: 1, max: 120 }), isUser: fc.boolean() });
    fc.assert(
      fc.property(fc.array(message, { minLength: 2, maxLength: 40 }), (messages) => {
        const index = planCut(messages, { ...limits, latest: messages.length - 1 });
        const tail = (from = 0): number => messages.slice(from).reduce((sum, { tokens }) => sum + tokens, 0);
        expect(index).toBeGreaterThan(0);
        expect(tail(index)).toBeLessThanOrEqual(limits.mostTail);
        if (tail(1) >= limits.mostTail) expect(tail(index)).toBeGreaterThanOrEqual(limits.leastTail);
      }),
    );
  });
});

/** `turns` turns of two results each, then a request without an answer; the provider counts 5,000 tokens more. */
async function work(turns: number, given: Record<string, unknown> = options, linesOfResult = 120) {
  const world = await openWorld({ options: given });
  const session = createSession(world.clock);
  for (let n = 0; n < turns; n++) {
    session.user(`Request ${n}. Never touch file ${n}.`);
    const state = { input: { filePath: `${PROJECT}/src/${n}.ts` } };
    session.answer([call("edit", lines(linesOfResult), { state }), call("bash", lines(linesOfResult))], {
      sent: 5_000 + estimateTokens(session.messages),
    });
    session.answer([], { sent: 5_000 + estimateTokens(session.messages), text: `done ${n}` });
  }
  session.user("and now?");
  world.clock.advance(1_000);
  return { world, session };
}

const notesIn = (view: readonly Message[]): string => view[0]?.parts[0]?.text ?? "";
const isCut = (view: readonly Message[]): boolean => notesIn(view).includes("too long for the context");
const request = (world: World, { messages }: Session) => world.request(messages);

it("a context over the budget is cut at a turn: notes stand for what was, the tail stays verbatim, pairs stay whole", async () => {
  const { world, session } = await work(31, { ...options, autoCompact: { threshold: 24_000 } }, 30);
  const view = await request(world, session);
  expect(isCut(view)).toBe(true);
  expect(notesIn(view)).toContain("Never touch file 0.");
  expect(notesIn(view)).toContain(NOTES);
  expect(world.files.text(NOTES)).toContain("Request 0");
  const from = session.messages.length - view.length;
  expect(view[0]?.parts.slice(1)).toEqual(session.messages[from]?.parts);
  expect(view.slice(1)).toEqual(session.messages.slice(from + 1));
  expect(session.messages[from]?.info.role).toBe("user");
  const tail = estimateTokens(session.messages.slice(from));
  expect(tail).toBeGreaterThanOrEqual(2_400);
  // Half of the budget, without system prompt, tools, notes and names.
  expect(tail).toBeLessThanOrEqual(24_000 / 2 - 5_000 - 2_500 - 720);
  expect(5_000 + estimateTokens(view)).toBeLessThanOrEqual(24_000 / 2);
});

it("a context over the budget is cut within a turn that is too long for half of it, with one record in the ledger, and the decision on disk before the view is handed back", async () => {
  const { world, session } = await work(8);
  const view = await request(world, session);
  expect(isCut(view)).toBe(true);
  const from = session.messages.length - view.length;
  expect(session.messages[from]?.info.role).toBe("assistant");
  expect(view.slice(1)).toEqual(session.messages.slice(from + 1));
  expect(5_000 + estimateTokens(view)).toBeLessThanOrEqual(20_000 / 2);
  const [record, ...more] = world.ledger("ses_1", "cut");
  expect(more).toEqual([]);
  expect(record).toMatchObject({ layer: "full-compact", cacheLost: expect.any(Number) });
  // By what a character has had in this session, which is about what is usual.
  const freed = estimateTokens(session.messages) - estimateTokens(view);
  expect(Math.abs((record?.tokensFreed ?? 0) / freed - 1)).toBeLessThan(0.01);
  expect(world.decisions().filter(({ outcome }) => outcome === "cut")).toMatchObject([
    { text: notesIn(view) },
  ]);
});

it("a context over the budget is not cut again by a request that is made again, nor by a fork from before the cut's answer", async () => {
  const { world, session } = await work(8);
  const sent = bytesOf(await request(world, session));
  session.answer([], { info: { tokens: NO_TOKENS, error: { name: "MessageAbortedError" } } });
  session.user("again");
  const aborted = bytesOf(await request(world, session));
  expect(aborted.slice(0, sent.length)).toEqual(sent);
  const again = await world.restart();
  expect(bytesOf(await request(again, session))).toEqual(aborted);
  expect(bytesOf(await again.request(fork(session.messages.slice(0, -1), "ses_fork")))).toEqual(
    aborted.slice(0, -1),
  );
  expect(world.ledger("ses_1", "cut")).toHaveLength(1);
  expect(world.ledger("ses_fork", "cut")).toHaveLength(0);
});

it("a context over the budget stays as it is where cutting would free less than a tenth", async () => {
  const { world } = await work(0);
  const session = createSession(world.clock);
  session.user("small");
  session.answer([], { sent: 40_000 });
  session.user("large ".repeat(1_000));
  expect(await request(world, session)).toBe(session.messages);
  expect(world.ledger("ses_1", "cut")).toEqual([]);
});

it("a context over the budget of which nothing can go has no notes written for it", async () => {
  const world = await openWorld({ options: { ...options, sessionMemory: { enabled: false } } });
  const session = createSession(world.clock);
  session.user("Port the parser.");
  for (let n = 0; n < 4; n++) session.answer([call("task", lines(30))], { sent: 40_000 });
  expect(isCut(await request(world, session))).toBe(false);
  expect(world.strata.requests.open(session.messages)?.budgetTokens).toBe(20_000);
  expect(world.files.text(NOTES)).toBeUndefined();
});

it("a context over the budget is cut with session memory switched off as well, and the notes that it names are on disk", async () => {
  const { world, session } = await work(8, { ...options, sessionMemory: { enabled: false } });
  expect(notesIn(await request(world, session))).toContain(NOTES);
  expect(world.files.text(NOTES)).toContain("Request 0");
});

const model = { providerID: "acme", modelID: "large" };
const window = { contextTokens: 12_000, outputTokens: 4_000 };
const learn = (world: World) =>
  world.strata.dispatcher.ask("modelWindow", { sessionID: "ses_1", model, window }, undefined);

it("what cannot shrink and is over the window opens the breaker in the place of a loop, once the provider has counted it", async () => {
  const { world } = await work(0);
  await learn(world);
  const session = createSession(world.clock);
  session.user("hello");
  await request(world, session);
  expect(world.host.toasts).toEqual([]);
  session.answer([], { sent: 9_000 });
  session.user("go on");
  await request(world, session);
  await request(world, session);
  expect(world.host.toasts).toHaveLength(1);
  expect(world.host.toasts[0]).toContain("the window of 12,000 tokens is too small");
  expect(world.host.isCompacting).toBe(false);
});

it("a cut that comes too late is dropped: the request was sent without it", async () => {
  const { world, session } = await work(8);
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = await openWorld({
    ...world,
    options: { ...options, sessionMemory: { enabled: false } },
    wrap: (inner) => ({
      ...inner,
      writeWhole: (path, data) =>
        path.includes("session-memory")
          ? gate.then(() => inner.writeWhole(path, data))
          : inner.writeWhole(path, data),
    }),
  });
  const asked = request(slow, session);
  for (let n = 0; n < 100; n++) await new Promise(setImmediate);
  slow.clock.advance(2_000);
  expect(await asked).toEqual(session.messages);
  release();
  for (let n = 0; n < 100; n++) await new Promise(setImmediate);
  expect(slow.ledger("ses_1", "cut")).toEqual([]);
  expect(await slow.log()).toContain("layer full-compact at hook context did not answer in time");
});

describe("/compact-notes", () => {
  const type = async (world: World, words = "") => {
    const command = world.strata.dispatcher.commands.find(({ name }) => name === "compact-notes");
    return command?.execute({ sessionID: "ses_1", words }, new AbortController().signal);
  };
  const wordy = (n: number) => user(`question ${n} ${"word ".repeat(4_000)}`);
  const history = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? wordy(n) : answer([]))).concat(
    user("on"),
  );

  it("/compact-notes says what stays and what notes take at most, also before the window is known of which the threshold is a share", async () => {
    const takes = async (threshold?: string) =>
      /take at most ([\d,]+)\./.exec(
        (await type(await openWorld({ options: { autoCompact: { threshold } } }))) ?? "",
      )?.[1];
    expect(await takes()).toBe("18,000");
    expect(await takes("30%")).toBe("59,500");
  });

  it("/compact-notes has notes take the place of history with the next message, and only then", async () => {
    const world = await openWorld();
    expect(await world.request(history)).toHaveLength(history.length);
    expect(await type(world)).toContain("session-memory/ses_1.md");
    const view = await world.request(history);
    expect(view.length).toBeLessThan(history.length);
    expect(world.ledger("ses_1", "cut")).toHaveLength(1);
    expect(JSON.stringify(await world.request(history))).toBe(JSON.stringify(view));
    expect(world.ledger("ses_1", "cut")).toHaveLength(1);
  });
});
