/** Which results layer 2 leaves, and which it takes besides those of OpenCode's own tools. */
import { describe, expect, it } from "vitest";
import { call, lines, outputs } from "../support/messages.js";
import { createSession, type Session } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

/** After it the cache is cold. */
const HOUR = 3_600_000;
const text = (n: number) => lines(30 + n);

async function open(options: Record<string, unknown> = { microCompact: { floor: 0 } }) {
  const world = await openWorld({ options });
  const session = createSession(world.clock);
  session.user("go");
  return { session, world };
}

const bash = (n: number) => call("bash", text(n), { state: { input: { command: `make ${n}` } } });

/** Places of the results that are shown cleared. */
async function findCleared(world: World, { messages }: Session): Promise<number[]> {
  const shown = outputs(await world.request(messages));
  return shown.flatMap((one, index) => (one.startsWith("[Strata] Cleared") ? [index] : []));
}

describe("results of other tools that the settings name", () => {
  const given = { microCompact: { floor: 0, keepRecent: 1, tools: { "docs_*": true, docs_private: false } } };
  const search = (tool: string, query: string) => call(tool, text(0), { state: { input: { query } } });

  it("results of other tools that the settings name are cleared once a later call repeats theirs", async () => {
    const { session, world } = await open(given);
    session.answer([search("docs_search", "a"), search("docs_private", "a"), search("docs_search", "b")]);
    session.answer([search("docs_search", "a"), search("docs_private", "a")]);
    session.answer([]);
    world.clock.advance(HOUR);
    expect(await findCleared(world, session)).toEqual([0]);
  });

  it("results of other tools that the settings name are cleared after twenty answers, not earlier", async () => {
    const { session, world } = await open(given);
    session.answer([search("docs_search", "a"), search("github_search", "a")]);
    for (let n = 0; n < 18; n++) session.answer([]);
    session.answer([bash(0)]);
    world.clock.advance(HOUR);
    expect(await findCleared(world, session)).toEqual([]);
    session.answer([]);
    world.clock.advance(HOUR);
    expect(await findCleared(world, session)).toEqual([0]);
  });
});

it("all results of the last three answers stay, however many calls they made", async () => {
  const { session, world } = await open();
  session.answer([bash(0)]);
  for (let n = 0; n < 3; n++) session.answer([bash(1), bash(2), bash(3), bash(4)]);
  world.clock.advance(HOUR);
  session.user("go on");
  expect(await findCleared(world, session)).toEqual([0]);
});

it("of large results only the last two stay", async () => {
  const { session, world } = await open();
  const large = (n: number) => call("bash", lines(300 + n), { state: { input: { command: `make ${n}` } } });
  for (let n = 0; n < 5; n++) session.answer([large(n)]);
  session.answer([]);
  world.clock.advance(HOUR);
  session.user("go on");
  expect(await findCleared(world, session)).toEqual([0, 1, 2]);
});
