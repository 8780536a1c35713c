/** The plugin's own model call, the sections of the notes, in the real OpenCode: who makes it, and what comes of it. */
import { expect, test } from "vitest";
import { only1 } from "../only-1.js";
import { whenContains } from "../stage/files.js";
import type { ModelRequest } from "../stage/model-request.js";
import type { Session } from "../stage/session.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, type Step, say, stall } from "../stage/steps.js";

const HEADINGS = [
  "Current State",
  "Task Specification",
  "Files and Functions",
  "Workflow",
  "Errors and Corrections",
  "Learnings",
];
const SECTIONS = HEADINGS.map((heading) => `## ${heading}\n- The model on ${heading.toLowerCase()}.`).join(
  "\n\n",
);
const TEXT = "a line that is long enough to count\n".repeat(200);

/** Notes are due after each turn with a call in it; the small model does this with what is asked of it. */
async function openNoting(step: (request: ModelRequest) => Step): Promise<Stage> {
  const stage = await openStage({
    options: { sessionMemory: { updateThreshold: 512, toolCallThreshold: 1 }, log: { level: "debug" } },
    config: { small_model: "mock/m2" },
    files: { "a.txt": TEXT },
  });
  let reads = 0;
  stage.model.respond((request) => {
    if (isOwn(request)) return step(request);
    const isTold = request.messages.at(-1)?.role === "tool";
    return isTold
      ? say("It has been read.")
      : call("read", { filePath: stage.project.file("a.txt"), limit: 150 + reads++ });
  });
  return stage;
}

const isOwn = (request: ModelRequest): boolean => request.body.model === "m2";
const ownOf = (stage: Stage): ModelRequest[] => stage.model.requests.filter(isOwn);
const notesOf = ({ id }: Session): string => `.opencode/session-memory/${id}.md`;
const whenLogged = (stage: Stage, text: string) =>
  whenContains(stage.project.file(".opencode/strata/strata.log"), text);

async function listOwn({ host }: Stage): Promise<string[]> {
  const sessions = await host.sessions();
  return sessions.map(({ title }) => title).filter((title) => title.startsWith("[strata] "));
}

test("the section writer's one call writes the sections into the notes, no layer touches it, and it is gone afterwards", async () => {
  await using stage = await openNoting(() => say(SECTIONS));
  const session = await stage.newSession("noting");
  await session.ask("Read a.txt. Always answer in one line.");
  await session.ask("again");
  await whenContains(stage.project.file(notesOf(session)), "The model on learnings.");
  const notes = stage.read(notesOf(session));
  for (const heading of HEADINGS) expect(notes).toContain(`- The model on ${heading.toLowerCase()}.`);
  expect(notes).toContain("Always answer in one line.");

  await whenLogged(stage, "session notes:");
  const own = ownOf(stage);
  expect(own.length).toBeLessThanOrEqual(stage.model.requests.length - own.length);
  for (const request of own) {
    expect(request.tools).toEqual([]);
    expect(request.messages.filter(({ role }) => role !== "system").map(({ role }) => role)).toEqual([
      "user",
    ]);
    // The notes of a session are for that session: its own child has none, and no reminder or notes stand in its request.
    expect(request.textOf("user")).not.toContain("[Strata]");
    const { sessionID = "none" } = request;
    expect(() => stage.read(`.opencode/session-memory/${sessionID}.md`)).toThrow("ENOENT");
    expect(stage.read(".opencode/strata/strata.log")).not.toContain(sessionID);
  }
  await session.ask("and again");
  expect(await whenGone(stage)).toEqual([]);
});

test("sections that are garbage are refused, the notes have what is known without a model, and the log says why", async () => {
  await using stage = await openNoting(() => say("Sure! Here are your notes: everything is fine."));
  const session = await stage.newSession("garbage");
  await session.ask("Read a.txt. Never change it.");
  await session.ask("again");
  await whenLogged(stage, `rejected the model's sections for the notes of ${session.id}: Expected the six`);
  await whenContains(stage.project.file(notesOf(session)), "Never change it.");
  expect(stage.read(notesOf(session))).not.toContain("Sure!");
  expect(await whenGone(stage)).toEqual([]);
});

only1("a background call has no session")(
  "a section writer whose host is killed while its answer stalls is gone after the next start, and notes are written again",
  async () => {
    let step: Step = stall();
    await using stage = await openNoting(() => step);
    const session = await stage.newSession("killed");
    await session.ask("Read a.txt.");
    await session.ask("again");
    await stage.model.waitForRequest(isOwn);
    expect(await listOwn(stage)).toEqual([`[strata] session notes · ${stage.host.pid}`]);

    step = say(SECTIONS);
    await stage.restart({ kill: true });
    const again = stage.session(session.id);
    await again.ask("once more");
    await whenLogged(stage, "removed 1 leftover sessions of the plugin");
    await again.ask("and once more");
    await whenContains(stage.project.file(notesOf(session)), "The model on learnings.");
    expect(await whenGone(stage)).toEqual([]);
  },
);

/** Our own sessions once nothing runs in the background: the end of each call is written down after its session went. */
async function whenGone(stage: Stage): Promise<string[]> {
  const events = await stage.events();
  const gone = new Set<string>();
  // Each turn may have opened one.
  let own = await listOwn(stage);
  for (; own.length > 0; own = await listOwn(stage)) {
    await events.waitFor((event) => {
      if (event.type !== "session.deleted" || gone.has(event.properties.info.id)) return false;
      gone.add(event.properties.info.id);
      return true;
    });
  }
  return own;
}
