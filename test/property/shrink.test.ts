import { expect, it } from "vitest";
import { formatShrunk, planShrink } from "../../layers/1-tool-results/shrink.js";
import { isErrorLine } from "../../src/messages/error-line.js";
import { atOnce } from "../support/at-once.js";
import { fc, runs } from "../support/property.js";

const PATH = ".opencode/tool-results/3f2a0c1e-0000-8000-8000-000000000000.txt";
const shrink = (text: string, before?: string): string | undefined => {
  const shrunk = atOnce(planShrink(text, before));
  return shrunk && formatShrunk(shrunk, PATH);
};

const line = fc.oneof(
  fc.constantFrom(
    ..."error: boom|TypeError: x is not a function|12 passed, 3 failed|cannot find module 'x'|\u001b[31mred\u001b[0m".split(
      "|",
    ),
    ...[
      "",
      " ",
      "ok 🦆 (12 ms)",
      "ok 🦆 (13 ms)",
      "diff --git a/x/yarn.lock b/x/yarn.lock",
      "@@ -1,3 +1,4 @@",
      "+a",
      "-a",
    ],
    ...["10%\r20%\r100%", "1\r\r\r", "crlf\r", "first\rerror: boom\rlast"],
  ),
  fc.integer({ min: 0, max: 40 }).map((n) => `step ${n} of 40`),
  fc.integer({ min: 900, max: 3_000 }).map((n) => "🦆".repeat(n / 2)),
  fc.integer({ min: 900, max: 3_000 }).map((n) => `error: ${"x".repeat(n)}`),
  fc.string({ unit: "binary", maxLength: 60 }),
);
const lines = fc.array(line, { maxLength: 120 });
/** A run, and another of the same command in which some lines differ. */
const twoRuns = fc.tuple(lines, lines, fc.nat(120), fc.nat(120)).map(([one, other, from, to]) => ({
  text: one.join("\n"),
  before: [...one.slice(0, from), ...other, ...one.slice(to)].join("\n"),
}));

it("a shrunk result is shorter, names the file, is valid text where the result is, and is the same every time", () => {
  fc.assert(
    fc.property(twoRuns, ({ before, text }) => {
      const shrunk = shrink(text, before);
      expect(shrink(text, before)).toBe(shrunk);
      if (shrunk === undefined) return;
      expect(shrunk.length).toBeLessThan(text.length);
      expect(shrunk.split("\n")[0]).toContain(PATH);
      if (!/\p{Surrogate}/u.test(text)) expect(shrunk).not.toMatch(/\p{Surrogate}/u);
    }),
    { numRuns: runs(300, 2_000, "results") },
  );
});

it("a shrunk result has every line that reports an error, whole, in its order", () => {
  fc.assert(
    fc.property(twoRuns, ({ before, text }) => {
      const shrunk = shrink(text, before);
      if (shrunk === undefined) return;
      const errorsOf = (all: string) => all.split(/[\n\r]+/).filter(isErrorLine);
      expect(errorsOf(shrunk)).toEqual(errorsOf(text));
    }),
    { numRuns: runs(300, 2_000, "results") },
  );
});

it("a shrunk result says truly how many lines it leaves out, at least four in a row", () => {
  fc.assert(
    fc.property(twoRuns, ({ before, text }) => {
      const shrunk = shrink(text.replaceAll("\r", ""), before.replaceAll("\r", ""));
      if (shrunk === undefined) return;
      const left = [...shrunk.matchAll(/^… (\d+) lines (as in the last run|of a generated file)/gm)];
      const count = left.reduce((sum, [, lines]) => sum + Number(lines), 0);
      const shown = shrunk.split("\n").length - 1 - left.length;
      expect(shown + count).toBe(text.split("\n").length);
      expect(left.every(([, lines]) => Number(lines) >= 4)).toBe(true);
    }),
    { numRuns: runs(300, 2_000, "results") },
  );
});
