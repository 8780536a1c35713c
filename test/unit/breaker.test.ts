import { describe, expect, it, vi } from "vitest";
import {
  type BreakerEvent,
  type BreakerState,
  CLOSED,
  nextState,
} from "../../layers/4-full-compact/breakers.js";
import { PROJECT } from "../support/fake-host.js";
import { openWorld, type World } from "../support/world.js";

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

describe("the breaker of a session opens", () => {
  it("the breaker of a session opens after three failures in a row, and says the last reason", () => {
    expect(after(failed, failed).open).toBeUndefined();
    expect(after(failed, failed, failed).open).toBe(
      "3 attempts at a summary in a row failed, the last with: too long",
    );
    expect(after(failed, failed, compacted(0.5), failed, failed).open).toBeUndefined();
    expect(nextState(CLOSED, failed, 1).open).toBeDefined();
  });

  it("the breaker of a session opens after three summaries in a row that freed less than a tenth", () => {
    const poor = [compacted(0.09), ...rest];
    expect(after(...poor, ...poor).open).toBeUndefined();
    expect(after(...poor, ...poor, ...poor).open).toContain("freed less than a tenth");
    expect(after(...poor, ...poor, compacted(0.1), ...rest, ...poor).open).toBeUndefined();
  });

  it("the breaker of a session opens after the context was full again three times within three answers of a summary", () => {
    const refill = [answered(), answered(), answered(), compacted(0.5)];
    expect(after(compacted(0.5), ...refill, ...refill).open).toBeUndefined();
    expect(after(compacted(0.5), ...refill, ...refill, ...refill).open).toContain("within 3 answers");
    expect(
      after(compacted(0.5), ...refill, ...rest, compacted(0.5), ...refill, ...refill).open,
    ).toBeUndefined();
  });

  it("the breaker of a session opens at once where not even the smallest request fits, and keeps the reason it opened for", () => {
    expect(after(floor)).toMatchObject({ open: "too small", isFloor: true });
    expect(after(failed, failed, failed, floor).open).toContain("failed");
    expect(after(floor, failed, failed, failed).open).toBe("too small");
  });
});

describe("the breaker of a session closes", () => {
  const open = after(failed, failed, failed);

  it("the breaker of a session closes by a manual compaction, whatever it freed, and by one that helped", () => {
    for (const event of [compacted(0, true), compacted(0.1)]) {
      expect(nextState(open, event, LIMIT)).toEqual({ ...CLOSED, answersSince: 0 });
    }
    expect(nextState(open, compacted(0.09), LIMIT).open).toBe(open.open);
  });

  it("the breaker of a session closes after a floor by an answer that fits, and after nothing else by an answer", () => {
    expect(after(floor, answered(true))).toEqual(CLOSED);
    expect(after(floor, answered(false)).open).toBe("too small");
    expect(nextState(open, answered(true), LIMIT)).toBe(open);
  });

  it("the breaker of a session closes not by what changes nothing: the state is then the same object", () => {
    expect(nextState(CLOSED, answered(), LIMIT)).toBe(CLOSED);
    const floored = after(floor);
    expect(nextState(floored, floor, LIMIT)).toBe(floored);
  });
});

describe("the breakers of a project", () => {
  const STATE = `${PROJECT}/.opencode/strata/state/breakers/ses_1.json`;
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

  it("the breakers of a project keep the host from summarising before the disk has their state", async () => {
    let release = (): void => {};
    const isSlow = new Promise<void>((done) => {
      release = done;
    });
    const world = await openWorld({
      wrap: (inner) => ({
        ...inner,
        async writeWhole(path, data) {
          if (path === STATE && String(data).includes('"open"')) await isSlow;
          await inner.writeWhole(path, data);
        },
      }),
    });
    await fail(world, 2);
    const third = fail(world, 1);
    await vi.waitFor(() => expect(world.host.isCompacting).toBe(false));
    release();
    await third;
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

  it("the breakers of a project let the host summarise again when the session with the open one is deleted", async () => {
    const world = await openWorld();
    await fail(world, 3);
    await turn(world, "ses_2");
    expect(world.host.isCompacting).toBe(false);
    const properties = { info: { id: "ses_1" } };
    await world.strata.dispatcher.ask("event", { type: "session.deleted", properties }, undefined);
    expect(world.host.isCompacting).toBe(true);
  });

  it("the breakers of a project take no session up that ended while its state was read", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await openWorld({
      wrap: (inner) => ({
        ...inner,
        read: async (of, options) => {
          if (of === STATE) await held;
          return inner.read(of, options);
        },
      }),
    });
    world.files.contents.set(STATE, Buffer.from('{"failures":3,"poor":0,"refills":0,"open":"failed"}'));
    const begun = turn(world);
    await end(world);
    release();
    await begun;
    expect(world.host.cleaned).toEqual(["ses_1"]);
    expect(world.host.isCompacting).toBe(true);
  });

  it("the breakers of a project that cannot be understood or read count as closed, and that is said", async () => {
    for (const [text, isSaid] of [
      ["{", true],
      ["[]", false],
      ['{"failures":-1,"open":7}', false],
    ] as const) {
      const world = await openWorld();
      world.files.contents.set(STATE, Buffer.from(text));
      await turn(world);
      expect(world.host.isCompacting).toBe(true);
      expect((await world.log()).includes("cannot be read, automatic summaries count as on")).toBe(isSaid);
    }
  });

  it("the breakers of a project that cannot be written are known to this instance all the same", async () => {
    const world = await openWorld({
      wrap: (inner) => ({
        ...inner,
        writeWhole: async (path, data) =>
          path === STATE ? Promise.reject(new Error("ENOSPC")) : inner.writeWhole(path, data),
      }),
    });
    await fail(world, 3);
    world.host.isCompacting = true;
    await turn(world);
    expect(world.host.isCompacting).toBe(false);
    expect(await world.log()).toContain(`cannot write ${STATE}: ENOSPC`);
  });
});
