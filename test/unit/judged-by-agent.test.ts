/** The running agent judges: when it is asked, and what its letters keep. */
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/io/message.js";
import { QUESTION_HEAD } from "../../src/memory/candidates/candidate.js";
import { keep, open, pages, questionIn, SESSION, say } from "../support/agent-judge.js";
import { openTestCandidates } from "../support/candidates.js";
import { createFakeHost } from "../support/fake-host.js";
import { fork } from "../support/messages.js";
import { CORES, INVOICES, LEDGER, PLAYERS } from "../support/said-in-passing.js";
import { bytesOf } from "../support/view-check.js";

describe("a session whose agent judges", () => {
  it("a session whose agent judges is asked once in five messages, each sentence once, with the same bytes after a restart", async () => {
    const opened = await open("agent");
    const asked: (string | undefined)[] = [];
    const texts = [PLAYERS, INVOICES, LEDGER, "Go on.", "Go on.", "Go on.", "Go on.", "Go on."];
    let last: readonly Message[] = [];
    for (const text of texts) {
      last = await say(opened, text);
      asked.push(questionIn(last));
    }
    expect(asked.map((one) => one !== undefined)).toEqual([
      ...[false, true, false, false, false, false, true, false],
    ]);
    expect(asked[1]).toContain(`a "Some words on the club: ${CORES.players}`);
    expect(asked[6]).toMatch(/ b ".* c "/);
    expect(asked[6]).not.toContain("ranked");
    const world = await opened.world.restart();
    const again = await world.request(opened.session.messages.slice(0, last.length));
    expect(bytesOf(again)).toEqual(bytesOf(last));
    for (let n = 0; n < 6; n++) expect(questionIn(await say({ ...opened, world }, "Go on."))).toBeUndefined();
  });

  it.each(["off", "model"])(
    "a session is not asked and has no tool for it with the judge %s",
    async (judge) => {
      const opened = await open(judge);
      for (const text of [PLAYERS, INVOICES, LEDGER])
        expect(questionIn(await say(opened, text))).toBeUndefined();
      expect(await keep(opened, "a")).toBe("no such tool");
    },
  );

  it("with the judge auto the agent is asked only where no small model may be", async () => {
    const named = await open("auto");
    await say(named, PLAYERS);
    expect(questionIn(await say(named, INVOICES))).toBeUndefined();
    const host = createFakeHost();
    delete host.configured.small;
    const unnamed = await open("auto", { host });
    await say(unnamed, PLAYERS);
    expect(questionIn(await say(unnamed, INVOICES))).toContain(QUESTION_HEAD);
  });
});

describe("memory_keep", () => {
  it("memory_keep keeps the user's own sentence with who judged it, once, also after a restart", async () => {
    const opened = await open("agent");
    await say(opened, PLAYERS);
    await say(opened, INVOICES);
    const world = await opened.world.restart();
    expect(await keep({ world }, "a")).toMatch(
      /^a is kept as knowledge\/\S+ in \.opencode\/memory\/knowledge\//,
    );
    const [page = "", ...others] = pages(world).filter((text) => text.includes("handicap"));
    expect(others).toEqual([]);
    expect(page).toContain(CORES.players);
    expect(page).toMatch(/how: agent/);
    expect(page).toMatch(/by: user/);
    const noted = (await openTestCandidates({ files: world.files, clock: world.clock }).judgements()).find(
      ({ by }) => by === "agent",
    );
    expect(noted).toMatchObject({ outcome: "kept", session: SESSION });
    expect(await keep({ world }, "a")).toContain("Nothing was kept. Nothing is open under a. Open: none.");
  });

  it("memory_keep refuses an unknown letter or type, names what is open, and keeps nothing", async () => {
    const opened = await open("agent");
    await say(opened, PLAYERS);
    await say(opened, "Go on.");
    expect(await keep(opened, "a x")).toMatch(
      /^refused: Nothing was kept. Nothing is open under x. Open: a "Some words on the club: players are/,
    );
    expect(await keep(opened, "a rule-of-thumb")).toContain(
      '"rule-of-thumb" is no letter and no type; types: directive',
    );
    expect(await keep(opened, "-")).toContain("No letter came. Open: a");
    expect(await keep(opened, "a", "ses_other")).toContain("Nothing is open under a. Open: none.");
    expect(pages(opened.world).join()).not.toContain("handicap");
  });

  it("memory_keep keeps in a fork what its history was asked", async () => {
    const opened = await open("agent");
    await say(opened, PLAYERS);
    await say(opened, "Go on.");
    opened.host.messages.set("ses_fork", fork(opened.session.messages, "ses_fork"));
    expect(await keep(opened, "a", "ses_fork")).toMatch(/^a is kept as knowledge\//);
  });

  it("memory_keep does not keep what only a client still says after the user has taken it back", async () => {
    const opened = await open("agent");
    await say(opened, PLAYERS);
    await say(opened, "Go on.");
    const other = openTestCandidates({ files: opened.world.files, clock: opened.world.clock });
    const [one] = await other.list();
    const [saying] = one?.said ?? [];
    if (!one || !saying) throw new Error("nothing waits");
    await other.follow(SESSION, opened.session.messages.slice(2));
    await other.offer([
      { ...one, said: [{ ...saying, session: "client", message: "m", isHandedOver: true }] },
    ]);
    expect(await keep(opened, "a")).toContain("Nothing is open under a. Open: none.");
  });
});
