import { expect, it } from "vitest";
import type { ToolPart } from "../../src/io/message.js";
import { PROJECT } from "../support/fake-host.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld } from "../support/world.js";

const HINT = "[Strata] This very call failed";

/** A session in which an edit fails twice in the same way, the second time with this output of a command before it. */
async function fail(output: string) {
  const world = await openWorld({ options: { microCompact: { floor: 100, keepRecent: 0 } } });
  const session = createSession(world.clock);
  const edit = (path: string, error?: string): ToolPart => {
    const input = { filePath: `${PROJECT}/${path}` };
    const state = error === undefined ? { input } : { status: "error", error, input };
    return call("edit", "done", { startMs: world.clock.now(), state });
  };
  const show = async (): Promise<string> => {
    const shown = JSON.stringify(await world.request([...session.messages]));
    await world.strata.idle();
    return shown;
  };
  session.user("Port the parser.");
  for (const calls of [[edit("a.ts", "oldString not found")], [edit("b.ts")]]) {
    session.answer(calls);
    await show();
  }
  session.answer([call("bash", output), edit("a.ts", "oldString not found")]);
  expect(await show()).toContain(HINT);
  session.answer([], { text: "Done." });
  world.clock.advance(3 * 60 * 60_000);
  session.user("And now?");
  return { world, session, show };
}

it("a hint behind a failed call goes with a batch that clears a result before it, and stays away", async () => {
  const { session, show, world } = await fail("x".repeat(8_000));
  const cleared = await show();
  expect(cleared).toContain("[Strata] Cleared");
  expect(cleared).not.toContain(HINT);
  const view = await world.request([...session.messages]);
  expect(JSON.stringify(view)).toBe(cleared);
  expect(JSON.stringify(await (await world.restart()).request([...session.messages]))).toBe(cleared);
});
