import { describe, expect, it } from "vitest";
import { formatBrief, MOST_CHARACTERS } from "../../layers/7-across-agents/subagents.js";
import type { Message } from "../../src/io/message.js";
import { learnMessages } from "../../src/notes/learn.js";
import { EMPTY_LEDGER } from "../../src/notes/ledger.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { call, fork, lines } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const factsOf = (messages: readonly Message[]) => learnMessages(EMPTY_LEDGER, messages, PROJECT);
const tell = (world: World, type: string, properties: object) =>
  world.strata.dispatcher.ask("event", { type, properties: { ...properties } }, undefined);
const texts = (messages: readonly Message[]) => messages[0]?.parts.map(({ text }) => text ?? "") ?? [];
const noteOf = (world: World, id: string) =>
  world.files.text(`${PROJECT}/.opencode/session-memory/${id}.md`) ?? "";

/** A session that has got so far as to start a subagent. */
async function openParent(given: Parameters<typeof openWorld>[0] = {}) {
  const world = await openWorld(given);
  const session = createSession(world.clock);
  session.user("Port the parser. Never use eval.");
  session.answer([call("edit", "ok", { state: { input: { filePath: `${PROJECT}/a.ts`, newString: "x" } } })]);
  await world.request(session.messages);
  world.host.messages.set("ses_1", session.messages);
  return { world, session };
}

function beginChild(world: World, id: string, task: string) {
  const child = createSession(world.clock, id);
  child.user(task);
  return child;
}

describe("a subagent", () => {
  it("a subagent begins with the goal, rules and state of its parent session, in bytes that never change", async () => {
    const { world } = await openParent();
    await tell(world, "session.created", { info: { id: "ses_c", parentID: "ses_1" } });
    const child = beginChild(world, "ses_c", "find the callers");
    const [own, brief] = texts(await world.request(child.messages));
    expect(own).toBe("find the callers");
    for (const known of ["Port the parser", "Never use eval.", "a.ts", "/ses_1.md"])
      expect(brief).toContain(known);
    child.answer([call("bash", "ok")]);
    child.user("and again");
    expect(texts(await world.request(child.messages))).toEqual([own, brief]);
    const again = await world.restart();
    expect(texts(await again.request(fork(child.messages, "ses_f")))).toEqual([own, brief]);
    expect(world.decisions().filter(({ layer }) => layer === "across-agents/delegation")).toHaveLength(1);
  });

  it("a subagent of a subagent knows the user's rules and its parent's task", async () => {
    const { world } = await openParent();
    await tell(world, "session.created", { info: { id: "ses_c", parentID: "ses_1" } });
    await tell(world, "session.created", { info: { id: "ses_g", parentID: "ses_c" } });
    const child = beginChild(world, "ses_c", "Map all modules. Always skip vendor.");
    await world.request(child.messages);
    const [, brief] = texts(await world.request(beginChild(world, "ses_g", "map src").messages));
    expect(brief).toContain("Never use eval.");
    expect(brief).toContain("Always skip vendor.");
    expect(brief).toContain("You work for a subagent with this task:\n- Map all modules.");
  });

  it("a subagent that has ended leaves its result and the files it touched in its parent's notes, those of its own subagents too", async () => {
    const { world, session } = await openParent();
    const child = beginChild(world, "ses_c", "find the callers");
    child.answer([
      call("read", "x", { state: { input: { filePath: `${PROJECT}/b.ts` } } }),
      call("edit", "x", { state: { input: { filePath: `${PROJECT}/c.ts`, newString: "y" } } }),
    ]);
    world.host.messages.set("ses_c", child.messages);
    const result = "<task_result>\nb.ts calls it\n</task_result>";
    session.answer([
      call("task", result, {
        state: { input: { description: "callers" }, metadata: { sessionId: "ses_c" } },
      }),
    ]);
    await world.request(session.messages);
    await world.strata.idle();
    expect(noteOf(world, "ses_1")).toContain(
      '- Subagent "callers" found: "b.ts calls it"; changed `c.ts`; read `b.ts`',
    );
    const again = await world.restart();
    session.user("go on");
    await again.request(session.messages);
    await again.strata.idle();
    expect(noteOf(again, "ses_1")).toContain("changed `c.ts`; read `b.ts`");
  });
});

describe("the brief", () => {
  it("the brief stays within 1,500 tokens, with rules before files and whole lines only", () => {
    const session = createSession(createFakeClock());
    for (let n = 0; n < 60; n++) {
      session.user(`Never do ${n} ${"again ".repeat(40)}. ${lines(20)}`);
      session.answer([
        call("edit", "ok", {
          state: { input: { filePath: `${PROJECT}/${"d/".repeat(40)}${n}.ts`, newString: "x" } },
        }),
      ]);
    }
    const text = formatBrief([factsOf(session.messages)], "/n.md") ?? "";
    expect(text.length).toBeLessThanOrEqual(MOST_CHARACTERS);
    expect(text).toContain("Never do 59");
    expect(text).toContain("Changed so far:");
    expect(text.endsWith("The notes on that session: /n.md")).toBe(true);
  });
});
