import { expect, it } from "vitest";
import { findEscape } from "../../src/dream/sandbox.js";
import { escapes, harmless, sandbox } from "../support/escapes.js";

it.each(escapes.map(({ tool, args }) => [tool, JSON.stringify(args), { tool, args }] as const))(
  "refuses %s %s",
  (_, __, { tool, args }) => {
    expect(findEscape(tool, args, sandbox("/home/me/project"))).toBeTypeOf("string");
  },
);

it.each(harmless.map(({ tool, args }) => [tool, JSON.stringify(args), { tool, args }] as const))(
  "lets through %s %s",
  (_, __, { tool, args }) => {
    expect(findEscape(tool, args, sandbox("/home/me/project"))).toBeUndefined();
  },
);

it("says why, and what may be done instead", () => {
  const why = (tool: string, args: unknown) => findEscape(tool, args, sandbox("/p"));
  expect(why("bash", { command: "rm -rf x" })).toBe(
    'only ls, cat, head, tail, wc, stat, diff, grep may be run, not "rm"',
  );
  expect(why("webfetch", { url: "https://example.org" })).toContain("is not for a dream");
  expect(why("write", { filePath: "/p/README.md", content: "" })).toContain(
    "is not the file to write, which is /p/",
  );
});

it("is more than sixty ways", () => expect(escapes.length).toBeGreaterThanOrEqual(60));
