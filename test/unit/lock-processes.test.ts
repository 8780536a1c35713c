/** The lock with real processes, which are killed and stopped. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "../../src/io/clock.js";
import { createLocks } from "../../src/io/locks.js";
import { nodeFiles as files } from "../../src/io/node-files.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { type Child, startChild } from "../support/processes/child.js";

let folder: string;
const children: Child[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "strata-lock-"));
  await files.writeWhole(join(folder, "count"), "0");
});

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  await rm(folder, { recursive: true, force: true });
});

const start = (...args: string[]): Child => {
  const child = startChild("lock-user.ts", folder, ...args);
  children.push(child);
  return child;
};

const openLocks = () => createLocks({ clock, files, processes: createRunningProcesses(), instance: "test" });

const count = async () => Number(await readFile(join(folder, "count"), "utf8"));

describe("a lock between processes", () => {
  it("a lock between processes has one owner at a time, and leaves nothing behind", async () => {
    const users = [start("60"), start("60"), start("60")];
    await Promise.all(users.map((user) => user.ended()));
    expect(await count()).toBe(180);
    expect(await readdir(folder)).toEqual(["count"]);
  });

  it("a lock of a killed process is taken over at once by one of several, and no count is lost", async () => {
    for (let round = 0; round < 3; round++) {
      const victim = start("1", "hold");
      await victim.line("locked");
      await victim.kill();
      expect(await openLocks().inspect(join(folder, "x.lock"))).toMatchObject({ kind: "abandoned" });
      const users = [start("5"), start("5")];
      await Promise.all(users.map((user) => user.ended()));
      expect(await count()).toBe((round + 1) * 10);
    }
    expect((await readdir(folder)).filter((name) => name === "x.lock")).toEqual([]);
  });

  it("a lock of a stopped process, which sends no heartbeats, is not taken over", async () => {
    const holder = start("1", "hold");
    await holder.line("locked");
    holder.signal("SIGSTOP");
    const asked = openLocks().withLock(join(folder, "x.lock"), async () => "had it", { waitMs: 100 });
    await expect(asked).rejects.toMatchObject({ code: "ELOCKED" });
  });
});

describe("running processes", () => {
  it("running processes are told apart by their start time: another one with the same ID is a different one", async () => {
    const processes = createRunningProcesses();
    const own = await processes.own();
    expect(await processes.isRunning(own)).toBe(true);
    expect(await processes.isRunning({ ...own, start: "1" })).toBe(false);
    expect(await processes.isRunning({ ...own, id: 999_999_999 })).toBe(false);
    expect(await processes.isRunning({ ...own, machine: "elsewhere" })).toBeUndefined();
    expect(await createRunningProcesses().own()).toEqual(own);
  });

  describe("that cannot be seen from here", () => {
    const MINE = "11111111-1111-4111-8111-111111111111";
    const EARLIER = "22222222-2222-4222-8222-222222222222";
    const BOOTED = 1_700_000_000;
    const stat = (start: string) => `1 (init) S ${Array(18).fill("0").join(" ")} ${start} 0`;
    const proc: Record<string, string> = {
      "/proc/sys/kernel/random/boot_id": `${MINE}\n`,
      "/proc/1/stat": stat("17"),
      [`/proc/${process.pid}/stat`]: stat("99"),
      "/proc/stat": `cpu 1 2 3\nbtime ${BOOTED}\nprocesses 7\n`,
    };
    const openAt = (nowMs: number) =>
      createRunningProcesses({
        files: { read: async (path) => (path in proc ? Buffer.from(proc[path] ?? "") : undefined) },
        clock: { now: () => nowMs },
      });
    const bootMs = BOOTED * 1_000;

    it("processes of an earlier boot of this machine have ended if inactive since this boot", async () => {
      const processes = openAt(bootMs + 20_000);
      const { host, ...own } = await processes.own();
      const earlier = { ...own, host, machine: `${host} ${EARLIER} 17` };
      expect(await processes.isRunning(earlier, bootMs - 1)).toBe(false);
      expect(await processes.isRunning(earlier, bootMs + 1)).toBeUndefined();
      expect(await processes.isRunning(earlier)).toBeUndefined();
      expect(await processes.isRunning({ ...earlier, host: "other" }, bootMs - 1)).toBeUndefined();
      // Another machine of this name on a shared disk may have beaten just before this one was up.
      expect(await openAt(bootMs + 1_000).isRunning(earlier, bootMs - 4_000)).toBeUndefined();
    });

    it("processes in another container of this kernel have ended after a minute without activity by its clock", async () => {
      const nowMs = bootMs + 1e6;
      const processes = openAt(nowMs);
      const beside = { ...(await processes.own()), host: "c0ffee", machine: `c0ffee ${MINE} 4711` };
      expect(await processes.isRunning(beside, nowMs - 60_000)).toBe(false);
      expect(await processes.isRunning(beside, nowMs - 59_999)).toBeUndefined();
    });
  });

  it("running processes count as running by their ID alone if there is no /proc", async () => {
    const processes = createRunningProcesses({ files: { read: async () => undefined } });
    const own = await processes.own();
    expect(await processes.isRunning({ ...own, id: process.ppid, start: "whenever" })).toBe(true);
    expect(await processes.isRunning({ ...own, id: 999_999_999 })).toBe(false);
    expect(await processes.isRunning({ ...own, start: "1" })).toBe(false);
  });
});
