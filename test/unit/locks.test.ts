import { describe, expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { createLocks, formatLock, formatToken, type LockToken, parseToken } from "../../src/io/locks.js";
import { holderOf, LOCK, MINUTE, openLockWorld, putLock } from "../support/lock-world.js";
import { type MemoryFiles, systemError } from "../support/memory-files.js";

/** Something that a test lets happen. */
function gate(): { opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it("a lock is held while the action runs, by one of many, and leaves nothing behind", async () => {
  const { files, locks } = openLockWorld();
  let inside = 0;
  let most = 0;
  const action = async (instance: string) => {
    most = Math.max(most, ++inside);
    expect(holderOf(files)).toBe(instance);
    for (let n = 0; n < 5; n++) await Promise.resolve();
    inside--;
    return instance;
  };
  const all = ["a", "b", "c"].flatMap((instance) => {
    const { withLock } = locks(instance);
    return Array.from({ length: 20 }, () => withLock(LOCK, () => action(instance)));
  });
  expect((await Promise.all(all)).length).toBe(60);
  expect(most).toBe(1);
  expect([...files.contents.keys()]).toEqual([]);
});

it("a lock is released if the action fails, and the failure is passed on", async () => {
  const { files, locks } = openLockWorld();
  const failing = locks("a").withLock(LOCK, () => Promise.reject(new Error("mine")));
  await expect(failing).rejects.toThrow("mine");
  expect(files.contents.size).toBe(0);
});

it("a lock of a running process is never taken over, however old it is, and the message names the process", async () => {
  const { clock, files, processes, locks } = openLockWorld();
  processes.running.add(7);
  putLock(files);
  clock.advance(30 * 24 * 60 * MINUTE);
  const { withLock, inspect } = locks("a");
  for (let n = 0; n < 3; n++) {
    const asked = withLock(LOCK, async () => "had it", { waitMs: 0 });
    await expect(asked).rejects.toMatchObject({
      code: "ELOCKED",
      message: expect.stringContaining("instance b (process 7 on here) since 2026-11-21T09:00:00.000Z"),
    });
    clock.advance(10 * MINUTE);
  }
  expect(await inspect(LOCK)).toMatchObject({ kind: "held" });
  expect(holderOf(files)).toBe("b");
});

it("a lock is waited for, in a queue within one instance, for no longer than was asked", async () => {
  const { clock, locks } = openLockWorld();
  const { withLock } = locks("a");
  const { opened, open: let_go } = gate();
  const first = withLock(LOCK, () => opened);
  const inTime = withLock(LOCK, async () => "in time", { waitMs: 1_000 });
  const other = locks("b").withLock(LOCK, async () => "other", { waitMs: 1_000 });
  const late = withLock(LOCK, async () => "late", { waitMs: 10 });
  const refused = expect(late).rejects.toMatchObject({ code: "ELOCKED" });
  clock.advance(10);
  await refused;
  let_go();
  await first;
  expect(await Promise.all([inTime, other])).toEqual(["in time", "other"]);
});

it("a lock whose process has ended is taken over at once, by exactly one of many", async () => {
  const { files, locks } = openLockWorld();
  putLock(files);
  expect(await locks("a").inspect(LOCK)).toMatchObject({ kind: "abandoned" });
  let inside = 0;
  const tries = Array.from({ length: 20 }, (_, n) =>
    locks(`i${n}`).withLock(
      LOCK,
      async () => {
        inside++;
        await new Promise((resolve) => setImmediate(resolve));
      },
      { waitMs: 0 },
    ),
  );
  const outcomes = await Promise.allSettled(tries);
  expect(inside).toBe(outcomes.filter(({ status }) => status === "fulfilled").length);
  expect(inside).toBeGreaterThan(0);
  expect([...files.contents.keys()]).toEqual([]);
});

it("a lock whose process has ended is not removed by a process that saw it before another one took it over", async () => {
  // Stops the slow one right after it has read the dead token.
  const seen = gate();
  const goOn = gate();
  let isFirst = true;
  const { files, locks, clock, processes } = openLockWorld();
  putLock(files);
  const slowFiles: Files = {
    ...files,
    async read(path) {
      const found = await files.read(path);
      if (path !== LOCK || !isFirst) return found;
      isFirst = false;
      seen.open();
      await goOn.opened;
      return found;
    },
  };
  const slow = createLocks({ clock, files: slowFiles, processes, instance: "slow" });
  const outcome = slow.withLock(LOCK, async () => "slow", { waitMs: 0 });
  const refused = expect(outcome).rejects.toMatchObject({ code: "ELOCKED" });
  await seen.opened;
  await locks("quick").withLock(LOCK, async ({ check }) => {
    goOn.open();
    await refused;
    await check();
    expect(holderOf(files)).toBe("quick");
  });
});

it("a lock whose process has ended is taken over even if several processes died while taking it over", async () => {
  const { files, locks } = openLockWorld();
  putLock(files);
  const dead = files.contents.get(LOCK);
  if (!dead) throw new Error("no lock");
  const right = Buffer.from(formatToken({ ...tokenOf(dead), id: "right" }));
  const rightOfRight = Buffer.from(formatToken({ ...tokenOf(dead), id: "again" }));
  files.contents.set(`${LOCK}.theirs`, right);
  files.contents.set(`${LOCK}.theirs.right`, rightOfRight);
  expect(await locks("a").withLock(LOCK, async () => "mine", { waitMs: 0 })).toBe("mine");
  expect([...files.contents.keys()]).toEqual([]);
});

describe("a lock whose owner cannot be seen from here", () => {
  const putNameless = (files: MemoryFiles) => files.writeWhole(LOCK, '{"id":"ha');

  it.each([
    ["one of another machine", async (files: MemoryFiles) => putLock(files, "elsewhere")],
    ["a file without a token", putNameless],
  ])("%s is taken over a minute after its last touch, and not before", async (_, put) => {
    const { clock, files, locks } = openLockWorld();
    await put(files);
    const { inspect, withLock } = locks("a");
    const attempt = () => withLock(LOCK, async () => "mine", { waitMs: 0 });
    for (let beat = 1; beat < 20; beat++) {
      clock.advance(MINUTE - 1);
      await expect(attempt()).rejects.toMatchObject({ code: "ELOCKED" });
      // By a clock that is years behind: that of the disk counts.
      await files.touch(LOCK, beat);
    }
    clock.advance(MINUTE);
    expect(formatLock(await inspect(LOCK)).isStale).toBe(true);
    expect(await attempt()).toBe("mine");
  });
});

const tokenOf = (bytes: Uint8Array): LockToken => parseToken(Buffer.from(bytes).toString()) as LockToken;

it("the owner of a lock sends a heartbeat every five seconds", async () => {
  const { clock, files, locks } = openLockWorld();
  await locks("a").withLock(LOCK, async () => {
    const begun = files.modifiedMs.get(LOCK);
    for (let n = 1; n <= 3; n++) {
      clock.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
      expect(files.modifiedMs.get(LOCK)).toBe((begun ?? 0) + n * 5_000);
    }
  });
});

it("the owner of a lock learns before its next write, and at the end, that another has it, and leaves it to them", async () => {
  const { files, locks } = openLockWorld();
  const { withLock } = locks("a");
  const written: string[] = [];
  const guarded = withLock(LOCK, async ({ check }) => {
    await check();
    written.push("first");
    putLock(files, "elsewhere");
    await check();
    written.push("second");
  });
  await expect(guarded).rejects.toMatchObject({ code: "ECOMPROMISED" });
  expect(written).toEqual(["first"]);
  expect(holderOf(files)).toBe("b");
  files.contents.delete(LOCK);
  const atEnd = withLock(LOCK, async () => void files.contents.delete(LOCK));
  await expect(atEnd).rejects.toMatchObject({ code: "ECOMPROMISED" });
});

it("the owner of a lost lock is told by its signal at the next heartbeat", async () => {
  const { clock, files, locks } = openLockWorld();
  const outcome = locks("a").withLock(LOCK, async ({ signal }) => {
    files.contents.delete(LOCK);
    clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
    return signal.aborted;
  });
  await expect(outcome).rejects.toMatchObject({ code: "ECOMPROMISED" });
});

it("the owner of a lock that could not be removed takes it again when it comes back", async () => {
  let isFailing = true;
  const { locks } = openLockWorld((files) => ({
    ...files,
    remove: async (path) => (isFailing ? Promise.reject(systemError("EIO", path)) : files.remove(path)),
  }));
  const { withLock } = locks("a");
  expect(await withLock(LOCK, async () => "first")).toBe("first");
  isFailing = false;
  expect(await withLock(LOCK, async () => "second", { waitMs: 0 })).toBe("second");
});

it("who has waited in vain is no longer in the queue: behind the holder the lock is free at once", async () => {
  const { locks, clock } = openLockWorld();
  const { withLock } = locks("a");
  const done = gate();
  const holder = withLock(LOCK, () => done.opened);
  const impatient = withLock(LOCK, async () => "had it", { waitMs: 100 });
  const refused = expect(impatient).rejects.toMatchObject({ code: "ELOCKED" });
  clock.advance(100);
  await refused;
  done.open();
  const next = holder.then(() => withLock(LOCK, async () => "next", { waitMs: 0 }));
  expect(await next).toBe("next");
});
