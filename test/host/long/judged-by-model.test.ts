/** The small model judges what may be worth a memory, in the real OpenCode. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CANDIDATE, MESSAGE, messageOf, OTHER, verdicts } from "../../support/extraction.js";
import { only1 } from "../only-1.js";
import { repository } from "../repository.js";
import { beginSession, isOwn, locateCandidates, strata } from "../stage/candidates.js";
import { whenContains, whenFits } from "../stage/files.js";
import type { ModelRequest } from "../stage/model-request.js";
import { writeShift } from "../stage/shift-date.js";
import { openStage, type Stage, type StageOptions } from "../stage/stage.js";
import { call, type Step, say, stall } from "../stage/steps.js";

const shiftedClock = fileURLToPath(new URL("../fixtures/shifted-clock", import.meta.url));
const INDEX = ".opencode/memory/MEMORY.md";
/** So long that nobody has said anything for a while, and that no answer comes any more. */
const QUIET_MS = 95_000;

/** A host with a small model that does this when it is asked, and time that passes when it is told to. */
async function openJudged(
  step: (request: ModelRequest) => Step,
  more: Pick<StageOptions, "options" | "files"> & { plugin?: string[] } = {},
): Promise<{ stage: Stage; pass(): void }> {
  const clockOf = (root: string): string => join(root, "shifted-clock");
  let shiftMs = 0;
  const stage = await openStage({
    config: { small_model: "mock/m2" },
    plugin: [shiftedClock, repository],
    ...more,
    env: ({ root }) => ({ STRATA_SHIFTED_CLOCK: clockOf(root), STRATA_SHIFTED_TIMERS: "1" }),
    prepare: ({ root }) => writeShift(clockOf(root), 0),
  });
  stage.model.respond((request) => (isOwn(request) ? step(request) : say("Understood.")));
  const pass = (): void => {
    shiftMs += QUIET_MS;
    writeShift(clockOf(stage.project.root), shiftMs);
  };
  return { stage, pass };
}

/** The session's last turn is read, and the quiet is waited for. */
const whenRead = (stage: Stage, { id }: { id: string }): Promise<void> =>
  whenFits(
    stage.project.file(`.opencode/strata/state/extraction/${id}.json`),
    (text) => !/isOpen|attemptMs/.test(text),
    "a turn that was read",
  );

test("the small model judges when the session is quiet, at a compaction and in the next session, and each memory says who judged and why", async () => {
  const facts = [CANDIDATE, OTHER, "The reports of the shop are read on Mondays by the tax office."];
  const { pass, stage } = await openJudged((request) => {
    const says = facts.findLast((fact) => request.textOf("user").includes(`m1.1 ${fact}`)) ?? "";
    return say(verdicts({ says, why: `of ${says.slice(4, 11)}` }));
  });
  await using _ = stage;
  const judged = () => stage.model.requests.filter(isOwn).map(({ tools }) => tools.length);
  const index = stage.project.file(INDEX);
  const session = await stage.newSession("one");
  await session.ask(messageOf(facts[0] ?? ""));
  await whenRead(stage, session);
  expect(judged()).toEqual([]);
  pass();
  await whenContains(index, "SQLite");

  await session.ask(messageOf(facts[1] ?? ""));
  await whenRead(stage, session);
  const summarizedMs = Date.now();
  await session.summarize();
  await whenContains(index, "invoices");
  // It was not the quiet.
  expect(Date.now() - summarizedMs).toBeLessThan(QUIET_MS - 10_000);

  await session.ask(messageOf(facts[2] ?? ""));
  await whenRead(stage, session);
  await stage.restart({ kill: true });
  const next = await stage.newSession("two");
  await next.ask("Good morning.");
  await whenRead(stage, next);
  pass();
  await whenContains(index, "reports");

  expect(judged()).toEqual([0, 0, 0]);
  const begun = await beginSession(stage);
  for (const fact of facts) expect(begun).toContain(fact);
  const { provenance } = JSON.parse(strata(stage, "show", "storage", "--json"));
  expect(provenance).toMatchObject({ how: "model", evidence: CANDIDATE, why: "mock/m2: of storage" });
  expect(strata(stage, "candidates")).toBe("No candidates wait.\n");
});

test.each<[string, (request: ModelRequest) => Step]>([
  ["answers rubbish", () => say("Certainly! {]")],
  ["refuses", () => say("I'm sorry, but I can't help with that [1].")],
  ["calls a tool", () => call("bash", { command: "touch owned", description: "x" })],
  ["says nothing", () => stall()],
])(
  "a small model that %s is asked once more, and then what may hold something waits; what is marked is known",
  async (_, step) => {
    const { pass, stage } = await openJudged(step);
    await using __ = stage;
    const rule = "From now on answer in whole sentences.";
    const file = await locateCandidates(stage);
    const session = await stage.newSession("one");
    await session.ask(`${MESSAGE} ${rule}`);
    let seen = 0;
    for (const tries of [1, 2]) {
      await whenRead(stage, session);
      pass();
      await stage.model.waitForRequest(
        (request) => isOwn(request) && stage.model.requests.indexOf(request) >= seen,
      );
      seen = stage.model.requests.length;
      // A minute and a half without an answer.
      pass();
      await whenContains(file, `"tries":${tries}`);
      pass();
      await session.ask("go on");
      seen = stage.model.requests.length;
    }
    await whenRead(stage, session);
    pass();
    const begun = await beginSession(stage);
    expect(begun).toContain(rule);
    expect(begun).not.toContain(CANDIDATE);
    // OpenCode may send a refused call's result back before the question is ended; that is no further question.
    const questions = stage.model.requests.filter((one) => isOwn(one) && one.textOf("tool") === "");
    expect(questions).toHaveLength(2);
    expect(strata(stage, "candidates")).toContain(CANDIDATE);
    expect(existsSync(stage.project.file("owned"))).toBe(false);
  },
);

only1("plugins are shown no list of sessions")(
  "what was said before Strata was installed is judged where the user wants it, without commands, and no session is left behind",
  async () => {
    const { stage } = await openJudged(() => say(verdicts({ says: CANDIDATE, why: "of old" })), {
      plugin: [shiftedClock],
      files: { ".opencode/command/check.md": `---\ndescription: x\n---\n${messageOf(OTHER)} $ARGUMENTS` },
    });
    await using _ = stage;
    const old = await stage.newSession("old");
    await old.ask(`${MESSAGE} From now on answer in whole sentences.`);
    await old.command("check", "the till");
    const options = { autoMemory: { pastSessions: true } };
    await stage.restart({ kill: true, config: { plugin: [shiftedClock, [repository, options]] } });
    const session = await stage.newSession("new");
    const before = (await stage.host.sessions()).length;
    await session.ask("go on");
    await whenRead(stage, session);
    await session.summarize();
    await whenContains(stage.project.file(INDEX), "SQLite");
    const begun = await beginSession(stage);
    for (const text of [CANDIDATE, "whole sentences"]) expect(begun).toContain(text);
    const questions = stage.model.requests.filter(isOwn).map((request) => request.textOf("user"));
    expect(questions.map((text) => text.includes("invoices"))).toEqual([false]);
    expect((await stage.host.sessions()).length - before).toBe(1);
  },
);
