import { expect, it } from "vitest";
import { createErrorLog } from "../../layers/errors/error-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

it("of an errors.log that a repository brings only the end is read, however long it is", async () => {
  const line =
    "2026-11-21 09:00:12  failed    bash  npm test  exit 1: no  attempt 2  [ses_1 x3Kf90aQ 7yTb11Qe 0aB3kd81Zz theirs]";
  const files = createMemoryFiles({ "/p/errors.log": `${line}\n`.repeat(10_000) });
  const locks = { withLock: () => Promise.reject(new Error("not asked for")) } as never;
  const seal = { mark: async () => "m" };
  const log = createErrorLog({ files, locks, looks: files, lock: "/l", path: "/p/errors.log", seal });
  const { length } = await log.read();
  expect(length).toBeGreaterThan(1_000);
  expect(length).toBeLessThan(3_000);
});
