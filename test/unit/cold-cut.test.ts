/** A session that somebody comes back to: nothing of it is cached, so notes replace history sooner. */
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/context/context-size.js";
import type { Message } from "../../src/io/message.js";
import { call, lines } from "../support/messages.js";
import { createSession, MODEL } from "../support/session.js";
import { openWorld } from "../support/world.js";

const MINUTE = 60_000;
const FIXED = 3_000;
const COLD = 20_000;
const autoCompact = { threshold: 100_000, coldThreshold: COLD as number | false };

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

describe("a session that somebody comes back to after an hour", () => {
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
});

it("a session whose user comes back after five minutes stays whole, though its cache is cold", async () => {
  const { view, world } = await comeBack({ minutes: 6, providerID: "anthropic" });
  expect(isCut(view)).toBe(false);
  expect(world.ledger("ses_1", "cut")).toEqual([]);
});

it("a threshold that the user has set also holds after a pause, unless they set a cold one", async () => {
  for (const [coldThreshold, expected] of [
    [undefined, 140_000],
    [60_000, 60_000],
  ] as const) {
    const autoCompact = { threshold: 140_000, ...(coldThreshold !== undefined && { coldThreshold }) };
    expect(await findBudgets(autoCompact)).toEqual([140_000, expected]);
  }
});

/** The budget of a request, and of one after a pause of an hour. */
async function findBudgets(autoCompact: Record<string, unknown>): Promise<(number | undefined)[]> {
  const world = await openWorld({ options: { autoCompact } });
  const session = createSession(world.clock);
  session.user("go");
  session.answer([], { sent: 20_000 });
  const budget = () => world.strata.requests.open([...session.messages])?.budgetTokens;
  const before = budget();
  world.clock.advance(60 * MINUTE);
  return [before, budget()];
}
