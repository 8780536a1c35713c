/** The sweep at start in the real OpenCode, which is asked whether a session is live. */
import { existsSync, statSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { DAY_MS } from "../../../src/base/days.js";
import { pathIn } from "../../support/messages.js";
import { whenRemoved } from "../stage/files.js";
import { openStage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";

test("what no context has used for 60 days goes when its session is deleted, and stays while the session is there", async () => {
  await using stage = await openStage({ mcp: true });
  const spill = async (title: string, bytes: number) => {
    stage.model.script(call("mcp_blob", { bytes }, { id: title }), say("done"));
    const session = await stage.newSession(title);
    await session.ask("go");
    return { session, path: pathIn(stage.model.lastRequest().toolResult(title)) };
  };
  const deleted = await spill("deleted", 40_000);
  const kept = await spill("kept", 50_000);
  await deleted.session.remove();
  const longAgo = new Date(Date.now() - 60 * DAY_MS);
  await stage.restart({
    meanwhile() {
      for (const { path } of [deleted, kept]) utimesSync(path, longAgo, longAgo);
    },
  });
  const removed = whenRemoved(deleted.path);
  await (await stage.newSession("next")).ask("hello");
  await removed;
  expect(existsSync(kept.path)).toBe(true);
  // Going on with the session counts as use.
  await stage.session(kept.session.id).ask("go on");
  await stage.restart();
  expect(statSync(kept.path).mtimeMs).toBeGreaterThan(Date.now() - DAY_MS);
});
