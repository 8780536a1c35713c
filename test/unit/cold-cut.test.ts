/** A session that somebody comes back to: nothing of it is cached, so notes replace history sooner. */
import { expect, it } from "vitest";
import { estimateTokens } from "../../src/context/context-size.js";
import { USUAL_TOKENS } from "../../src/context/threshold.js";
import type { Message } from "../../src/io/message.js";
import { call, lines } from "../support/messages.js";
import { createSession, MODEL } from "../support/session.js";
import { openWorld } from "../support/world.js";

const MINUTE = 60_000;
const FIXED = 3_000;
const COLD = 20_000;
const autoCompact = { coldThreshold: COLD };

interface Pause {
  minutes: number;
  options?: Record<string, unknown>;
  /** Number of answers before the pause, of about 1,000 tokens each. */
  answers?: number;
  providerID?: string;
}

/** A session of results that are never cleared, a pause, and a message after it. */
async function comeBack({ answers = 24, minutes, options = {}, providerID = MODEL.providerID }: Pause) {
  const world = await openWorld({ options: { autoCompact, ...options } });
  const session = createSession(world.clock);
  const model = { ...MODEL, providerID };
  const request = () => world.request([...session.messages]);
  session.user("Port the parser.", { model });
  for (let n = 0; n < answers; n++) {
    const sent = FIXED + estimateTokens(await request());
    session.answer([call("task", `${n} ${lines(95)}`)], { sent, info: model });
  }
  world.clock.advance(minutes * MINUTE);
  session.user("and the tests", { model });
  return { request, session, view: await request(), world };
}

const notesIn = ([first]: readonly Message[]): string => first?.parts[0]?.text ?? "";
const isCut = (view: readonly Message[]): boolean => notesIn(view).includes("too long for the context");

it("a session that somebody comes back to after an hour goes on with notes, without a model call, at half of the cold threshold at most, and loses no cache", async () => {
  const { view, world } = await comeBack({ minutes: 61, options: { background: { enabled: false } } });
  expect(isCut(view)).toBe(true);
  expect(notesIn(view)).toContain("Port the parser.");
  expect(FIXED + estimateTokens(view)).toBeLessThanOrEqual(COLD / 2);
  const [record, ...more] = world.ledger("ses_1", "cut");
  expect(more).toEqual([]);
  expect(record).toMatchObject({ layer: "full-compact", cacheLost: 0 });
  expect(record?.reason).toMatch(
    /^idle for 61 min, the cache lives 60 min; the context has about 2\d,\d{3} tokens of 20,000$/,
  );
});

it("a session goes on with notes after a pause of six minutes where the cache lives five, and stays whole where it lives longer", async () => {
  expect(isCut((await comeBack({ minutes: 6, providerID: "anthropic" })).view)).toBe(true);
  const { view, world } = await comeBack({ minutes: 6 });
  expect(isCut(view)).toBe(false);
  expect(world.ledger("ses_1", "cut")).toEqual([]);
});

it("after a pause history is cut from 40,000 tokens on, but never below a threshold that the user has set", async () => {
  for (const [given, ...expected] of [
    [{}, USUAL_TOKENS, 40_000],
    [{ coldThreshold: false }, USUAL_TOKENS, USUAL_TOKENS],
    [{ threshold: 140_000 }, 140_000, 140_000],
    [{ threshold: 140_000, coldThreshold: 60_000 }, 140_000, 140_000],
    [{ threshold: 30_000 }, 30_000, 30_000],
    [{ agents: { build: "60%" } }, 120_000, 120_000],
    [{ agents: { explore: "60%" } }, USUAL_TOKENS, 40_000],
  ] as const)
    expect(await findBudgets(given)).toEqual(expected);
});

it("tools of 45,000 tokens leave a session as much room as few tools do, unless the user has set a threshold", async () => {
  expect(await findBudgets({}, 45_000)).toEqual([USUAL_TOKENS + 30_000, 70_000]);
  expect(await findBudgets({ threshold: 50_000 }, 45_000)).toEqual([50_000, 50_000]);
  for (const fixed of [10_000, 45_000]) {
    const world = await openWorld();
    const session = createSession(world.clock);
    session.user("Port the parser.");
    for (let n = 0; n < 90; n++) {
      const view = await world.request([...session.messages]);
      session.answer([call("task", `${n} ${lines(95)}`)], { sent: fixed + estimateTokens(view) });
    }
    expect(world.ledger("ses_1", "cut").length).toBeLessThanOrEqual(4);
  }
});

/** The budget of a request, and of one after a pause of an hour. */
async function findBudgets(
  autoCompact: Record<string, unknown>,
  sent = 12_000,
): Promise<(number | undefined)[]> {
  const world = await openWorld({ options: { autoCompact } });
  const window = { contextTokens: 200_000, outputTokens: 8_000 };
  await world.strata.dispatcher.ask("modelWindow", { sessionID: "ses_1", model: MODEL, window }, undefined);
  const session = createSession(world.clock);
  session.user("go");
  session.answer([], { sent });
  await world.request([...session.messages]);
  const budget = () => world.strata.requests.open([...session.messages])?.budgetTokens;
  const before = budget();
  world.clock.advance(60 * MINUTE);
  return [before, budget()];
}
