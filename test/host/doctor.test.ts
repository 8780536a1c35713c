/** `strata doctor` proves a healthy plugin with the real OpenCode. long/doctor*.test.ts have the broken ones. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { patiently } from "../support/patience.js";
import { repository } from "./repository.js";
import { createProject } from "./stage/project.js";
import { readFindings, runDoctor } from "./stage/strata.js";

test("doctor proves that every hook and layer of a healthy plugin works, and leaves nothing behind", async () => {
  const project = await createProject({ "opencode.json": JSON.stringify({ plugin: [repository] }) });
  try {
    const run = await runDoctor(project, ["--json"]);
    const { proof } = readFindings(run);
    expect(run.seconds).toBeLessThan(patiently(30));
    expect(proof.filter(({ level }) => level !== "fine")).toEqual([]);
    expect(proof.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^hook config fired once/),
      ...["turn", "modelWindow", "context", "toolArguments", "event", "compacting"].map((hook) =>
        expect.stringContaining(`hook ${hook} fired`),
      ),
      "command /memory answered without a model call",
      expect.stringMatching(/^layer tool-results works: \d+ × moved/),
      expect.stringMatching(/^layer micro-compact works: \d+ × cleared/),
      "layer session-memory works: notes written",
      expect.stringMatching(/^layer full-compact works: \d+ × history replaced/),
      "layer errors works: 1 × an earlier failure shown",
      expect.stringMatching(/^layer auto-memory works: \d+ × memories shown, one stored/),
      "layer dream works: a duplicate archived",
      "layer across-agents works: a lease claimed",
    ]);
    expect(run.code).toBe(0);
    expect(readdirSync(project.folders.tmp).filter((name) => name.startsWith("strata-"))).toEqual([]);
    expect(readdirSync(project.path).sort()).toEqual([".git", "opencode.json"]);
  } finally {
    await project.remove();
  }
});
