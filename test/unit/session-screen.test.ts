/** The file of a session's screen: what is in it, and what a reader makes of a damaged one. */
import { describe, expect, it } from "vitest";
import { KINDS, parseSessionScreen, type SessionScreen } from "../../src/status/session-screen.js";
import { PROJECT } from "../support/fake-host.js";
import { call, lines } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld, typeCommand, type World } from "../support/world.js";

const STATE = `${PROJECT}/.opencode/strata/state`;
const FILE = `${STATE}/screen/ses_1.json`;

const readScreen = (world: World, path = FILE): SessionScreen | undefined =>
  parseSessionScreen(JSON.parse(world.files.text(path) ?? "null"));

const sumKinds = ({ context: { kinds } }: SessionScreen): number =>
  KINDS.reduce((sum, kind) => sum + kinds[kind], 0);

/** A session whose first answer calls a tool, and whose second answers. */
async function play(world: World, results: readonly number[] = [1_500]): Promise<void> {
  const session = createSession(world.clock);
  session.user("Why do the orders fail?");
  for (const count of results) {
    await world.request([...session.messages]);
    const read = call("bash", lines(count), { startMs: world.clock.now() });
    await hear(world, "message.updated", { info: session.answer([read]).info });
  }
  await world.request([...session.messages]);
  await hear(world, "message.updated", { info: session.answer([], { text: "Because." }).info });
  await world.strata.idle();
}

async function hear(world: World, type: string, properties: Record<string, unknown>): Promise<void> {
  await world.strata.dispatcher.ask("event", { type, properties }, undefined);
}

describe("the screen of a session", () => {
  it("the screen has the provider's count of the last request and its answer, by kind", async () => {
    const world = await openWorld();
    await play(world);
    const screen = readScreen(world);
    expect(screen).toMatchObject({
      v: 1,
      session: "ses_1",
      // 50,000, and what system prompt and tools take beyond 15,000.
      context: { now: 20_100, threshold: 54_994 },
      cache: { last: 0.95, session: 0.95 },
      memory: { memories: 0, candidates: 0, blockers: 0, todos: 0 },
      background: [],
      warnings: [],
    });
    expect(screen && sumKinds(screen)).toBe(20_100);
    expect(screen?.context.without).toBeGreaterThan(30_000);
    expect(screen?.context.isEstimate).toBeUndefined();
  });

  it("the screen follows what changes between requests: memories, candidates, the breaker, background calls", async () => {
    const world = await openWorld();
    await play(world);
    await typeCommand(world, "remember", "We deploy on Fridays");
    await world.files.writeWhole(`${STATE}/breakers/ses_1.json`, '{"failures":3,"open":"it failed"}');
    await world.strata.idle();
    world.clock.advance(2_000);
    await world.strata.idle();
    expect(readScreen(world)).toMatchObject({ memory: { memories: 1 } });
    await hear(world, "session.idle", { sessionID: "ses_1" });
    await world.strata.idle();
    expect(readScreen(world)?.breaker).toBe("it failed");
  });

  it("the screen's file goes with its session, and forks that Strata opened have none", async () => {
    const world = await openWorld();
    world.host.forks.set("ses_2", "ses_1");
    await play(world);
    const fork = createSession(world.clock, "ses_2");
    fork.user("go");
    await world.request([...fork.messages]);
    await world.strata.idle();
    expect(world.files.text(`${STATE}/screen/ses_2.json`)).toBeUndefined();
    expect(world.files.text(FILE)).toBeDefined();
    await hear(world, "session.deleted", { info: { id: "ses_1" } });
    await world.strata.idle();
    expect(world.files.text(FILE)).toBeUndefined();
  });
});
