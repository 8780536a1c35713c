/** What somebody meets on the first day with the command line: each cause said once, first, and in words of people. */
import { describe, expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { ownState } from "../support/own-project.js";
import { runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";

const CONFIG = `${PROJECT}/opencode.json`;

describe("a configuration that is no JSON", () => {
  const files = () => openRepository({ [CONFIG]: '{\n  "plugin": ["opencode-strata"]\n  "model": "a"\n}' });

  it("doctor names a syntax error first, with line and column and without the parser's words", async () => {
    const { out } = await runStrata(files(), "doctor --no-proof");
    const problems = out.split("\n").filter((line) => line.includes("problem"));
    expect(problems[0]).toContain("opencode.json cannot be read: line 3, column 3: comma expected");
    expect(out).not.toContain("CommaExpected");
    expect(out).not.toContain("no plugin list names it");
    expect(out).toContain("cannot tell whether opencode-strata is configured");
  });
});

describe("strata status", () => {
  it("status says if the plugin is not configured, lists no layer as on, and exits with 1", async () => {
    const { code, out } = await runStrata(openRepository(), "status");
    expect([code, out]).toEqual([
      1,
      expect.stringContaining("opencode-strata is not configured in this project"),
    ]);
    expect(out).not.toContain("toolResults, microCompact");
  });

  it("status does not call a plugin unconfigured that is listed or has run here", async () => {
    const loaded = openRepository({ [CONFIG]: '{"plugin": ["opencode-strata"]}' });
    const ran = openRepository({ [`${PROJECT}/.opencode/strata/state/calls/a.json`]: "{}" });
    await ownState(ran);
    for (const files of [loaded, ran]) {
      const { out } = await runStrata(files, "status");
      expect(out).not.toContain("is not configured");
      expect(out).toContain("toolResults, microCompact");
    }
  });
});

it("list names an unreadable file once", async () => {
  const path = `${PROJECT}/.opencode/memory/decision/broken.md`;
  const { code, err } = await runStrata(openRepository({ [path]: "---\ntitle: [\n---\nx\n" }), "list");
  expect([code, err.split("broken.md").length - 1]).toEqual([1, 1]);
});
