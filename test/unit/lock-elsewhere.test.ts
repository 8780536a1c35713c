/** Locks of which nobody here can tell whether their owner lives. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { formatLock } from "../../src/io/holders.js";
import { createLocks } from "../../src/io/locks.js";
import { MORNING } from "../support/fake-clock.js";
import { holderOf, LOCK, MINUTE, openLockWorld, putLock } from "../support/lock-world.js";

describe("a lock of another machine", () => {
  it("a lock of another machine is taken over after a minute of watching without a heartbeat", async () => {
    const { clock, files, locks } = openLockWorld();
    putLock(files, "elsewhere");
    const { withLock } = locks("a");
    const attempt = () => withLock(LOCK, async () => "mine", { waitMs: 0 });
    await expect(attempt()).rejects.toMatchObject({ code: "ELOCKED" });
    clock.advance(MINUTE - 1);
    await expect(attempt()).rejects.toMatchObject({ code: "ELOCKED" });
    clock.advance(1);
    expect(await attempt()).toBe("mine");
  });

  it("a lock of another machine is not taken over while heartbeats come, and no clock makes it look old", async () => {
    const { clock, files, locks } = openLockWorld();
    putLock(files, "elsewhere");
    const { withLock } = locks("a");
    for (let beat = 2; beat < 30; beat++) {
      await expect(withLock(LOCK, async () => "mine", { waitMs: 0 })).rejects.toMatchObject({
        code: "ELOCKED",
      });
      clock.advance(5_000);
      // Times of a clock that is years behind, and jumps; those of the disk are the disk's.
      await files.touch(LOCK, beat % 2 === 0 ? beat : 1e12 + beat);
    }
  });

  it("a lock of another machine is taken over at once after a day without a heartbeat and a minute without a change", async () => {
    const { clock, files, locks } = openLockWorld();
    putLock(files, "elsewhere");
    files.modifiedMs.set(LOCK, MORNING - DAY_MS);
    const attempt = () => locks("a").withLock(LOCK, async () => "mine", { waitMs: 0 });
    // Just put there: whoever beats by a clock that is a day behind looks the same.
    await expect(attempt()).rejects.toMatchObject({ code: "ELOCKED" });
    clock.advance(MINUTE);
    expect(await locks("b").inspect(LOCK)).toMatchObject({ kind: "abandoned" });
    expect(await attempt()).toBe("mine");
  });

  it("a lock of another machine without a heartbeat for a minute is taken over after three heartbeats of watching", async () => {
    const { clock, files, locks } = openLockWorld();
    putLock(files, "elsewhere");
    files.modifiedMs.set(LOCK, MORNING - MINUTE);
    const { withLock } = locks("a");
    const attempt = () => withLock(LOCK, async () => "mine", { waitMs: 0 });
    await expect(attempt()).rejects.toMatchObject({ code: "ELOCKED" });
    clock.advance(14_999);
    await expect(attempt()).rejects.toMatchObject({ code: "ELOCKED" });
    clock.advance(1);
    expect(await attempt()).toBe("mine");
  });

  it("a lock of another machine is described by its owner, age, last heartbeat and what will happen to it", async () => {
    const { files, locks } = openLockWorld();
    putLock(files, "elsewhere");
    const { inspect, withLock } = locks("a");
    const says = [
      "instance b (process 7 on elsewhere) since 2026-11-21T09:00:00.000Z",
      "last active at 2026-11-21T09:00:00.000Z",
      "taken over after a minute without activity",
    ];
    const { message } = (await withLock(LOCK, async () => "", { waitMs: 0 }).catch(
      (thrown) => thrown,
    )) as Error;
    for (const part of says) {
      expect(message).toContain(part);
      expect(formatLock(await inspect(LOCK), MORNING).says).toContain(part);
    }
  });

  it("a lock of another machine is shown as abandoned after a minute without activity", async () => {
    const { clock, files, locks } = openLockWorld();
    putLock(files, "elsewhere");
    const isSilent = async () => formatLock(await locks("a").inspect(LOCK), clock.now()).isSilent;
    clock.advance(MINUTE - 1);
    expect(await isSilent()).toBe(false);
    clock.advance(1);
    expect(await isSilent()).toBe(true);
  });

  it("a lock of another machine whose last activity proves its end is taken over at once", async () => {
    const { clock, files, locks, processes } = openLockWorld();
    putLock(files, "elsewhere");
    processes.isRunning = async (_, signMs) =>
      signMs !== undefined && signMs <= MORNING ? false : undefined;
    clock.advance(1);
    expect(await locks("a").inspect(LOCK)).toMatchObject({ kind: "abandoned" });
    expect(await locks("a").withLock(LOCK, async () => "mine", { waitMs: 0 })).toBe("mine");
  });

  it("a lock of another machine and a file without a valid token are treated the same", async () => {
    const { clock, files, locks } = openLockWorld();
    await files.writeWhole(LOCK, '{"id":"ha');
    const { withLock } = locks("a");
    await expect(withLock(LOCK, async () => "", { waitMs: 0 })).rejects.toMatchObject({ code: "ELOCKED" });
    clock.advance(MINUTE);
    expect(await withLock(LOCK, async () => "mine", { waitMs: 0 })).toBe("mine");
  });
});

describe("a short-lived process", () => {
  /** Turns the clock in small steps until this is settled. */
  async function outlast<T>(
    { clock }: ReturnType<typeof openLockWorld>,
    asked: Promise<T>,
    onStep = () => {},
  ) {
    const outcome = asked.then(
      (value) => ({ value }),
      (thrown: Error) => ({ thrown }),
    );
    for (let stepMs = 0; stepMs < 5 * MINUTE; stepMs += 500) {
      const settled = await Promise.race([
        outcome,
        new Promise<undefined>((next) => setImmediate(next, undefined)),
      ]);
      if (settled) return { ...settled, afterMs: clock.now() - MORNING };
      onStep();
      clock.advance(500);
    }
    throw new Error("it waits for ever");
  }
  const patient = ({ clock, files, processes }: ReturnType<typeof openLockWorld>, told: string[]) =>
    createLocks({ clock, files, processes, instance: "cli", onDoubt: (why) => told.push(why) });

  it("a short-lived process is not refused a lock that came with a copy, but watches until it is silent, and says so once", async () => {
    for (const [ageMs, mostMs] of [
      [0, 61_000],
      [2 * MINUTE, 16_000],
      [DAY_MS, 16_000],
    ] as const) {
      const world = openLockWorld();
      const told: string[] = [];
      putLock(world.files, "elsewhere");
      world.files.modifiedMs.set(LOCK, MORNING - ageMs);
      const asked = patient(world, told).withLock(LOCK, async () => "mine", { waitMs: 5_000 });
      const { afterMs, ...rest } = await outlast(world, asked);
      expect(rest).toEqual({ value: "mine" });
      expect(afterMs).toBeLessThanOrEqual(mostMs);
      expect(told).toEqual([expect.stringContaining("held by instance b (process 7 on elsewhere)")]);
    }
  });

  it("a short-lived process is refused a lock with heartbeats as soon as its wait is over, and never takes it", async () => {
    const world = openLockWorld();
    const { clock, files } = world;
    const told: string[] = [];
    putLock(files, "elsewhere");
    // A year behind, as clocks of small machines are.
    const beat = () => clock.now() % 5_000 === 0 && void files.touch(LOCK, clock.now() - 365 * DAY_MS);
    const asked = patient(world, told).withLock(LOCK, async () => "mine", { waitMs: 8_000 });
    const { afterMs, ...rest } = await outlast(world, asked, beat);
    expect(rest).toMatchObject({ thrown: { code: "ELOCKED" } });
    expect(afterMs).toBeLessThanOrEqual(9_000);
    expect([holderOf(files), told]).toEqual(["b", []]);
  });

  it("a short-lived process is refused a lock that changes owners on another machine, after little more than a minute", async () => {
    const world = openLockWorld();
    const { clock, files } = world;
    let hands = 0;
    putLock(files, "elsewhere");
    const pass = () => clock.now() % 10_000 === 0 && putLock(files, "elsewhere", `hand-${++hands}`);
    const asked = patient(world, []).withLock(LOCK, async () => "mine", { waitMs: 0 });
    const { afterMs, ...rest } = await outlast(world, asked, pass);
    expect(rest).toMatchObject({ thrown: { code: "ELOCKED" } });
    expect(afterMs).toBeLessThanOrEqual(80_000);
  });
});
