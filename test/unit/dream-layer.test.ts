/** Layer 6 in the machine: when it dreams, what a person is told, and what a model may do on the way. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROJECT, written } from "../support/fake-host.js";
import { openWorld, type World } from "../support/world.js";

const MEMORY = `${PROJECT}/.opencode/memory`;
const MINUTE = 60_000;

function put(world: World, name: string, content: string, changedMs = 0): void {
  const front = "---\ncreated: 2026-11-20T09:00:00.000Z\nupdated: 2026-11-20T09:00:00.000Z\n---\n";
  const path = join(MEMORY, "knowledge", `${name}.md`);
  world.files.contents.set(path, Buffer.from(`${front}${content}\n`));
  world.files.changedMs.set(path, changedMs);
  world.files.modifiedMs.set(path, changedMs);
}

/** Six memories: two the same, two alike. */
async function open(options: Record<string, unknown> = {}): Promise<World> {
  const world = await openWorld({ options });
  put(world, "same", "Port 8080 is taken by the old frontend.");
  put(world, "same-again", "port 8080 is taken by the old frontend");
  put(world, "queue", "The worker reads the mail queue once a day.");
  put(world, "queue-night", "The worker reads the mail queue at night, when the load is low.");
  put(world, "x", "Deploys go through the bastion.");
  put(world, "y", "The staging database is reset on Mondays.");
  return world;
}

const tell = (world: World, type: string, sessionID = "ses_1") =>
  world.strata.dispatcher.ask("event", { type, properties: { sessionID } }, undefined);
const begin = (world: World, sessionID = "ses_1") =>
  world.strata.dispatcher.ask("turn", { sessionID }, undefined);

async function endTurn(world: World, sessionID = "ses_1"): Promise<void> {
  await tell(world, "session.idle", sessionID);
  world.clock.advance(MINUTE);
  await world.strata.idle();
}

const run = async (world: World, name: string): Promise<string> => {
  const command = world.strata.dispatcher.commands.find((one) => one.name === name);
  if (!command) throw new Error(`no command /${name}`);
  return command.execute({ sessionID: "ses_1", words: "" }, new AbortController().signal);
};
const isThere = ({ files }: World, name: string): boolean =>
  files.contents.has(`${MEMORY}/knowledge/${name}.md`);
/** A dream merges these two. */
const hasDreamt = (world: World): boolean => isThere(world, "same") !== isThere(world, "same-again");
const asked = ({ host }: World) => host.generated.filter(({ title }) => title === "dream");

describe("when it dreams", () => {
  it("a dream comes a while after a turn, and says so", async () => {
    const world = await open();
    await begin(world);
    await endTurn(world);
    expect(hasDreamt(world)).toBe(true);
    expect(world.host.toasts.join("\n")).toContain("Strata: memory tidied: 1 merged");
  });

  it("a dream does not come while somebody writes the next message, nor while another session is at work", async () => {
    const world = await open();
    await begin(world);
    await begin(world, "ses_2");
    await endTurn(world);
    expect(hasDreamt(world)).toBe(false);
    await tell(world, "session.idle", "ses_2");
    await begin(world);
    world.clock.advance(MINUTE);
    await world.strata.idle();
    expect(hasDreamt(world)).toBe(false);
    await endTurn(world);
    expect(hasDreamt(world)).toBe(true);
  });

  it("a dream does not come at all when it is switched off, or memory is", async () => {
    for (const options of [{ dream: { enabled: false } }, { autoMemory: { enabled: false } }]) {
      const world = await open(options);
      await begin(world);
      await endTurn(world);
      expect(hasDreamt(world)).toBe(false);
      expect(world.strata.dispatcher.commands.map(({ name }) => name)).not.toContain("dream");
    }
  });
});

describe("a model", () => {
  it("a dream's model gets what the rules leave, and what it merges is written with the rest", async () => {
    const world = await open();
    world.host.respond = async (request) => {
      if (request.title !== "dream") return written("written");
      expect(request.prompt).toContain("knowledge/queue-night");
      expect(request.prompt).not.toContain("bastion");
      expect(request.prompt).not.toContain("{{");
      const entry = {
        keep: "knowledge/queue",
        supersede: ["knowledge/queue-night"],
        content: "The worker reads the mail queue once a day, at night, when the load is low.",
        reason: "one fact",
      };
      return written(`Here it is:\n${JSON.stringify([entry])}`);
    };
    expect(await run(world, "dream")).toMatch(/^2 merged, 2 superseded\n/);
    expect(world.files.text(`${MEMORY}/knowledge/queue.md`)).toContain("once a day, at night");
    expect(isThere(world, "queue-night")).toBe(false);
  });

  it("a dream's model sees no memory that is private or holds a key", async () => {
    const world = await open();
    const key = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");
    put(world, "queue-key", `The worker reads the mail queue with ${key}.`);
    put(world, "../private/knowledge/queue", "The worker reads the mail queue for the payroll.");
    await run(world, "dream");
    const [{ prompt } = { prompt: "" }] = asked(world);
    expect(prompt).toContain("knowledge/queue-night");
    for (const hidden of [key, "queue-key", "payroll"]) expect(prompt).not.toContain(hidden);
  });

  it("a dream's model does not see the same groups again while they are as they were", async () => {
    const world = await open();
    world.host.respond = () => written("[]");
    await run(world, "dream");
    await run(world, "dream");
    expect(asked(world)).toHaveLength(1);
    const text = "The worker reads the mail queue at night, since March.";
    put(world, "queue-night", text, world.clock.now());
    await run(world, "dream");
    expect(asked(world)).toHaveLength(2);
  });

  it("a dream's model that answers nonsense is asked again after an hour", async () => {
    const world = await open();
    world.host.respond = () => written("I have tidied it all, thank you!");
    const after = async (minutes: number): Promise<number> => {
      world.clock.advance(minutes * MINUTE);
      await run(world, "dream");
      return asked(world).length;
    };
    expect([await after(0), await after(59), await after(1)]).toEqual([1, 1, 2]);
  });

  it("a dream's model is not asked beyond the budget of the day, and the rules go on", async () => {
    const world = await open({ background: { dailyTokens: 15_000 } });
    expect(await run(world, "dream")).toMatch(/^1 merged, 1 superseded\n/);
    expect(asked(world)).toEqual([]);
    expect(await world.log()).toContain("no model used");
  });
});

describe("a person", () => {
  it("a person who takes a dream back is told what, and reads it in the change log", async () => {
    const world = await open();
    const before = new Map(world.files.contents);
    const told = await run(world, "dream");
    expect(told).toContain("/memory-undo undoes it");
    expect(await run(world, "memory-undo")).toMatch(/^Taken back: dream of 2026-11-21 09:00 UTC\n/);
    for (const name of ["same", "same-again"]) {
      const path = `${MEMORY}/knowledge/${name}.md`;
      expect(world.files.contents.get(path)).toEqual(before.get(path));
    }
    expect(world.files.text(`${MEMORY}/DREAMS.md`)).toContain("· taken back 2026-11-21 09:00");
    expect(await run(world, "memory-undo")).toBe("Nothing was changed: there is nothing to undo.");
  });
});
