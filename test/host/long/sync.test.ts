/** Another machine's push in the real OpenCode: pulled in the background of a start, known to the next session. */
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nodeFiles } from "../../../src/io/node-files.js";
import { locateRecord } from "../../../src/project/state-owner.js";
import { openSyncFiles } from "../../../src/sync/sync-state.js";
import { BY_TEST, draft } from "../../support/memory-world.js";
import { openSyncWorld } from "../../support/sync-world.js";
import { whenContains } from "../stage/files.js";
import { openStage } from "../stage/stage.js";
import { say } from "../stage/steps.js";

const world = openSyncWorld();
afterAll(() => world.remove());

test("a start of OpenCode pulls what another machine pushed, and the next session gets it", async () => {
  const other = await (await world.machine("other")).open();
  const rule = draft("The billing service listens on port 8471.", { title: "Billing port", pinned: true });
  await other.store.remember(rule, BY_TEST);
  await other.sync.push();
  await using stage = await openStage();
  stage.model.respond(() => say("Good morning."));
  const stateFolder = join(stage.project.folders.state, "opencode-strata");
  const { folder } = await locateRecord(nodeFiles, { project: stage.project.path, stateFolder });
  const remote = { url: world.remote, branch: "strata-memory", isOwn: true };
  await openSyncFiles(nodeFiles, { scope: "project", folder }).writeConfig(remote);
  await stage.restart();
  await (await stage.newSession("first")).ask("Good morning.");
  await whenContains(stage.project.file(".opencode/memory/decision/billing-port.md"), "8471");
  await whenContains(stage.project.file(".opencode/memory/MEMORY.md"), "Billing port");
  await (await stage.newSession("second")).ask("Good morning again.");
  expect(JSON.stringify(stage.model.lastRequest().messages)).toContain("port 8471");
  await other.sync.pull();
});
