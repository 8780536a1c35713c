import { expect, it } from "vitest";
import { createErrorLog } from "../../layers/errors/error-log.js";
import type { Files } from "../../src/io/files.js";
import { readJsonLines, takeLines } from "../../src/io/json-lines.js";
import { createLedger } from "../../src/memory/store/ledger.js";
import { createTrustRecord } from "../../src/memory/trust/record.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";

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

it("the lines of a file are those of its text, wherever its pieces end", async () => {
  const line = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom("", "中".repeat(10_000), "x".repeat(70_000)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), fc.boolean(), async (some, isEnded) => {
      const text = some.map((one) => one.replaceAll("\n", " ")).join("\n") + (isEnded ? "\n" : "");
      const taken: string[] = [];
      await takeLines(createMemoryFiles(), PATH, Buffer.from(text), (one) => void taken.push(one));
      expect(taken.filter((one) => one !== "")).toEqual(text.split("\n").filter((one) => one !== ""));
    }),
    { numRuns: 60 },
  );
});

it("the number of a line that cannot be read is right in a long file too", async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => (n % 4_999 === 7 ? "broken" : `{"n":${n}}`));
  const files = createMemoryFiles({ [PATH]: `${lines.join("\n")}\n` });
  const { corruptLines, records } = await readJsonLines(files, PATH, (value) => value);
  expect(corruptLines).toEqual([8, 5_007, 10_006, 15_005, 20_004].filter((n) => n <= 20_000));
  expect(records.length + corruptLines.length).toBe(20_000);
});

it.each<[string, (files: Files) => Promise<unknown>]>([
  ["records", (files) => readJsonLines(files, PATH, (value) => value)],
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
