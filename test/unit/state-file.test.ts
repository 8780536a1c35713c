import { expect, it } from "vitest";
import { count, object, parserOf } from "../../src/base/shape.js";
import { formatPage, formatState, readState } from "../../src/io/state-file.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

const PATH = "/state/ses_1.json";
const parse = parserOf(object<{ count: number }>({ count }));

it("a state file returns what was written; a page is indented and ends its last line", async () => {
  const files = createMemoryFiles({ [PATH]: formatState({ count: 3 }), "/page": formatPage({ count: 1 }) });
  expect(files.text(PATH)).toBe('{"v":1,"count":3}');
  expect(await readState(files, PATH, parse)).toEqual({ v: 1, count: 3 });
  expect(files.text("/page")).toBe('{\n  "v": 1,\n  "count": 1\n}\n');
});

it.each<[what: string, world: Record<string, string>, said: RegExp | undefined]>([
  ["is missing", {}, undefined],
  ["holds something else", { [PATH]: '{"v":1,"novelty":1}' }, /another form/],
  ["is torn", { [PATH]: "{" }, /^warn counts: \/state\/ses_1\.json cannot be read, starting over: ./],
  ["is a folder", { [`${PATH}/x`]: "" }, /EISDIR/],
])(
  "a state file that %s counts as none, and the log says so if it cannot be read",
  async (_, world, said) => {
    const log = createFakeLog();
    const complaint = { log, source: "counts", anew: "starting over" };
    expect(await readState(createMemoryFiles(world), PATH, parse, complaint)).toBeUndefined();
    expect(log.lines).toEqual(said ? [expect.stringMatching(said)] : []);
  },
);

it("a file that cannot be read throws where nobody logs it: it must not be written anew", async () => {
  await expect(readState(createMemoryFiles({ [`${PATH}/x`]: "" }), PATH, parse)).rejects.toThrow(/EISDIR/);
});
