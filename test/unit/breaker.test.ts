import { beforeEach, describe, expect, it } from "vitest";
import {
  type BreakerEvent,
  type BreakerState,
  CLOSED,
  nextState,
} from "../../layers/4-full-compact/breakers.js";
import { PROJECT } from "../support/fake-host.js";
import { NO_TOKENS } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const STATE = `${PROJECT}/.opencode/strata/state/breakers/ses_1.json`;
const LIMIT = 3;
const after = (...events: BreakerEvent[]): BreakerState =>
  events.reduce((state, event) => nextState(state, event, LIMIT), CLOSED);
const failed: BreakerEvent = { kind: "failed", why: "too long" };
const floor: BreakerEvent = { kind: "floor", why: "too small" };
const answered = (fits = true): BreakerEvent => ({ kind: "answered", fits });
const compacted = (freedShare: number, isManual = false): BreakerEvent => ({
  kind: "compacted",
  freedShare,
  isManual,
});
/** So long that the next compaction is no refill. */
const rest = [answered(), answered(), answered(), answered()];

describe("the breaker of a session", () => {
  const poor = [compacted(0.09), ...rest];
  const refill = [answered(), answered(), answered(), compacted(0.5)];
  const open = [failed, failed, failed];

  it.each<[string, BreakerEvent[], string | undefined]>([
    ["two failures", [failed, failed], undefined],
    ["three failures", open, "3 attempts at a summary in a row failed, the last with: too long"],
    ["a success between failures", [failed, failed, compacted(0.5), failed, failed], undefined],
    ["two poor summaries", [...poor, ...poor], undefined],
    ["three poor summaries", [...poor, ...poor, ...poor], "freed less than a tenth"],
    ["a good one between poor ones", [...poor, ...poor, compacted(0.1), ...rest, ...poor], undefined],
    ["two refills", [compacted(0.5), ...refill, ...refill], undefined],
    ["three refills", [compacted(0.5), ...refill, ...refill, ...refill], "within 3 answers"],
    [
      "a rest between refills",
      [compacted(0.5), ...refill, ...rest, compacted(0.5), ...refill, ...refill],
      undefined,
    ],
    ["a floor", [floor], "too small"],
    ["a floor after failures", [...open, floor], "failed"],
    ["failures after a floor", [floor, ...open], "too small"],
    ["an answer that fits after a floor", [floor, answered(true)], undefined],
    ["an answer that does not fit after a floor", [floor, answered(false)], "too small"],
    ["an answer after failures", [...open, answered(true)], "failed"],
    ["a manual compaction", [...open, compacted(0, true)], undefined],
    ["a compaction that helped", [...open, compacted(0.1)], undefined],
    ["one that did not", [...open, compacted(0.09)], "failed"],
  ])("the breaker of a session is open or closed after %s", (_, events, why) => {
    if (why === undefined) expect(after(...events).open).toBeUndefined();
    else expect(after(...events).open).toContain(why);
  });
});

describe("the breakers of a project", () => {
  const turn = (world: World, sessionID = "ses_1") =>
    world.strata.dispatcher.ask("turn", { sessionID }, undefined);
  const end = (world: World, sessionID = "ses_1") =>
    world.strata.dispatcher.ask("event", { type: "session.idle", properties: { sessionID } }, undefined);

  /** The host asks for a summary, and fails so many times. */
  async function fail(world: World, times: number): Promise<void> {
    for (let n = 0; n < times; n++) {
      await world.strata.dispatcher.ask("compacting", { sessionID: "ses_1" }, undefined);
      const error = { name: "APIError", data: { message: "overloaded" } };
      const properties = { sessionID: "ses_1", error };
      await world.strata.dispatcher.ask("event", { type: "session.error", properties }, undefined);
      await world.strata.idle();
    }
  }

  it("the breakers of a project announce once that one has opened, and keep the host from summarising from then on", async () => {
    const world = await openWorld();
    await fail(world, 2);
    expect([world.host.isCompacting, world.host.toasts]).toEqual([true, []]);
    await fail(world, 2);
    expect(world.host.isCompacting).toBe(false);
    expect(world.host.toasts).toHaveLength(1);
    expect(world.host.toasts[0]).toContain(
      "failed, the last with: APIError: overloaded. /compact turns them on",
    );
    expect(await world.log()).toContain("ERROR full-compact  automatic summaries are off for ses_1");
  });

  it("the breakers of a project are there after a restart, and are applied when a turn of their session begins", async () => {
    const world = await openWorld();
    await fail(world, 3);
    const again = await world.restart();
    again.host.isCompacting = true;
    await turn(again);
    expect(again.host.isCompacting).toBe(false);
    expect(again.host.cleaned).toEqual(["ses_1"]);
    await end(again);
    await turn(again, "ses_2");
    expect(again.host.isCompacting).toBe(true);
    expect(again.host.toasts).toHaveLength(1);
  });

  it("the breakers of a project keep the host from summarising while any session at work has an open one", async () => {
    const world = await openWorld();
    await turn(world);
    await fail(world, 3);
    await turn(world, "ses_subagent");
    await end(world, "ses_subagent");
    expect(world.host.isCompacting).toBe(false);
    await end(world);
    expect(world.host.isCompacting).toBe(true);
    await turn(world);
    expect(world.host.isCompacting).toBe(false);
  });
});

