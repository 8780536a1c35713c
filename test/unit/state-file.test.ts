import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/base/shape.js";
import { createStateFile, formatPage, formatState } from "../../src/io/state-file.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

interface Counted {
  count: number;
}

const PATH = "/state/ses_1.json";

function open(world: Record<string, string> = {}, { isHeard = true } = {}) {
  const log = createFakeLog();
  const files = createMemoryFiles(world);
  const file = createStateFile<Counted>({
    files,
    parse(text) {
      const value: unknown = JSON.parse(text);
      return isRecord(value) && typeof value.count === "number" ? { count: value.count } : undefined;
    },
    format: formatState,
    fresh: { count: 0 },
    ...(isHeard && { complain: { log, source: "counts", anew: "begun anew" } }),
  });
  return { file, files, log };
}

describe("a state file", () => {
  it("a state file returns what was written, whole", async () => {
    const { file, files, log } = open();
    await file.write(PATH, { count: 3 });
    expect(files.text(PATH)).toBe('{"v":1,"count":3}');
    expect(await file.read(PATH)).toEqual({ count: 3 });
    expect(log.lines).toEqual([]);
  });

  it("a state file is fresh, without a message, if there is none or it holds something else", async () => {
    const { file, log } = open({ [PATH]: '{"v":1,"novelty":1}' });
    expect(await file.read(PATH)).toEqual({ count: 0 });
    expect(await file.read("/state/none.json")).toEqual({ count: 0 });
    expect(log.lines).toEqual([]);
  });

  it.each(["", "{", "nonsense"])(
    "a state file that holds %j is fresh, and the log says so each time",
    async (text) => {
      const { file, log } = open({ [PATH]: text });
      for (let n = 0; n < 2; n++) expect(await file.read(PATH)).toEqual({ count: 0 });
      const line = expect.stringMatching(/^warn counts: \/state\/ses_1\.json cannot be read, begun anew: ./);
      expect(log.lines).toEqual([line, line]);
    },
  );

  it("a state file is fresh if the disk fails, and the log names the failure", async () => {
    const { file, log } = open({ [`${PATH}/x`]: "" });
    expect(await file.read(PATH)).toEqual({ count: 0 });
    expect(log.lines).toEqual([expect.stringContaining("EISDIR")]);
  });

  it("a state file throws without a log to complain to", async () => {
    const { file } = open({ [PATH]: "{", "/folder/x": "" }, { isHeard: false });
    await expect(file.read(PATH)).rejects.toThrow(SyntaxError);
    await expect(file.read("/folder")).rejects.toThrow("EISDIR");
  });

  it("a state file rejects a write that the disk refuses", async () => {
    const { file } = open({ [`${PATH}/x`]: "" });
    await expect(file.write(PATH, { count: 1 })).rejects.toThrow("EISDIR");
  });
});

it("a page is indented and ends its last line", () => {
  expect(formatPage({ count: 1 })).toBe('{\n  "v": 1,\n  "count": 1\n}\n');
});
