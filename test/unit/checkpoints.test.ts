/** Saved states of sessions. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { formatCheckpoint, parseCheckpoint } from "../../src/notes/checkpoints/checkpoint.js";
import { PROJECT } from "../support/fake-host.js";
import { call, lines } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { idIn, kept, openWorker, request, SECRET, strata, type } from "../support/worker-session.js";
import { openWorld } from "../support/world.js";

/** Strata cuts a context of more than 20,000 tokens, and clears no results before. */
const CUTTING = { autoCompact: { threshold: 20_000 }, microCompact: { enabled: false } };

describe("a checkpoint", () => {
  it("a checkpoint keeps notes, todos, plan, changed files and memories of its session, without secrets", async () => {
    const { world } = await openWorker();
    await type(world, "remember", "decision: the port is 8080");
    expect(await type(world, "checkpoint", "before the rewrite")).toMatch(
      /^Kept as cp-\w{7} "before the rewrite": the notes, 1 todo, 2 changed files, 1 memory\./,
    );
    const [path = ""] = kept(world);
    const text = world.files.text(path) ?? "";
    expect(text).not.toContain(SECRET);
    const checkpoint = await parseCheckpoint(text);
    expect(checkpoint).toMatchObject({
      sessionID: "ses_1",
      occasion: "asked",
      note: "before the rewrite",
      plan: expect.stringContaining("1. lexer"),
      notes: expect.stringContaining("Port the parser."),
      files: [
        { name: "src/parser.ts", bytes: 2 },
        { name: "plan.md", bytes: expect.any(Number) },
      ],
      memories: [{ title: expect.stringContaining("8080"), isPrivate: false }],
    });
    expect(checkpoint?.ledger.todos?.items).toMatchObject([{ content: "emitter" }]);
    expect(checkpoint && formatCheckpoint(checkpoint)).toBe(text);
  });

  it("a checkpoint stays unchanged when the session continues, and each requested one is kept", async () => {
    const { world, session } = await openWorker();
    await type(world, "checkpoint", "one");
    const [first = ""] = kept(world);
    const before = world.files.text(first);
    session.answer([], { text: "All done." });
    session.user("Now the docs.");
    await request(world, session);
    await type(world, "checkpoint", "two");
    expect(world.files.text(first)).toBe(before);
    expect(kept(world)).toHaveLength(2);
    const { out } = await strata(world, "checkpoint --list");
    expect(out.split("\n")).toEqual([expect.stringContaining('"two"'), expect.stringContaining('"one"')]);
    expect((await strata(world, `checkpoint --remove ${idIn(out)}`)).code).toBe(0);
    expect(kept(world)).toEqual([first]);
  });

  it("a checkpoint is saved before a compaction, before a dream and at the end, only the last of each", async () => {
    const { world, session } = await openWorker();
    const occasions = async () =>
      Promise.all(
        kept(world).map(async (path) => (await parseCheckpoint(world.files.text(path) ?? ""))?.occasion),
      );
    for (let n = 0; n < 2; n++) {
      world.strata.requests.expectCompaction("ses_1");
      await request(world, session);
    }
    expect(await occasions()).toEqual(["compaction"]);
    await type(world, "dream");
    expect((await occasions()).sort()).toEqual(["compaction", "dream"]);
    await world.strata.dispose();
    expect((await occasions()).sort()).toEqual(["compaction", "dream", "end"]);
    expect(kept(world).every((path) => path.endsWith(".auto.json"))).toBe(true);
  });

  it("a checkpoint that a person requested is listed before newer ones of the plugin", async () => {
    const { world, session } = await openWorker();
    await type(world, "checkpoint", "one");
    world.clock.advance(DAY_MS);
    world.strata.requests.expectCompaction("ses_1");
    await request(world, session);
    expect((await strata(world, "checkpoint --list")).out).toMatch(/^cp-\w+ .*"one"\ncp-\w+ .*before notes/);
    expect(await type(world, "attach")).toMatch(/^cp-\w+ .*"one"\n/);
  });

  it("a checkpoint of the plugin is removed beyond the newest hundred, a requested one never", async () => {
    const { world, session } = await openWorker();
    await type(world, "checkpoint", "one");
    const [asked = ""] = kept(world);
    const text = world.files.text(asked) ?? "";
    for (let n = 0; n < 150; n++) {
      world.clock.advance(1_000);
      const id = `cp-${(0xa00000 + n).toString(16).padStart(7, "0")}`;
      await world.files.writeWhole(asked.replace(/checkpoint-.*/, `checkpoint-${id}.auto.json`), text);
    }
    world.clock.advance(1_000);
    world.strata.requests.expectCompaction("ses_1");
    await request(world, session);
    expect(kept(world)).toHaveLength(101);
    expect(kept(world)).toContain(asked);
    expect(kept(world).join()).not.toContain("cp-0a00032.");
    expect(kept(world).join()).toContain("cp-0a00033.");
  });

  it("a damaged checkpoint is reported as such and can be removed", async () => {
    const { world } = await openWorker();
    const id = idIn(await type(world, "checkpoint", "one"));
    await world.files.writeWhole(kept(world)[0] ?? "", '{"v":1,"id":');
    expect((await strata(world, `attach ${id}`)).err).toContain("is damaged and cannot be read");
    expect((await strata(world, `checkpoint --remove ${id}`)).code).toBe(0);
  });

  it("a checkpoint is saved when Strata itself cuts the history, with the contents of the cut part", async () => {
    const world = await openWorld({ options: CUTTING });
    const session = createSession(world.clock);
    for (let n = 0; n < 22; n++) {
      session.user(`Request ${n}. Never touch file ${n}.`);
      const state = { input: { filePath: `${PROJECT}/src/${n}.ts` } };
      session.answer([call("edit", lines(30), { state }), call("bash", lines(30))], {
        sent: 9_000 + 900 * n,
      });
      session.answer([], { sent: 9_000 + 900 * n, text: `done ${n}` });
    }
    session.user("and now?");
    await request(world, session);
    expect(world.ledger("ses_1", "cut")).toHaveLength(1);
    const [path = "", ...others] = kept(world);
    expect(others).toEqual([]);
    const checkpoint = await parseCheckpoint(world.files.text(path) ?? "");
    expect(checkpoint).toMatchObject({ occasion: "compaction", sessionID: "ses_1" });
    expect(checkpoint?.notes).toContain("Request 0. Never touch file 0.");
    expect(checkpoint?.files.map(({ name }) => name)).toContain("src/0.ts");
  });

  it("a checkpoint is not saved for a mere question and answer, nor for a subagent", async () => {
    const world = await openWorld();
    const session = createSession(world.clock);
    session.user("what is this?");
    session.answer([], { text: "a project" });
    await request(world, session);
    await expect(type(world, "checkpoint", "x")).rejects.toThrow("there is nothing to save yet");
    await world.strata.dispose();
    expect(kept(world)).toEqual([]);
  });

  it("a failed write of a checkpoint does not affect the session and is logged", async () => {
    const { world } = await openWorker({
      wrap: (files) => ({
        ...files,
        writeWhole: async (path, ...more) => {
          if (path.includes("checkpoint-")) throw Object.assign(new Error("full"), { code: "ENOSPC" });
          return files.writeWhole(path, ...more);
        },
      }),
    });
    await world.strata.dispose();
    expect(kept(world)).toEqual([]);
    expect(await world.log()).toContain("cannot save the state of ses_1");
    expect(world.files.text(`${PROJECT}/.opencode/session-memory/ses_1.md`)).toContain("Port the parser.");
  });
});