describe("a compaction of the host's", () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld({ options: { autoCompact: { retryLimit: 2 } } });
  });
  const begin = () => world.strata.dispatcher.ask("compacting", { sessionID: "ses_1" }, undefined);
  async function hear(type: string, given: object): Promise<void> {
    const properties = { sessionID: "ses_1", ...given };
    await world.strata.dispatcher.ask("event", { type, properties }, undefined);
    await world.strata.idle();
  }
  const readState = () => JSON.parse(world.files.text(STATE) ?? '{"failures":0}');
  const retry = (attempt: number) =>
    hear("session.status", { status: { type: "retry", attempt, message: "overloaded" } });

  it("a compaction of the host's that gives no summary within three minutes is aborted, and the user is told", async () => {
    await begin();
    world.clock.advance(179_999);
    expect(world.host.aborted).toEqual([]);
    world.clock.advance(1);
    await new Promise(setImmediate);
    await world.strata.idle();
    expect(world.host.aborted).toEqual(["ses_1"]);
    expect(world.host.toasts[0]).toContain("could not be compacted (no summary after 3 minutes)");
    expect(readState().failures).toBe(1);
  });

  it("a compaction of the host's that the provider keeps refusing is aborted at the limit, once", async () => {
    await begin();
    await retry(1);
    expect(world.host.aborted).toEqual([]);
    await retry(2);
    await retry(3);
    expect(world.host.aborted).toEqual(["ses_1"]);
    expect(world.host.toasts[0]).toContain("in a row failed, the last with: overloaded");
  });

  it("a compaction of the host's that fails counts as a failure, and one that the user has aborted does not", async () => {
    for (const name of ["APIError", "MessageAbortedError"]) {
      await begin();
      await hear("session.error", { error: { name, data: { message: "no" } } });
      expect(readState().failures).toBe(1);
    }
  });

  it("an answer that fits closes a breaker that a window too small had opened", async () => {
    const state = { failures: 0, poor: 0, refills: 0, open: "too small", isFloor: true };
    world.files.contents.set(STATE, Buffer.from(JSON.stringify(state)));
    const model = { providerID: "acme", modelID: "large" };
    const window = { contextTokens: 100_000, outputTokens: 10_000 };
    await world.strata.dispatcher.ask("modelWindow", { sessionID: "ses_1", model, window }, undefined);
    const answer = (input: number, extra: object = {}) => {
      const info = { sessionID: "ses_1", role: "assistant", time: { created: 1, completed: 2 } };
      return hear("message.updated", { info: { ...info, tokens: { ...NO_TOKENS, input }, ...extra } });
    };
    await answer(95_000);
    await answer(1_000, { time: { created: 1 } });
    await answer(1_000, { summary: true });
    expect(readState()).toMatchObject({ open: "too small" });
    await answer(1_000);
    expect(readState()).toEqual({ v: 1, failures: 0, poor: 0, refills: 0 });
    expect(world.host.toasts).toEqual(["Strata: automatic summaries are on again for this session."]);
  });
});
