import { describe, expect, it } from "vitest";
import { DAY_MS, formatDay, formatDayFile, isDayFile, parseDayFile } from "../../src/base/days.js";
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

describe("a line log", () => {
  it("a line log returns what was appended, in order, and the number of bytes", async () => {
    const { files, lines } = open();
    const first = await lines.append(PATH, [{ says: "one" }, { says: "zwölf" }]);
    expect(first).toBe(files.contents.get(PATH)?.byteLength);
    await lines.append(PATH, [{ says: "three" }]);
    const { bytes, records } = await lines.read(PATH);
    expect(records.map(({ says }) => says)).toEqual(["one", "zwölf", "three"]);
    expect(bytes).toBe(files.contents.get(PATH)?.byteLength);
  });

  it("a line log has no records if there is no file", async () => {
    expect(await open().lines.read(PATH)).toMatchObject({ records: [], bytes: 0 });
  });

  it("a line log skips damage, complains once, and again only if there is more", async () => {
    const { files, lines, log } = open({ [PATH]: '{"says":"one"}\nbroken\n{"says":1}\n' });
    for (let n = 0; n < 2; n++) expect((await lines.read(PATH)).records).toEqual([{ says: "one" }]);
    expect(log.lines).toEqual([`warn says: ${PATH}: lines 2, 3 cannot be read, skipped`]);
    await files.appendLine(PATH, "more");
    await lines.read(PATH);
    expect(log.lines).toHaveLength(2);
    expect(log.lines[1]).toContain("lines 2, 3, 4");
  });

  it("a line log complains about each file separately, and states the consequence", async () => {
    const other = "/log/b.jsonl";
    const { lines, log } = open({ [PATH]: "x\n", [other]: "x\n" }, "they are judged anew");
    for (const path of [PATH, other]) await lines.read(path);
    expect(log.lines).toEqual(
      [PATH, other].map((path) => `warn says: ${path}: line 1 cannot be read, skipped; they are judged anew`),
    );
  });

  it("a line log is silent without a log to complain to", async () => {
    const { files } = open({ [PATH]: "broken\n" });
    expect(await createLineLog({ files, parse }).read(PATH)).toMatchObject({
      records: [],
      corruptLines: [1],
    });
  });
});

describe("a day log", () => {
  it("a day log keeps each day in its own file, and lists the days that have one", async () => {
    const { days, files } = open({ "/log/notes.txt": "", "/log/2026-99-99.jsonl": "" });
    for (const timeMs of [NOON, NOON + 1, NOON - DAY_MS])
      await days.append(timeMs, [{ says: String(timeMs) }]);
    expect(days.pathOf(NOON)).toBe("/log/2026-11-21.jsonl");
    expect(files.text("/log/2026-11-21.jsonl")).toBe(`{"says":"${NOON}"}\n{"says":"${NOON + 1}"}\n`);
    expect((await days.read(NOON + 7)).records).toHaveLength(2);
    expect((await days.days()).map(formatDay)).toEqual(["2026-11-20", "2026-11-21"]);
  });

  it("a day log removes the days before one, and no other files", async () => {
    const kept = [
      "/log/2026-11-21.jsonl",
      "/log/2026-11-22.jsonl",
      "/log/2026-1-1.jsonl",
      "/log/2000-01-01.txt",
    ];
    const { days, files } = open(
      Object.fromEntries(
        [...kept, "/log/2026-11-20.jsonl", "/log/2025-12-31.jsonl"].map((path) => [path, ""]),
      ),
    );
    await days.removeBefore(NOON);
    expect([...files.contents.keys()].sort()).toEqual([...kept].sort());
  });
});

it("the name of a day's file says when the day began, and sorts as the days do", () => {
  const time = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(time, time, (one, other) => {
      const [name, otherName] = [formatDayFile(one), formatDayFile(other)];
      expect(parseDayFile(name)).toBe(one - (one % DAY_MS));
      expect(name < otherName).toBe(Math.floor(one / DAY_MS) < Math.floor(other / DAY_MS));
    }),
  );
  expect(["2026-11-21.json", "x2026-11-21.jsonl", "2026-11-21.jsonl.1"].some(isDayFile)).toBe(false);
});

it("new lines of a file are read from where the last read ended, complete lines only, however it grows", async () => {
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "中", "\n"), maxLength: 6 }), {
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(pieces, async (added) => {
      const files = createMemoryFiles();
      const taken: string[] = [];
      let [text, offset] = ["", 0];
      for (const piece of added) {
        text += piece;
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
