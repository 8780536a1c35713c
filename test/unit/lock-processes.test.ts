/** The lock with real processes, which are killed and stopped. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
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

it("running processes are told apart by their start time: another one with the same ID is a different one", async () => {
  const processes = createRunningProcesses();
  const own = await processes.own();
  expect(await processes.isRunning(own)).toBe(true);
  expect(await processes.isRunning({ ...own, start: "1" })).toBe(false);
  expect(await processes.isRunning({ ...own, id: 999_999_999 })).toBe(false);
  expect(await processes.isRunning({ ...own, machine: "elsewhere" })).toBeUndefined();
  expect(await createRunningProcesses().own()).toEqual(own);
});

it("running processes count as running by their ID alone if there is no /proc", async () => {
  const processes = createRunningProcesses({ read: async () => undefined });
  const own = await processes.own();
  expect(await processes.isRunning({ ...own, id: process.ppid, start: "whenever" })).toBe(true);
  expect(await processes.isRunning({ ...own, id: 999_999_999 })).toBe(false);
  expect(await processes.isRunning({ ...own, start: "1" })).toBe(false);
});
