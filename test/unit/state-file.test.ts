import { expect, it } from "vitest";
import { isRecord } from "../../src/base/shape.js";
import { createStateFile, formatPage, formatState } from "../../src/io/state-file.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

const PATH = "/state/ses_1.json";

function open(world: Record<string, string> = {}, { isHeard = true } = {}) {
  const log = createFakeLog();
  const files = createMemoryFiles(world);
  const file = createStateFile<{ count: number }>({
    files,
    parse(text) {
      const value: unknown = JSON.parse(text);
      return isRecord(value) && typeof value.count === "number" ? { count: value.count } : undefined;
    },
    format: formatState,
    fresh: { count: 0 },
    ...(isHeard && { complain: { log, source: "counts", anew: "starting over" } }),
  });
  return { file, files, log };
}

it("a state file returns what was written, whole; a page is indented and ends its last line", async () => {
  const { file, files } = open();
  await file.write(PATH, { count: 3 });
  expect(files.text(PATH)).toBe('{"v":1,"count":3}');
  expect(await file.read(PATH)).toEqual({ count: 3 });
  expect(formatPage({ count: 1 })).toBe('{\n  "v": 1,\n  "count": 1\n}\n');
});

it.each<[what: string, world: Record<string, string>, said: RegExp | undefined]>([
  ["is missing", {}, undefined],
  ["holds something else", { [PATH]: '{"v":1,"novelty":1}' }, undefined],
  ["is empty", { [PATH]: "" }, /^warn counts: \/state\/ses_1\.json cannot be read, starting over: ./],
  ["is torn", { [PATH]: "{" }, /cannot be read, starting over/],
  ["is a folder", { [`${PATH}/x`]: "" }, /EISDIR/],
])("a state file that %s is fresh, and the log says so if it cannot be read", async (_, world, said) => {
  const { file, log } = open(world);
  expect(await file.read(PATH)).toEqual({ count: 0 });
  expect(log.lines).toEqual(said ? [expect.stringMatching(said)] : []);
});
