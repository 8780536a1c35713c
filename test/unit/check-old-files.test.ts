/** `strata check` on files that are no longer needed. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import type { Issue } from "../../src/cli/check/find-memory-issues.js";
import { formatContentID } from "../../src/context/result-files.js";
import { createRunningProcesses } from "../../src/io/running-processes.js";
import { type LedgerLine, replayLedger } from "../../src/memory/store/ledger-line.js";
import { formatInstance, type Instance } from "../../src/project/other-instances.js";
import { withDeath } from "../support/dying-files.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, idOf, openMemoryWorld } from "../support/memory-world.js";
import { answer, call, lines, user } from "../support/messages.js";
import { runStrata } from "../support/shell.js";
import { openWorld } from "../support/world.js";

const OPENCODE = `${PROJECT}/.opencode`;
const STATE = `${OPENCODE}/strata/state`;
const open = (more: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", ...more });

/** Paths below the project that were there and are not any more. */
async function findGone(files: MemoryFiles, line: string): Promise<string[]> {
  const before = [...files.contents.keys()];
  expect((await runStrata(files, line)).code).toBe(0);
  return before.filter((path) => !files.contents.has(path)).map((path) => path.slice(OPENCODE.length + 1));
}

/** A project in which one memory was archived so many days ago, and another one is in use. */
async function openArchived(daysAgo: number): Promise<{ files: MemoryFiles; path: string }> {
  const clock = createFakeClock(MORNING - daysAgo * DAY_MS);
  const { files, store } = openMemoryWorld({ files: open(), clock });
  await store.remember(draft("in use"), BY_TEST);
  const id = idOf(await store.remember(draft("put aside"), BY_TEST));
  await store.archive(id, BY_TEST);
  await store.onIdle();
  return { files, path: `${OPENCODE}/memory/archive/${id}.md` };
}

describe("strata check on files that nobody needs", () => {
  it("check lists what is no longer needed, and with --fix removes exactly that", async () => {
    const files = open({
      [`${OPENCODE}/session-memory/ses_1.previous.md`]: "old",
      [`${OPENCODE}/session-memory/ses_1.md`]: "notes",
      [`${OPENCODE}/tool-results/${formatContentID(Buffer.from("x"))}.txt`]: "x",
      [`${OPENCODE}/tool-results/my-own.txt`]: "mine",
      [`${STATE}/edits/2026-01-01.jsonl`]: "{}",
      [`${STATE}/mail/ses_1.jsonl`]: "{}",
      [`${STATE}/calls/a.json`]: "{}",
      [`${STATE}/decisions/1.jsonl`]: "{}",
      [`${STATE}/breakers/ses_1.json`]: "{}",
    });
    const before = new Map(files.contents);
    const listed = JSON.parse((await runStrata(files, "check --json")).out).issues as Issue[];
    expect(files.contents).toEqual(before);
    const old = listed.filter(({ fix }) => fix).map(({ file }) => file.slice(OPENCODE.length + 1));
    const gone = await findGone(files, "check --fix");
    expect(gone.sort()).toEqual(old.sort());
    expect(gone).toHaveLength(5);
    expect((await runStrata(files, "check --days none")).code).toBe(2);
  });

  it("check --fix keeps a tool result that a recorded decision names, however old it is", async () => {
    const world = await openWorld();
    await world.request([user("go"), answer([call("bash", lines(2_000))])]);
    await world.strata.idle();
    const [named] = [...world.files.contents.keys()].filter((path) => /tool-results\/.*\.txt$/.test(path));
    await world.files.touch(named ?? "", 1);
    expect(await findGone(world.files, "check --fix")).not.toContain(named?.slice(OPENCODE.length + 1));
    for (const path of world.files.contents.keys())
      if (path.includes("/decisions/")) await world.files.remove(path);
    expect(await findGone(world.files, "check --fix")).toContain(named?.slice(OPENCODE.length + 1));
  });

  it("check --fix keeps the record of an instance whose process runs", async () => {
    const process = await createRunningProcesses().own();
    const at = new Date(0).toISOString();
    const own: Instance = {
      v: 1,
      id: "own",
      process,
      directory: "/",
      started: at,
      heartbeat: at,
      sessions: [],
    };
    const gone = { ...own, id: "gone", process: { ...process, id: 4_194_999 } };
    const files = open({
      [`${STATE}/instances/own.json`]: formatInstance(own),
      [`${STATE}/instances/gone.json`]: formatInstance(gone),
    });
    expect(await findGone(files, "check --fix")).toEqual(["strata/state/instances/gone.json"]);
  });

  it("check --archived removes old archived memories, and the ledger keeps their text", async () => {
    const { files, path } = await openArchived(40);
    const words = files.text(path);
    expect(await findGone(files, "check --fix")).toEqual([]);
    expect(await findGone(files, "check --fix --yes --archived --days 41")).toEqual([]);
    expect(await findGone(files, "check --fix --archived")).toEqual([]);
    expect(await findGone(files, "check --fix --yes --archived")).toEqual([
      "memory/archive/decision/put-aside.md",
    ]);
    const history = JSON.parse(
      (await runStrata(files, "memory history decision/put-aside --json")).out,
    ) as LedgerLine[];
    expect(history.map(({ operation, by }) => `${operation} ${by}`)).toEqual([
      "remember strata",
      "remember strata",
      "gc strata",
    ]);
    expect(history[0]?.contents).toBe(words);
    expect((await runStrata(files, "check")).code).toBe(0);
    expect((await runStrata(files, "list --archived")).out).toMatch(/^decision\/in-use .*$/);
  });

  it("check --fix killed while it removes a memory leaves it intact or gone, as the ledger says", async () => {
    let hasEnded = false;
    for (let at = 1; !hasEnded; at += 23) {
      const { files, path } = await openArchived(40);
      const words = files.text(path);
      const process = withDeath(files);
      process.dieAfter(at);
      await runStrata(process.files, "check --fix --yes --archived");
      hasEnded = !process.isDead;
      await runStrata(files, "list");
      const text = files.text(path);
      expect([at, text === undefined || text === words]).toEqual([at, true]);
      const ledger = [...files.contents.keys()].filter((one) => /memory\/ledger\/.*\.jsonl$/.test(one));
      const written = ledger.flatMap((one) => (files.text(one) ?? "").trim().split("\n"));
      const replayed = replayLedger(written.map((line) => JSON.parse(line) as LedgerLine));
      expect([at, replayed.get("archive/decision/put-aside.md")]).toEqual([at, text]);
      expect(written.filter((line) => line.includes('"person"'))).toEqual([]);
    }
  });
});
