/** Facts follow their files without a command. */
import { describe, expect, it } from "vitest";
import { byFact, FOLDER, listMemories } from "../support/bootstrap.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { createSession } from "../support/session.js";
import { runStrata } from "../support/shell.js";
import { openWorld, type World } from "../support/world.js";

const manifest = (test: string): string => JSON.stringify({ name: "shop", scripts: { test } });
const MANIFEST = `${PROJECT}/package.json`;
const RULES = `${PROJECT}/.cursorrules`;
const RULE = "Rule of Cursor: small functions.";
const QUIET = { sessionMemory: { enabled: false }, boot: { activeSessions: false } };

/** A project after bootstrap, with a running plugin. */
async function openTaken(): Promise<World> {
  const clock = createFakeClock();
  const files = createMemoryFiles({}, clock.now);
  const given = { ".git/HEAD": "x", "package.json": manifest("vitest run"), ".cursorrules": RULE };
  for (const [path, text] of Object.entries(given)) await files.writeWhole(`${PROJECT}/${path}`, text);
  clock.advance(60_000);
  await runStrata(files, "bootstrap", { clock });
  const world = await openWorld({ files, clock, options: QUIET });
  world.clock.advance(60_000);
  return world;
}

async function begin(world: World, sessionID = "ses_1"): Promise<string> {
  const session = createSession(world.clock, sessionID);
  await world.strata.dispatcher.ask("turn", { sessionID }, undefined);
  await world.strata.idle();
  session.user("hello");
  const view = await world.request([...session.messages]);
  return (
    view
      .at(-1)
      ?.parts.map(({ text }) => text)
      .join("\n") ?? ""
  );
}

/** Ends a turn and lets the quiet period pass. */
async function rest(world: World, sessionID = "ses_1"): Promise<void> {
  await world.strata.dispatcher.ask("event", { type: "session.idle", properties: { sessionID } }, undefined);
  await world.strata.idle();
  world.clock.advance(21_000);
  await world.strata.idle();
}

describe("a fact whose file has changed", () => {
  it("a fact whose file has changed is renewed in the quiet after the turn", async () => {
    const world = await openTaken();
    await world.files.writeWhole(MANIFEST, manifest("jest --ci"));
    await world.files.writeWhole(RULES, "Rule of Cursor: large functions.");
    await begin(world);
    await rest(world);
    const facts = await byFact(world.files);
    expect(facts["package.json#commands"]?.content).toContain("`jest --ci`");
    expect(facts[".cursorrules#rules"]?.content).toContain("large functions");
    const later = await begin(world, "ses_2");
    expect(later).toContain("`jest --ci`");
    expect(later.split("From files in this repository")[1]).toContain("`jest --ci`");
    expect(await world.log()).not.toContain("ERROR");
  });

  it("a fact whose file is gone is dropped, and comes back with the file", async () => {
    const world = await openTaken();
    const { id } = (await byFact(world.files))["package.json#commands"] ?? {};
    await world.files.remove(MANIFEST);
    await begin(world);
    await rest(world);
    expect(Object.keys(await byFact(world.files))).toEqual([".cursorrules#rules"]);
    await world.files.writeWhole(MANIFEST, manifest("node --test"));
    await rest(world);
    const back = (await byFact(world.files))["package.json#commands"];
    expect([back?.id, back?.content]).toEqual([id, expect.stringContaining("`node --test`")]);
    expect((await listMemories(world.files)).every(({ isForeign }) => isForeign)).toBe(true);
  });

  it("a fact that a person has also changed stays as it is", async () => {
    const world = await openTaken();
    const { id } = (await byFact(world.files))["package.json#commands"] ?? {};
    const path = `${FOLDER}/${id}.md`;
    await world.files.writeWhole(path, `${world.files.text(path)}\nRun them with pnpm.\n`);
    world.clock.advance(60_000);
    await world.files.writeWhole(MANIFEST, manifest("jest --ci"));
    await begin(world);
    await rest(world);
    expect(world.files.text(path)).toContain("pnpm");
    expect(world.files.text(path)).toContain("`vitest run`");
  });
});
