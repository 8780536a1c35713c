/** Locks of which nobody here can tell whether their owner lives. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/days.js";
import { formatLock } from "../../src/lock/format.js";
import { createLocks } from "../../src/lock/locks.js";
import { MORNING } from "../support/fake-clock.js";
import { holderOf, LOCK, MINUTE, openLockWorld, putLock } from "../support/lock-world.js";

describe("a lock of another machine", () => {
  it("a lock of another machine is taken over when its beat has stood still for a minute of looking on", async () => {
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

  it("a lock of another machine is not taken over while it beats, and no clock makes it look old", async () => {
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

  it("a lock of another machine is taken over at once when it has not beaten for a day and lay untouched for a minute", async () => {
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

  it("a lock of another machine that has not beaten for a minute is taken over after three beats of looking on", async () => {
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

  it("a lock of another machine says who holds it, since when, when it last beat and what becomes of it", async () => {
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

  it("a lock of another machine is shown as one that nobody is behind once it has given no sign for a minute", async () => {
    const { clock, files, locks } = openLockWorld();
    putLock(files, "elsewhere");
    const isSilent = async () => formatLock(await locks("a").inspect(LOCK), clock.now()).isSilent;
    clock.advance(MINUTE - 1);
    expect(await isSilent()).toBe(false);
    clock.advance(1);
    expect(await isSilent()).toBe(true);
  });

  it("a lock of another machine told to be gone by its last sign is taken over at once", async () => {
    const { clock, files, locks, processes } = openLockWorld();
    putLock(files, "elsewhere");
    processes.isRunning = async (_, signMs) =>
      signMs !== undefined && signMs <= MORNING ? false : undefined;
    clock.advance(1);
    expect(await locks("a").inspect(LOCK)).toMatchObject({ kind: "abandoned" });
    expect(await locks("a").withLock(LOCK, async () => "mine", { waitMs: 0 })).toBe("mine");
  });

  it("a lock of another machine and a file that holds no token, such as half of one, count the same", async () => {
    const { clock, files, locks } = openLockWorld();
    await files.writeWhole(LOCK, '{"id":"ha');
    const { withLock } = locks("a");
    await expect(withLock(LOCK, async () => "", { waitMs: 0 })).rejects.toMatchObject({ code: "ELOCKED" });
    clock.advance(MINUTE);
    expect(await withLock(LOCK, async () => "mine", { waitMs: 0 })).toBe("mine");
  });
});

describe("a process that comes once and ends", () => {
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

  it("a process that comes once and ends is not refused a lock that came with a copy, but looks on until it is silent, and says so once", async () => {
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

  it("a process that comes once and ends is refused one that beats as soon as its wait is over, and never takes it", async () => {
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

  it("a process that comes once and ends is refused one that goes from hand to hand on another machine, after little more than a minute", async () => {
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
