/** The sections of the notes that a small model writes: when, from what, and which answers are taken. */
import { describe, expect, it } from "vitest";
import { formatMaterial } from "../../layers/3-session-memory/write-sections.js";
import type { Message } from "../../src/io/message.js";
import { HEADINGS, parseSections } from "../../src/notes/page.js";
import { createFakeHost, PROJECT, written } from "../support/fake-host.js";
import { call } from "../support/messages.js";
import { ask, did, ran, reply } from "../support/notes.js";
import { createSession } from "../support/session.js";
import { openWorld } from "../support/world.js";

const body = (heading: string): string => `- about ${heading}\n\n### detail\n- more`;
const ANSWER = HEADINGS.map((heading) => `## ${heading}\n${body(heading)}`).join("\n\n");

describe("a model's answer", () => {
  it("a model's answer with all six sections is taken, also in a fence and with other line ends", () => {
    const sections = Object.fromEntries(HEADINGS.map((heading) => [heading, body(heading)]));
    for (const text of [ANSWER, `\n\n${ANSWER}\n`, `\`\`\`markdown\n${ANSWER}\n\`\`\``])
      expect(parseSections(text)).toEqual({ sections });
    expect(parseSections(ANSWER.replaceAll("\n", "\r\n"))).toEqual({ sections });
    expect(parseSections(ANSWER.replace(body("Workflow"), "None."))).toHaveProperty("sections");
  });

  it.each([
    ["no headings", /^Expected the six .* got none\.$/],
    [ANSWER.replace("## Workflow", "## Work"), /"Work"/],
    [`${ANSWER}\n## Learnings\nagain`, /"Learnings", "Learnings"/],
    [ANSWER.replace("Current State", "X").replace("Learnings", "Current State"), /got "X"/],
    [ANSWER.replace("## Workflow", "### Workflow"), /Expected the six/],
    [`Here are the notes:\n${ANSWER}`, /got "Here are the notes:"/],
    [ANSWER.replace(body("Workflow"), " "), /^Expected at least a line under "Workflow".*got nothing\.$/],
    [ANSWER.replace(body("Workflow"), "x".repeat(2_401)), /at most 2,400 .* under "Workflow"; got 2,401/],
    [HEADINGS.map((one) => `## ${one}\n${"x".repeat(1_600)}`).join("\n"), /at most 9,000 .* got 9,600/],
  ])(
    "a model's answer that is something else is refused with what was expected and what it was, case %#",
    (text, why) => {
      expect(parseSections(text)).toEqual({ problem: expect.stringMatching(why) });
    },
  );
});

describe("the material for a model", () => {
  const format = (messages: readonly Message[], maxCharacters = 10_000): string =>
    formatMaterial(messages, { maxCharacters });

  it("the material for a model is what was said, verbatim, and a line for every call", () => {
    const read = did(1, "read", { filePath: "src/a.ts" }, { output: "1: import x\n2: run()" });
    const failed = did(2, "edit", { filePath: "src/a.ts" }, { status: "error", error: "no match" });
    const running = did(3, "grep", { pattern: "x" }, { status: "running" });
    const messages = [
      ask(0, "Fix\n  it."),
      reply(4, "Fixed.", read, ran(1, "npm test", 2, "ok\n2 failed\n"), failed, running),
    ];
    expect(format(messages).split("\n")).toEqual([
      ...["USER: Fix", "  it."],
      'TOOL read "src/a.ts" -> done: "1: import x 2: run()"',
      'TOOL bash "npm test" -> exit 2: "2 failed"',
      'TOOL edit "src/a.ts" -> failed: "no match"',
      'TOOL grep "x" -> not ended',
      "AGENT: Fixed.",
    ]);
  });

  it("the material for a model is the newest when there is not room for all, and says what is missing", () => {
    const text = format(
      Array.from({ length: 200 }, (_, n) => ask(n, `task ${n}`)),
      500,
    );
    expect(text.length).toBeLessThanOrEqual(500);
    expect(text).toMatch(/^\[The beginning is left out: \d+ of 200 messages\]\n/);
    expect(text.endsWith("USER: task 199")).toBe(true);
    expect(format([ask(0, "x".repeat(9_000))])).toContain("… (5,000 more)");
  });

  it("the material for a model shows nothing of files with secrets, but examples of them", () => {
    const calls = [
      did(1, "read", { filePath: "/project/.env.local" }, { output: "KEY=hunter2" }),
      ran(2, "cat .env | grep KEY", 0, "KEY=hunter2"),
      did(3, "read", { filePath: "certs/server.pem" }, { output: "hunter2" }),
      did(4, "read", { filePath: ".env.example" }, { output: "KEY=your key" }),
      ran(5, "node -p process.env.HOME", 0, "/root"),
    ];
    const text = format([reply(6, "", ...calls)]);
    expect(text).not.toContain("hunter2");
    expect(text.match(/it may hold secrets/g)).toHaveLength(3);
    expect(text).toContain("your key");
  });
});

describe("the sections that a small model writes", () => {
  const options = { sessionMemory: { updateThreshold: 512, toolCallThreshold: 2 } };

  async function work(respond: string, given: Record<string, unknown> = options) {
    const host = createFakeHost();
    host.respond = () => written(respond);
    const world = await openWorld({ host, options: given });
    const session = createSession(world.clock);
    session.user("Port the parser.");
    const step = async (size: number, calls: number) => {
      session.answer(Array.from({ length: calls }, () => call("bash", "x".repeat(size))));
      await world.request(session.messages);
      await world.strata.idle();
    };
    const notes = () => world.files.text(`${PROJECT}/.opencode/session-memory/ses_1.md`);
    return { world, host, notes, step };
  }

  it("the sections that a small model writes are asked for after so much growth and so many calls, both, and again after as much", async () => {
    const { host, notes, step } = await work(ANSWER);
    await step(4_000, 1);
    expect(host.generated).toHaveLength(0);
    await step(0, 1);
    expect(host.generated).toHaveLength(1);
    await step(0, 3);
    expect(host.generated).toHaveLength(1);
    await step(4_000, 1);
    expect(host.generated).toHaveLength(2);
    expect(host.generated[0]).toMatchObject({ parentID: "ses_1", title: "session notes" });
    expect(host.generated[0]?.prompt).toContain("USER: Port the parser.");
    expect(notes()).toContain("about Learnings");
  });
});
