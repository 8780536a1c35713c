import { expect, it } from "vitest";
import { type ForkReport, formatForkReports, parseForkReports } from "../../src/notes/fork-report.js";
import { fc } from "../support/property.js";

const report = (given: Partial<ForkReport> = {}): ForkReport => ({
  task: "look",
  answer: "It is 42.",
  history: "shared",
  first: { input: 22, output: 5, cacheRead: 44_428 },
  used: { input: 122, output: 50, cacheRead: 88_900 },
  requests: 2,
  files: [],
  refusals: [],
  ...given,
});

it("a report states the cache hit of the first request, to a tenth of a percent and never rounded up", () => {
  expect(formatForkReports([report()])).toBe(
    "=== fork 1 of 1: look\nIt is 42.\n[Strata] first request: 44,428 of 44,450 prompt tokens from the cache (99.9 %); 2 requests, 122 tokens read anew, 88,900 from the cache, 50 answered",
  );
  expect(formatForkReports([report({ first: { input: 1, output: 0, cacheRead: 99_999 } })])).toContain(
    "(99.9 %)",
  );
});

it("a report is parsed again: task, answer and files of each fork", () => {
  const word = fc.stringMatching(/^[a-z]{1,9}( [a-z]{1,9})?$/);
  const reports = fc.array(
    fc.record({ task: word, answer: word, files: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}\.ts$/)) }),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(reports, (given) => {
      const all = given.map(({ answer, files, task }) => ({
        task,
        answer,
        files: files.map((name, n) => ({ name, isEdited: n % 2 === 0 })),
      }));
      const read = parseForkReports(formatForkReports(all.map((one) => report(one))));
      const sorted = all.map((one) => ({
        ...one,
        files: [...one.files.filter((f) => f.isEdited), ...one.files.filter((f) => !f.isEdited)],
      }));
      expect(read).toEqual(sorted);
    }),
  );
});
