/** Valid paths of memories: none that is hostile, all that the store makes, and round trips. */
import { expect, it } from "vitest";
import { formatID, isName, memoryTypes } from "../../src/memory/memory.js";
import {
  findNameFault,
  findPathFault,
  foldName,
  formatLedgerFile,
  formatPath,
  isLedgerFile,
  parsePath,
  planName,
  quotePath,
  splitPath,
} from "../../src/memory/path.js";
import { parsePending } from "../../src/memory/store/journal.js";
import { readLedgerLine } from "../../src/memory/store/ledger.js";
import { hostilePath } from "../support/hostile-paths.js";
import { fc, runs } from "../support/property.js";
import { forge, LEDGER_FILE } from "../support/victim.js";

function parseLedgerLine(value: unknown, prefix: string): unknown {
  const reading = readLedgerLine(value, prefix);
  return reading.kind === "line" ? reading.line : undefined;
}

const legal = forge({ path: "knowledge/api.md", becomes: "x" });

it("a hostile path is refused anywhere in a line, and its whole change is ignored", () => {
  fc.assert(
    fc.property(hostilePath, ({ path }) => {
      expect(parsePath(path)).toBeUndefined();
      expect(findPathFault(path)).toContain(quotePath(path));
      // The line of an attacker who knows how paths make keys.
      const key = path.replace(/^archive\//, "").replace(/\.md$/, "");
      const lines = [
        forge({ path, becomes: "x" }),
        forge({ path, key, becomes: "x" }),
        forge({ path: "knowledge/api.md", from: path, was: "x" }),
        forge({ path, from: "knowledge/api.md", was: "x" }),
      ];
      for (const line of lines) {
        expect(parseLedgerLine(line, "")).toBeUndefined();
        const pending = JSON.stringify({
          ledger: { [LEDGER_FILE]: [JSON.stringify(legal)] },
          steps: [legal, line, legal],
        });
        expect(parsePending(pending, "")).toEqual({
          why: expect.stringContaining("line 2 of it is not a change of a memory"),
        });
      }
      expect(isLedgerFile(path)).toBe(false);
      expect(isLedgerFile(`${path}.jsonl`)).toBe(false);
    }),
    { numRuns: runs(500, 2_000, "paths of memories") },
  );
});

it("a hostile path is shown to people on one short line without control or invisible characters", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        hostilePath.map(({ path }) => path),
        fc.string({ unit: "binary" }),
      ),
      (path) => {
        expect(quotePath(path)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect([...quotePath(path)].length).toBeLessThan(800);
      },
    ),
  );
});

const type = fc.constantFrom(...memoryTypes);
/** File names that a person may choose. */
const byHand = fc.constantFrom(
  "端口-8080",
  "他说……不要",
  "Wait… what",
  "my notes",
  "Ｖ１．２",
  "½ price",
  "a.b..c",
  "Why: because",
  "👩‍💻 setup",
  "☺️",
  "می‌خواهم",
  "क्‍ष",
  "don't",
  "v1.2.3",
  "auxiliary",
  "console",
);
const title = fc.oneof(
  byHand,
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme" }),
);

it("a path of a memory survives parsing and formatting, for each name that the store makes of a title", () => {
  fc.assert(
    fc.property(type, title, fc.nat(3), fc.boolean(), (one, words, others, isArchived) => {
      const taken = new Set<string>();
      for (let n = 0; n < others; n++) taken.add(foldName(planName(words, one, taken)));
      const place = { type: one, name: planName(words, one, taken), isArchived };
      expect(parsePath(formatPath(place))).toEqual(place);
      const key = formatID({ ...place, scope: "global", sensitivity: "private" });
      const line = forge({ path: formatPath(place), key, becomes: "x" });
      expect(parseLedgerLine(line, "global/private/")).toEqual(line);
      expect(parseLedgerLine(line, "")).toBeUndefined();
      expect(parseLedgerLine({ ...line, key: `${key}x` }, "global/private/")).toBeUndefined();
    }),
    { numRuns: runs(300, 1_000, "names of memories") },
  );
});

it("a path of a memory may have a person's name for it, with spaces, in any script, with emoji", () => {
  fc.assert(
    fc.property(type, byHand, fc.boolean(), (one, name, isArchived) => {
      expect([name, findNameFault(name)]).toEqual([name, undefined]);
      expect(parsePath(formatPath({ type: one, name, isArchived }))).toEqual({
        type: one,
        name,
        isArchived,
      });
    }),
  );
});

it("a path of a memory is read for every file in a memory folder, even if no line may name it", () => {
  const name = fc.oneof(title, fc.constantFrom("con", "a\u2215b", "x.", "\uff0e\uff0e", "a\u202eb"));
  fc.assert(
    fc.property(type, name.filter(isName), fc.boolean(), (one, given, isArchived) => {
      const place = { type: one, name: given, isArchived };
      expect(splitPath(formatPath(place))).toEqual(place);
    }),
    { numRuns: runs(300, 1_000, "hostile paths") },
  );
});

it("a path of a memory only moves between its folder and the archive, and stays the same memory's", () => {
  const move = (from: string, path: string) => forge({ from, path, was: "x" });
  expect(parseLedgerLine(move("knowledge/api.md", "archive/knowledge/api.md"), "")).toBeDefined();
  expect(parseLedgerLine(move("archive/knowledge/api.md", "knowledge/api.md"), "")).toBeDefined();
  for (const from of ["knowledge/api.md", "knowledge/other.md", "archive/idea/api.md"])
    expect(parseLedgerLine(move(from, "knowledge/api.md"), "")).toBeUndefined();
});

it("a path of a memory has a ledger whose file is named after a month and a clone", () => {
  for (const clone of ["0a1b2c3d", "unnamed"])
    expect(isLedgerFile(formatLedgerFile("2026-11-22T00:00:00.000Z", clone))).toBe(true);
});

it("a line with an invalid time, or one beyond any clock, stops no later change", () => {
  for (const at of ["", "then", "2026-13-45T00:00:00Z", "+275760-09-13T00:00:00.000Z", "2026-01-01"])
    expect(parseLedgerLine({ ...legal, at }, "")).toBeUndefined();
  expect(parseLedgerLine({ ...legal, at: "9999-12-31T23:59:59.999Z" }, "")).toBeDefined();
});
