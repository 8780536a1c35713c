import { expect, it } from "vitest";
import { createErrorLog } from "../../layers/errors/error-log.js";
import type { Files } from "../../src/io/files.js";
import { createLedger } from "../../src/memory/store/ledger.js";
import { createTrustRecord } from "../../src/memory/trust/record.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

const PATH = "/s/a.jsonl";

/** How many lines are parsed between two turns of others, at most. */
async function countAtATime(path: string, contents: string, read: (files: Files) => Promise<unknown>) {
  const files = createMemoryFiles({ [path]: contents });
  const { parse } = JSON;
  let [count, most] = [0, 0];
  const counted = () => {
    count++;
    most = Math.max(most, count);
  };
  JSON.parse = (text: string) => {
    counted();
    return parse(text);
  };
  const stat = (file: string) => {
    count = 0;
    return files.stat(file);
  };
  try {
    await read({ ...files, stat });
  } finally {
    JSON.parse = parse;
  }
  return most;
}

it.each<[string, (files: Files) => Promise<unknown>]>([
  [
    "a ledger",
    (files) =>
      createLedger({
        files,
        folder: "/s",
        log: createFakeLog(),
        nameClone: async () => "c",
        prefix: "",
      }).readAll(),
  ],
  [
    "what is trusted",
    (files) => createTrustRecord({ ...files, readFrom: () => files.read(PATH) }, "/s").readOn(),
  ],
])("%s: others have their turn after some hundred lines, however many there are", async (_, read) => {
  for (const line of ["{}", "a", '{"v":1,"op":"revoke","run":"r"}'])
    expect(await countAtATime(PATH, `${line}\n`.repeat(10_000), read)).toBeLessThanOrEqual(500);
});

it("of an errors.log that a repository brings only the end is read, however long it is", async () => {
  const line =
    "2026-11-21 09:00:12  failed    bash  npm test  exit 1: no  attempt 2  [ses_1 x3Kf90aQ 7yTb11Qe 0aB3kd81Zz theirs]";
  const files = createMemoryFiles({ "/p/errors.log": `${line}\n`.repeat(10_000) });
  const locks = { withLock: () => Promise.reject(new Error("not asked for")) } as never;
  const seal = { mark: async () => "m" };
  const log = createErrorLog({ files, locks, lock: "/l", path: "/p/errors.log", seal });
  const { length } = await log.read();
  expect(length).toBeGreaterThan(1_000);
  expect(length).toBeLessThan(3_000);
});
