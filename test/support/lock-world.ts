import type { Files } from "../../src/io/files.js";
import { createLocks, formatToken, type Locks, type LockToken, parseToken } from "../../src/io/locks.js";
import { createFakeClock, MORNING } from "./fake-clock.js";
import { createFakeProcesses, identify } from "./fake-processes.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";

export const LOCK = "/state/x.lock";
export const MINUTE = 60_000;

export function openLockWorld(wrap: (files: Files) => Files = (files) => files) {
  const clock = createFakeClock();
  const files = createMemoryFiles({}, clock.now);
  const processes = createFakeProcesses();
  const locks = (instance: string): Locks => createLocks({ clock, files: wrap(files), processes, instance });
  return { clock, files, processes, locks };
}

/** A lock that process 7 of some machine left at the start of the test. */
export function putLock(files: MemoryFiles, machine = "here", id = "theirs"): void {
  const token: LockToken = {
    id,
    instance: "b",
    process: identify(7, machine),
    since: "2026-11-21T09:00:00.000Z",
  };
  files.contents.set(LOCK, Buffer.from(formatToken(token)));
  files.modifiedMs.set(LOCK, MORNING);
  files.changedMs.set(LOCK, MORNING);
}

export const holderOf = (files: MemoryFiles) => parseToken(files.text(LOCK) ?? "")?.instance;
