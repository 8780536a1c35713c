/** Files with a JSON record per line: alone, one per day, and read on from where the last read ended. */
import { expect, it } from "vitest";
import { DAY_MS, formatDay } from "../../src/base/days.js";
import { object, parserOf, string } from "../../src/base/shape.js";
import { createDayLog, createLineLog, takeNewLines } from "../../src/io/json-lines.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";

const PATH = "/log/a.jsonl";
const NOON = Date.UTC(2026, 10, 21, 12);
const parse = parserOf(object<{ says: string }>({ says: string }));

function open(world: Record<string, string> = {}, loss?: string) {
  const log = createFakeLog();
  const files = createMemoryFiles(world);
  const complain = { log, source: "says", ...(loss !== undefined && { loss }) };
  const options = { files, parse, complain };
  return { log, files, lines: createLineLog(options), days: createDayLog({ ...options, folder: "/log" }) };
}

it("a line log returns what was appended, in order, and its bytes; it is empty without a file", async () => {
  const { files, lines } = open();
  expect(await lines.read(PATH)).toMatchObject({ records: [], bytes: 0 });
  const first = await lines.append(PATH, [{ says: "one" }, { says: "zwölf" }]);
  expect(first).toBe(files.contents.get(PATH)?.byteLength);
  await lines.append(PATH, [{ says: "three" }]);
  const { bytes, records } = await lines.read(PATH);
  expect(records.map(({ says }) => says)).toEqual(["one", "zwölf", "three"]);
  expect(bytes).toBe(files.contents.get(PATH)?.byteLength);
});

it("a line log skips damage and complains once about each file, and again only if there is more", async () => {
  const other = "/log/b.jsonl";
  const world = { [PATH]: '{"says":"one"}\nbroken\n{"says":1}', [other]: "x" };
  const { files, lines, log } = open(world, "they are judged again");
  for (let n = 0; n < 2; n++) expect((await lines.read(PATH)).records).toEqual([{ says: "one" }]);
  await lines.read(other);
  expect(log.lines).toEqual([
    `warn says: ${PATH}: lines 2, 3 cannot be read, skipped; they are judged again`,
    `warn says: ${other}: line 1 cannot be read, skipped; they are judged again`,
  ]);
  await files.appendLine(PATH, "more");
  await lines.read(PATH);
  expect(log.lines[2]).toContain("lines 2, 3, 4");
});

it("a day log keeps each day in its own file, lists the days, and removes those before one and nothing else", async () => {
  const kept = ["/log/notes.txt", "/log/2026-99-99.jsonl", "/log/2026-1-1.jsonl", "/log/2000-01-01.txt"];
  const { days, files } = open(Object.fromEntries(kept.map((path) => [path, ""])));
  for (const timeMs of [NOON, NOON + 1, NOON - DAY_MS]) await days.append(timeMs, [{ says: String(timeMs) }]);
  expect(days.pathOf(NOON)).toBe("/log/2026-11-21.jsonl");
  expect(files.text("/log/2026-11-21.jsonl")).toBe(`{"says":"${NOON}"}\n{"says":"${NOON + 1}"}\n`);
  expect((await days.read(NOON + 7)).records).toHaveLength(2);
  expect((await days.days()).map(formatDay)).toEqual(["2026-11-20", "2026-11-21"]);
  await days.removeBefore(NOON);
  expect([...files.contents.keys()].sort()).toEqual([...kept, "/log/2026-11-21.jsonl"].sort());
});

it("new lines of a file are read from where the last read ended, complete lines only, however it grows", async () => {
  const long = fc.constantFrom("中".repeat(10_000), "x".repeat(70_000));
  const piece = fc.oneof(fc.string({ unit: fc.constantFrom("a", "中", "\n"), maxLength: 6 }), long);
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (added) => {
      const files = createMemoryFiles();
      const taken: string[] = [];
      let [text, offset] = ["", 0];
      for (const one of added) {
        text += one;
        await files.writeWhole(PATH, text);
        offset = await takeNewLines(files, PATH, offset, (line) => void (line !== "" && taken.push(line)));
        const whole = text.slice(0, text.lastIndexOf("\n") + 1);
        expect(taken).toEqual(whole.split("\n").filter((line) => line !== ""));
        expect(offset).toBe(Buffer.byteLength(whole));
      }
    }),
    { numRuns: 100 },
  );
});
