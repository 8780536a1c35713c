import { describe, expect, it } from "vitest";
import { MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { ownState } from "../support/own-project.js";
import { runStrata } from "../support/shell.js";

const SECRET = "quokka";
const STRATA = `${PROJECT}/.opencode/strata`;
const layer = {
  asked: 40,
  answered: 12,
  failed: 1,
  lastMs: MORNING,
  lastFailure: `at hook context: ${SECRET}`,
};
const PULSE = {
  ...{
    v: 1,
    instance: "a",
    version: "0.0.9",
    startedMs: MORNING - 60_000,
    writtenMs: MORNING,
    hasEnded: true,
  },
  ...{ bound: [], hooks: {}, signs: {}, layers: { "tool-results": layer } },
};
const LOG = [
  `2026-11-21 07:30:12.123 WARN  memory  ${PROJECT}/.opencode/memory/idea/${SECRET}.md is not used and left as it is: it has no ${SECRET}`,
  `2026-11-21 07:31:12.123 ERROR savings  cannot write /home/me/${SECRET}/ledger.jsonl: EACCES: permission denied, open '/home/me/${SECRET}'`,
  `2026-11-21 07:32:12.123 WARN  background  no answer from "${SECRET}" at https://${SECRET}.example, key sk-${SECRET}-1234567890`,
  `2026-11-21 07:33:12.123 INFO  tool-results  moved a ${SECRET}`,
];
const CONFIG = {
  plugin: [["./quokka", { background: { model: `mock/${SECRET}` } }]],
  memory: { toolResults: { threshold: 20_000 }, microCompact: { tools: { [SECRET]: true } } },
};

async function open(): Promise<MemoryFiles> {
  const files = createMemoryFiles({
    [`${PROJECT}/opencode.json`]: JSON.stringify(CONFIG),
    [`${PROJECT}/quokka/package.json`]: '{"name":"opencode-strata","version":"0.0.9"}',
    [`${STRATA}/state/pulse/a.json`]: JSON.stringify(PULSE),
    [`${STRATA}/strata.log`]: `${LOG.join("\n")}\n`,
    [`${PROJECT}/.opencode/memory/knowledge/${SECRET}.md`]: `The ${SECRET} is mine.\n`,
  });
  await ownState(files);
  return files;
}

describe("strata doctor --report", () => {
  it("a report has versions, entry, layers, settings that differ and the last errors", async () => {
    const { code, out } = await runStrata(await open(), "doctor --report");
    expect(code).toBe(0);
    for (const row of [
      /^strata {7}\d+\.\d+\.\d+, Node [\d.]+, \w+ \w+$/m,
      /^OpenCode {5}not found$/m,
      /^project {6}project$/m,
      /^entry {8}a folder, version 0\.0\.9$/m,
      /^last loaded {2}0\.0\.9 at 2026-/m,
      /^ {2}tool-results: 2026-\S+ \S+ UTC, answered 12 of 40, 1 failed$/m,
      /^ {2}toolResults\.threshold: 20000$/m,
      /^ {2}microCompact\.tools: \(object\)$/m,
      /^ {2}2026-11-21 07:30:12 WARN memory: … is not used and left as it is$/m,
      /^ {2}2026-11-21 07:31:12 ERROR savings: cannot write …: EACCES: permission denied, open …$/m,
      /^ {2}2026-11-21 07:32:12 WARN background: no answer from … at … key …$/m,
    ])
      expect(out).toMatch(row);
  });

  it("a report has no words of the user, no path and no address", async () => {
    const { err, out } = await runStrata(await open(), "doctor --report");
    expect(`${out}${err}`.toLowerCase()).not.toContain(SECRET);
    expect(out).not.toMatch(/\/home|\/project|https?:|\.md\b/);
  });

  it("a report of a project in which nothing has run says so", async () => {
    const { out } = await runStrata(
      createMemoryFiles({ [`${PROJECT}/opencode.json`]: "{}" }),
      "doctor --report",
    );
    expect(out).toContain("last loaded  never in this project");
    expect(out).toContain("entry        none: no configuration file names the plugin");
    expect(out.match(/^ {2}none$/gm)).toHaveLength(3);
  });
});
