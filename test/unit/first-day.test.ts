/** What somebody meets on the first day with the command line: each cause said once, first, and in words of people. */
import { describe, expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { ownState } from "../support/own-project.js";
import { runStrata } from "../support/shell.js";

const CONFIG = `${PROJECT}/opencode.json`;
const open = (files: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", ...files });

describe("a configuration that is no JSON", () => {
  const files = () => open({ [CONFIG]: '{\n  "plugin": ["opencode-strata"]\n  "model": "a"\n}' });

  it("a configuration that is no JSON is the first thing that doctor tells, by line and column and without the parser's words", async () => {
    const { out } = await runStrata(files(), "doctor --no-proof");
    const problems = out.split("\n").filter((line) => line.includes("problem"));
    expect(problems[0]).toContain('opencode.json cannot be read: line 3, column 3: expected a "," between');
    expect(out).not.toContain("CommaExpected");
    expect(out).not.toContain("stands in no plugin list");
    expect(out).toContain("cannot be told while");
  });
});

describe("strata status", () => {
  it("strata status says where the plugin is not loaded, names nothing as on, and ends with 1", async () => {
    const { code, out } = await runStrata(open(), "status");
    expect([code, out]).toEqual([
      1,
      expect.stringContaining("opencode-strata is not loaded in this project"),
    ]);
    expect(out).not.toContain("toolResults, microCompact");
  });

  it("strata status says nothing of it where it is loaded, or has run though no list names it", async () => {
    const loaded = open({ [CONFIG]: '{"plugin": ["opencode-strata"]}' });
    const ran = open({ [`${PROJECT}/.opencode/strata/state/pulse/a.json`]: "{}" });
    await ownState(ran);
    for (const files of [loaded, ran]) {
      const { out } = await runStrata(files, "status");
      expect(out).not.toContain("is not loaded");
      expect(out).toContain("toolResults, microCompact");
    }
  });

  it("strata status tells of wrong settings", async () => {
    const text = '{"plugin": ["opencode-strata"], "memory": {"dream": {"interval": "often"}}}';
    const { code, out } = await runStrata(open({ [CONFIG]: text }), "status");
    expect([code, out]).toEqual([1, expect.stringContaining("memory.dream.interval")]);
  });
});

it("strata list tells of a file that cannot be read once", async () => {
  const path = `${PROJECT}/.opencode/memory/decision/broken.md`;
  const { code, err } = await runStrata(open({ [path]: "---\ntitle: [\n---\nx\n" }), "list");
  expect([code, err.split("broken.md").length - 1]).toEqual([1, 1]);
});

it("strata undo of a run that is unknown ends with 3, as every unknown id does", async () => {
  expect((await runStrata(open(), "undo --run abc")).code).toBe(3);
});
