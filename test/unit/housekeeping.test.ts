import { expect, it } from "vitest";
import { openWorld, type World } from "../support/world.js";

const MINUTE_MS = 60_000;

const report = async ({ strata }: World) => {
  await strata.dispatcher.ask("event", { type: "session.created", properties: {} }, undefined);
  await strata.idle();
};

it("what killed instances have left behind goes with the first event: sessions of processes that have ended, and those unused for ten minutes", async () => {
  const world = await openWorld({ layers: [] });
  const { clock, host } = world;
  const put = (id: string, openedBy: "running" | "ended", ageMs: number) =>
    host.ownSessions?.set(id, { id, openedBy, updatedMs: clock.now() - ageMs });
  put("ended", "ended", 0);
  put("running", "running", 10 * MINUTE_MS);
  put("forgotten", "running", 10 * MINUTE_MS + 1);
  await report(world);
  expect([...(host.ownSessions?.keys() ?? [])]).toEqual(["running"]);
  expect(await world.log()).toContain("removed 2 leftover sessions of the plugin");
});

it("a layer is given model calls, and the end of the plugin breaks off the one under way", async () => {
  let ask = async (): Promise<unknown> => undefined;
  const world = await openWorld({
    layers: [
      ({ generation }) => {
        ask = () => generation.generate({ purpose: "notes", sessionID: "ses_1", prompt: "write" });
        return undefined;
      },
    ],
  });
  expect(await ask()).toMatchObject({ kind: "text", text: "written" });
  world.host.respond = ({ signal }) =>
    new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve({ kind: "failed", reason: "called off" })),
    );
  const running = ask();
  await new Promise(setImmediate);
  await world.strata.dispose();
  expect(await running).toEqual({ kind: "failed", why: "called off" });
});
