/** What runs in which OpenCode, and what OpenCode 2 cannot do: each in one place, and neither is forgotten. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BOTH_HOSTS, ONE_HOST } from "./host/hosts.js";

const files = readdirSync("test/host", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => path.slice(0, -".test.ts".length));

describe("the stories of test/host", () => {
  it("each is in one list: played in both hosts, or in one for a reason", () => {
    const listed = [...BOTH_HOSTS, ...Object.keys(ONE_HOST[1]), ...Object.keys(ONE_HOST[2])];
    expect([...listed].sort()).toEqual([...files].sort());
  });

  it("what OpenCode 2 cannot do stands in docs/opencode-2.md, each with the tests that fail when it can", () => {
    const shown = new Map<string, Set<string>>();
    for (const name of files)
      for (const [, reason = ""] of readFileSync(`test/host/${name}.test.ts`, "utf8").matchAll(
        /\bonly1\(\s*"([^"]+)"/g,
      ))
        shown.set(reason, (shown.get(reason) ?? new Set()).add(name));
    const page = readFileSync("docs/opencode-2.md", "utf8");
    const begin = page.indexOf("| In OpenCode 2 |");
    const table = page.slice(begin, page.indexOf("\n\n", begin) + 1);
    const rows = [...table.matchAll(/^\| (.+) \| (.+) \|$/gm)]
      .slice(1)
      .map(([, reason, names]) => `${reason}: ${names}`);
    const expected = [...shown].map(([reason, names]) => `${reason}: ${[...names].sort().join(", ")}`);
    expect(rows.sort()).toEqual(expected.sort());
  });
});
