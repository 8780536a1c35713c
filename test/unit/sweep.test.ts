import { expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { answer, call, fork, lines, user } from "../support/messages.js";
import { openWorld, type World } from "../support/world.js";

/** Spills one result in each of these sessions. */
async function spillIn(world: World, ...sessions: string[]): Promise<void> {
  for (const [index, sessionID] of sessions.entries()) {
    await world.request([user("go", sessionID), answer([call("bash", lines(1_000 + index))], sessionID)]);
    world.host.sessions.set(sessionID, world.clock.now());
    world.clock.advance(1_000);
  }
  await world.strata.idle();
}

/** Starts again on the same disk and lets the host report something, which is when the sweep begins. */
async function startAgain(world: World, options?: Record<string, unknown>): Promise<World> {
  const again = await openWorld({ ...world, ...(options && { options }) });
  await again.strata.dispatcher.ask("event", { type: "session.created", properties: {} }, undefined);
  await again.strata.idle();
  return again;
}

it("the sweep at start removes what no context has used for longer than the limit, once the session is gone", async () => {
  const world = await openWorld();
  await spillIn(world, "ses_gone", "ses_kept");
  world.host.sessions.delete("ses_gone");
  world.clock.advance(31 * DAY_MS);
  world.host.sessions.set("ses_kept", world.clock.now());
  const again = await startAgain(world);
  expect(world.results()).toHaveLength(1);
  expect(await again.log()).toContain("removed 1 results");
});

it("the sweep at start never removes what a live fork names, although its first session is gone", async () => {
  const world = await openWorld();
  const messages = [user("go"), answer([call("bash", lines(1_000))])];
  await world.request(messages);
  await world.request(fork(messages, "ses_fork"));
  await world.strata.idle();
  world.clock.advance(40 * DAY_MS);
  world.host.sessions.set("ses_fork", world.clock.now());
  await startAgain(world);
  expect(world.results()).toHaveLength(1);
});

it("the sweep at start removes nothing while the host does not say whether a session is live", async () => {
  const world = await openWorld();
  await spillIn(world, "ses_1");
  world.host.sessions.set("ses_1", "unknown");
  world.clock.advance(400 * DAY_MS);
  await startAgain(world);
  expect(world.results()).toHaveLength(1);
});

it("the sweep at start over the size cap, removes the longest unused first, until the rest is within it", async () => {
  const world = await openWorld();
  await spillIn(world, "ses_1", "ses_2", "ses_3");
  for (const path of world.results()) world.files.contents.set(path, Buffer.alloc(6_000_000));
  const [oldest] = world
    .results()
    .sort((a, b) => (world.files.modifiedMs.get(a) ?? 0) - (world.files.modifiedMs.get(b) ?? 0));
  for (const session of ["ses_1", "ses_2"]) world.host.sessions.delete(session);
  world.clock.advance(8 * DAY_MS);
  await startAgain(world, { toolResults: { maxTotalMegabytes: 12 } });
  expect(world.results()).toHaveLength(2);
  expect(world.results()).not.toContain(oldest);
});

it("the sweep at start does not remove what has been used in the last days, whoever it was that used it", async () => {
  const world = await openWorld();
  await spillIn(world, "ses_gone");
  const [path = ""] = world.results();
  world.files.contents.set(path, Buffer.alloc(20_000_000));
  world.host.sessions.clear();
  await startAgain(world, { toolResults: { maxTotalMegabytes: 10 } });
  expect(world.results()).toEqual([path]);
});

it("the sweep at start forgets the decisions of old days in which no live session was at work", async () => {
  const world = await openWorld();
  await spillIn(world, "ses_gone");
  const records = () => [...world.files.contents.keys()].filter((path) => path.includes("/decisions/"));
  await startAgain(world);
  expect(records()).toHaveLength(1);
  world.host.sessions.delete("ses_gone");
  world.clock.advance(32 * DAY_MS);
  await startAgain(world);
  expect(records()).toEqual([]);
});
