/** A person sees, keeps and drops candidates, on the command line and in a session; no model ever sees one. */
import { describe, expect, it } from "vitest";
import { candidateOf, type GivenSaying, openTestCandidates, textsOf } from "../support/candidates.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { createSession } from "../support/session.js";
import { runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";
import { openWorld, typeCommand } from "../support/world.js";

const SQLITE = "The storage is SQLite, because it needs no server.";
const REDIS = "The queue is Redis.";
const MEMORY = `${PROJECT}/.opencode/memory`;

/** A project in which these wait. */
async function open(...given: (readonly [text: string, given?: GivenSaying])[]) {
  const files = openRepository();
  const candidates = openTestCandidates({ files });
  await candidates.offer(
    given.map(([text, more], n) => candidateOf(text, { message: `msg_${n}`, saidMs: MORNING_MS, ...more })),
  );
  const ids = new Map((await candidates.list()).map((one) => [textsOf([one])[0], one.id]));
  return { files, candidates, idOf: (text: string) => ids.get(text) ?? "" };
}
const MORNING_MS = createFakeClock().now();

const listMemories = (files: MemoryFiles): string[] =>
  [...files.contents.keys()].filter((path) => path.startsWith(MEMORY) && path.endsWith(".md"));

describe("strata and candidates", () => {
  it("candidates shows id, type, age, probability and the sentence, most probable first", async () => {
    const { files, idOf } = await open([SQLITE], [REDIS, { type: "directive", worth: 0.62 }]);
    const clock = createFakeClock();
    clock.advance(3 * 86_400_000);
    const { code, out } = await runStrata(files, "candidates", { clock });
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      `${idOf(REDIS)}  directive    3 d   62 %  ${REDIS}`,
      `${idOf(SQLITE)}  knowledge    3 d   40 %  ${SQLITE}`,
    ]);
    expect((await runStrata(files, "candidates --type directive")).out).not.toContain(SQLITE);
    const json = JSON.parse((await runStrata(files, "candidates --json")).out);
    expect(json.candidates[1]).toEqual({
      id: idOf(SQLITE),
      type: "knowledge",
      worth: 0.4,
      text: SQLITE,
      sessions: 1,
      said: [{ session: "ses_1", message: "msg_0", at: "2026-11-21T09:00:00.000Z" }],
    });
    expect((await runStrata(files, "list")).out).toBe("No memories.");
  });

  it("keep makes memories of several, in the user's words, with where they were said, and no other waits less", async () => {
    const { candidates, files, idOf } = await open([SQLITE], [REDIS], ["Reports are in S3."]);
    const { code, out } = await runStrata(
      files,
      `candidates keep ${idOf(SQLITE)} ${idOf(REDIS).slice(0, 4)}`,
    );
    expect([code, out.match(/^Remembered: knowledge\//gm)?.length]).toEqual([0, 2]);
    expect(textsOf(await candidates.list())).toEqual(["Reports are in S3."]);
    const [path = ""] = listMemories(files).filter((one) => files.text(one)?.includes("SQLite"));
    const text = files.text(path) ?? "";
    expect(text.endsWith(`---\n${SQLITE}\n`)).toBe(true);
    for (const part of ["by: user", "session: ses_1", "message: msg_0", `evidence: ${SQLITE}`])
      expect(text).toContain(part);
  });

  it("drop forgets some or all, and nothing is dropped if one id is wrong", async () => {
    const { candidates, files, idOf } = await open([SQLITE], [REDIS], ["Reports are in S3."]);
    const wrong = await runStrata(files, `candidates drop ${idOf(SQLITE)} zzzzzz`);
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('got "zzzzzz"; strata candidates')]);
    expect(await candidates.count()).toBe(3);
    expect((await runStrata(files, `candidates drop ${idOf(SQLITE)}`)).out).toBe(`Dropped: ${idOf(SQLITE)}`);
    expect(await candidates.count()).toBe(2);
    expect((await runStrata(files, "candidates drop --all")).out).toMatch(/^Dropped: \w+, \w+$/);
    expect((await runStrata(files, "candidates drop --all")).out).toBe("No candidates wait.");
    expect((await runStrata(files, "candidates")).out).toBe("No candidates wait.");
    expect(listMemories(files)).toEqual([]);
  });

  it("an agent's shell neither sees nor decides about them", async () => {
    const { candidates, files, idOf } = await open([SQLITE]);
    for (const line of ["candidates", `keep ${idOf(SQLITE)}`, "drop --all"]) {
      const { code, err, out } = await runStrata(files, line, { env: { OPENCODE: "1" } });
      expect([line, code, out]).toEqual([line, 3, ""]);
      expect(err).toContain("is for you alone");
    }
    expect(await candidates.count()).toBe(1);
  });

  it("a start removes what no project has opened for a month", async () => {
    const clock = createFakeClock();
    const files = openRepository({}, clock.now);
    await openTestCandidates({ files, clock, project: "/gone" }).offer([candidateOf(SQLITE)]);
    const waiting = () =>
      [...files.contents.keys()].filter((path) => path.endsWith("candidates.json")).length;
    for (const [days, left] of [
      [29, 1],
      [2, 0],
    ] as const) {
      clock.advance(days * 86_400_000);
      const world = await openWorld({ files, clock });
      await world.strata.dispatcher.ask("event", { type: "server.connected", properties: {} }, undefined);
      await world.strata.idle();
      expect(waiting()).toBe(left);
    }
  });
});

describe("in a session", () => {
  it("no request, tool result or file of the project has one", async () => {
    const world = await openWorld();
    const candidates = openTestCandidates({ files: world.files, clock: world.clock, instance: "test" });
    await candidates.offer([candidateOf(SQLITE), candidateOf(REDIS, { message: "msg_2" })]);
    const session = createSession(world.clock, "ses_9");
    session.user("Which storage and which queue do we use? SQLite or Redis?");
    world.host.messages.set("ses_9", [...session.messages]);
    await world.strata.dispatcher.ask("turn", { sessionID: "ses_9" }, undefined);
    const sent = JSON.stringify(await world.request(session.messages));
    const recall = world.strata.dispatcher.tools.find(({ name }) => name === "memory_recall");
    const asked = { sessionID: "ses_9", callID: "call_1", messageID: "m" };
    const answer = await recall?.execute(
      { query: "storage SQLite queue Redis" } as never,
      asked as never,
      new AbortController().signal as never,
    );
    const slash = await typeCommand(world, "recall", "storage SQLite");
    await world.strata.idle();
    for (const text of [sent, JSON.stringify(answer), slash])
      for (const one of ["needs no server", REDIS]) expect(text).not.toContain(one);
    const held = [...world.files.contents].filter(([, bytes]) =>
      String(Buffer.from(bytes)).includes("needs no server"),
    );
    expect(held.map(([path]) => path)).toEqual([expect.stringMatching(/^\/home\/me\/.*\/candidates\.json$/)]);
  });
});
