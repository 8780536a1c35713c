/** What holds after a checkpoint, when the host shows plugins nothing from before it. */
import { describe, expect, it } from "vitest";
import type { HostSession } from "./host-types.js";
import { call, findBreaks, say } from "./script.js";
import { openWorld, type World } from "./world.js";

const lastSent = ({ host }: World, { id }: HostSession): string =>
  host.model.primary(id).at(-1)?.messages.join("\n") ?? "";

/** As after a turn: what is kept is on the disk. */
async function settleWork({ strata }: World): Promise<void> {
  await strata?.idle();
  await new Promise(setImmediate);
  await strata?.idle();
}

const SUMMARY = `## Objective\n${"- Renames the parser, one module after the other.\n".repeat(20)}`;
const RECENT = `[User]: and now the lexer\n\n${"[Assistant]: A step of the work.\n\n".repeat(2_000)}[Assistant]: LAST STEP`;

const memoriesOf = ({ files }: World): string =>
  [...files.contents.keys()]
    .filter((path) => /\.opencode\/memory\/[a-z]+\/.*\.md$/.test(path))
    .map((path) => files.text(path))
    .join("\n");

describe("a checkpoint", () => {
  it("a checkpoint keeps its record of recent messages, however long, when its summary is completed", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    host.model.script(
      call("edit", { path: "src/a.ts", oldString: "a", newString: "b" }, "edited"),
      say("done"),
    );
    await host.ask(session, "Never touch legacy.ts. Rename the parser.");
    await settleWork(world);
    host.admit(session, { type: "compaction", status: "completed", summary: SUMMARY, recent: RECENT });
    await host.ask(session, "go on");
    const sent = lastSent(world, session);
    expect(sent).toContain("LAST STEP");
    expect(sent).toContain("Renames the parser");
    expect(sent).toContain("Left out by this summary");
    expect(sent).toContain("Never touch legacy.ts");
    expect(sent).not.toContain("of no use");
    expect(sent).toContain("</recent-context>");
    await host.ask(session, "and on");
    expect(findBreaks(host.model.primary(session.id).slice(-2))).toEqual([]);
  });

  for (const isRestarted of [false, true])
    it(`what was said before a checkpoint is not taken for undone${isRestarted ? ", after a restart either" : ""}`, async () => {
      let world = await openWorld();
      const { host } = world;
      const session = host.newSession();
      host.model.script(
        call("edit", { path: "src/a.ts", oldString: "a", newString: "b" }, "edited"),
        say("noted"),
      );
      await host.ask(session, "From now on always use pnpm instead of npm in this repository.");
      await host.ask(session, "Fine.");
      await settleWork(world);
      expect(memoriesOf(world)).toContain("pnpm");
      host.admit(session, { type: "compaction", status: "completed", summary: SUMMARY, recent: RECENT });
      if (isRestarted) world = await world.restart();
      for (const text of ["go on", "and on", "and further"]) await host.ask(session, text);
      await settleWork(world);
      expect(memoriesOf(world)).not.toContain("takenBack");
      expect(memoriesOf(world)).toContain("pnpm");
      const notes = world.files.text(`/project/.opencode/session-memory/${session.id}.md`);
      expect(notes).toContain("pnpm");
      expect(notes).toContain("src/a.ts");
      const broken = world.lines(`savings/${session.id}.jsonl`).filter(({ event }) => event === "break");
      expect(broken.map(({ reason }) => reason)).toEqual(["the host has compacted the session"]);
    });

  it("words of a turn in which the host compacts become a memory", async () => {
    const world = await openWorld();
    const { host } = world;
    const session = host.newSession();
    host.model.script(say("hello"));
    await host.ask(session, "hello");
    host.model.script(
      {
        calls: [{ name: "shell", input: { command: "make" }, result: { text: "made" } }],
      },
      say("noted"),
    );
    const answer = host.model.answer;
    host.model.answer = (request) => {
      const line = answer(request);
      // The host compacts between two steps of the turn.
      if ("calls" in line)
        queueMicrotask(() => {
          host.admit(session, { type: "compaction", status: "completed", summary: SUMMARY, recent: RECENT });
        });
      return line;
    };
    await host.ask(session, "From now on always use pnpm instead of npm in this repository.");
    await settleWork(world);
    expect(memoriesOf(world)).toContain("pnpm");
  });
});
