/** `strata check`: what is wrong with the memories is found, and what is safe to mend is mended. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { type Issue, planMerges } from "../../src/cli/check/find-memory-issues.js";
import { formatContentID } from "../../src/context/result-files.js";
import type { Memory } from "../../src/memory/memory.js";
import { type LedgerLine, replayLedger } from "../../src/memory/store/ledger.js";
import { damages, formatForeignToken } from "../support/damages.js";
import { withDeath } from "../support/dying-files.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { memoryOf } from "../support/memory.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { BY_TEST, draft, idOf, openMemoryWorld } from "../support/memory-world.js";
import { answer, call, lines, user } from "../support/messages.js";
import { different, same } from "../support/pairs-of-memories.js";
import { runStrata } from "../support/shell.js";
import { FOLDER, openSound, SECRET, STATE } from "../support/sound-project.js";
import { openWorld } from "../support/world.js";

const OPENCODE = `${PROJECT}/.opencode`;

interface Report {
  isSound: boolean;
  issues: (Omit<Issue, "fix"> & { fix?: string })[];
  fixed: { file: string }[];
}

const open = (more: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", ...more });

async function check(files: MemoryFiles, flags = ""): Promise<Report & { code: number }> {
  const { code, out } = await runStrata(files, `check --json ${flags}`);
  return { ...(JSON.parse(out) as Report), code };
}

const copyOf = (files: MemoryFiles): Map<string, string> =>
  new Map([...files.contents].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]));

describe("strata check", () => {
  it("finds nothing in an intact project or an empty one, and changes neither, with --fix too", async () => {
    for (const files of [await openSound(), open()]) {
      const before = copyOf(files);
      expect(await check(files)).toMatchObject({ code: 0, isSound: true, issues: [] });
      expect((await runStrata(files, "check --fix")).out).toMatch(/checked: no problems\.$/);
      expect(copyOf(files)).toEqual(before);
    }
  });

  it.each(damages)(
    "finds $what, names the file and changes nothing; --fix mends it if it can",
    async (one) => {
      const files = await openSound();
      await one.plant(files);
      const before = copyOf(files);
      const { code, issues } = await check(files);
      const found = issues.filter(({ file, what }) => one.file.test(file) && one.says.test(what));
      expect([issues, found[0]?.level]).toEqual([issues, one.level]);
      if (one.level !== "note") expect(code).toBe(1);
      expect((await runStrata(files, "check --fix --dry-run")).out).not.toContain(SECRET);
      expect(copyOf(files)).toEqual(before);

      const mended = await check(files, "--fix");
      expect(mended.issues.filter(({ fix }) => fix)).toEqual([]);
      expect(mended.issues.some(({ what }) => one.says.test(what))).toBe(!one.isFixed);
      expect(mended.fixed.some(({ file }) => one.file.test(file))).toBe(one.isFixed);
    },
  );

  it("mends many issues at once with --fix, says each in one line, and what is left", async () => {
    const files = await openSound();
    for (const { plant, what } of damages) if (!/ledger/.test(what)) await plant(files);
    const { code, out } = await runStrata(files, "check --fix");
    expect(code).toBe(1);
    expect(out).toMatch(/^fixed {4}.*port-8080\.md: it expired on 2026-01-31 → move it to the archive$/m);
    expect(out).toMatch(/memories checked: \d+ problems?, \d+ warnings?, \d+ notes?\.$/);
  });

  it("prints ten issues of a kind, and all of them with --json", async () => {
    const files = await openSound();
    for (let n = 0; n < 30; n++) await files.writeWhole(`${FOLDER}/idea/n${n}.md`, "");
    expect((await check(files)).issues).toHaveLength(30);
    const { out } = await runStrata(files, "check");
    expect(out.match(/idea\/n\d+\.md: /g)).toHaveLength(10);
    expect(out).toContain("and 20 more like these; --json lists all");
  });

  it("a lock that came with a copy of the project does not block commands for ever", async () => {
    const lock = `${STATE}/lock`;
    const files = createMemoryFiles({ [lock]: formatForeignToken() }, () => MORNING - 2 * DAY_MS);
    const { code, err } = await runStrata(files, "remember --type idea first");
    expect([code, err, files.text(lock)]).toEqual([0, "", undefined]);
  });
});

/** Paths below the project that were there and are not any more. */
async function findGone(files: MemoryFiles, line: string): Promise<string[]> {
  const before = [...files.contents.keys()];
  expect((await runStrata(files, line)).code).toBe(0);
  return before.filter((path) => !files.contents.has(path)).map((path) => path.slice(OPENCODE.length + 1));
}

/** A project in which one memory was archived so many days ago, and another one is in use. */
async function openArchived(daysAgo: number): Promise<{ files: MemoryFiles; path: string }> {
  const { files, store } = openMemoryWorld({
    files: open(),
    clock: createFakeClock(MORNING - daysAgo * DAY_MS),
  });
  await store.remember(draft("in use"), BY_TEST);
  const id = idOf(await store.remember(draft("put aside"), BY_TEST));
  await store.archive(id, BY_TEST);
  await store.onIdle();
  return { files, path: `${OPENCODE}/memory/archive/${id}.md` };
}

describe("files that nobody needs", () => {
  it("are listed, and --fix removes exactly those", async () => {
    const state = `${OPENCODE}/strata/state`;
    const files = open({
      [`${OPENCODE}/session-memory/ses_1.previous.md`]: "old",
      [`${OPENCODE}/session-memory/ses_1.md`]: "notes",
      [`${OPENCODE}/tool-results/${formatContentID(Buffer.from("x"))}.txt`]: "x",
      [`${OPENCODE}/tool-results/my-own.txt`]: "mine",
      [`${state}/edits/2026-01-01.jsonl`]: "{}",
      [`${state}/mail/ses_1.jsonl`]: "{}",
      [`${state}/calls/a.json`]: "{}",
      [`${state}/decisions/1.jsonl`]: "{}",
      [`${state}/breakers/ses_1.json`]: "{}",
    });
    const { issues } = await check(files);
    const old = issues.filter(({ fix }) => fix).map(({ file }) => file.slice(OPENCODE.length + 1));
    const gone = await findGone(files, "check --fix");
    expect(gone.sort()).toEqual(old.sort());
    expect(gone).toHaveLength(5);
    expect((await runStrata(files, "check --days none")).code).toBe(2);
  });

  it("do not include a tool result that a recorded decision names, however old it is", async () => {
    const world = await openWorld();
    await world.request([user("go"), answer([call("bash", lines(2_000))])]);
    await world.strata.idle();
    const [named = ""] = [...world.files.contents.keys()].filter((path) =>
      /tool-results\/.*\.txt$/.test(path),
    );
    await world.files.touch(named, 1);
    expect(await findGone(world.files, "check --fix")).not.toContain(named.slice(OPENCODE.length + 1));
    for (const path of world.files.contents.keys())
      if (path.includes("/decisions/")) await world.files.remove(path);
    expect(await findGone(world.files, "check --fix")).toContain(named.slice(OPENCODE.length + 1));
  });

  it("include old archived memories with --archived, after a yes, and the ledger keeps their text", async () => {
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
    expect([history[0]?.contents, history.at(-1)?.operation]).toEqual([words, "gc"]);
    expect((await runStrata(files, "list --archived")).out).toMatch(/^decision\/in-use .*$/);
  });

  it("are intact or gone, as the ledger says, if the process is killed meanwhile", async () => {
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
    }
  });
});

const pair = (contents: readonly string[], ...given: Partial<Memory>[]): Memory[] =>
  contents.map((content, n) => memoryOf({ id: `knowledge/m${n}`, content, ...given[n] }));
const merged = (contents: readonly string[], ...given: Partial<Memory>[]): string[] =>
  planMerges(pair(contents, ...given)).flatMap(({ other, survivor }) => [survivor.content, other.content]);

describe("a memory that says all of another one", () => {
  it("is none of two texts that look alike, also beside another sentence", () => {
    for (const [one, other] of different) {
      expect(merged([one, other])).toEqual([]);
      expect(merged([one, `${other} This was decided in May.`])).toEqual([]);
      expect(merged([`${one} This was decided in May.`, other])).toEqual([]);
    }
    const missed = same.filter((texts) => merged(texts).length === 0);
    expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(4);
  });

  it("takes it in if it has its sentences, in this or other wording, and more", () => {
    for (const [short, long] of [
      ["The api needs a token.", "The api needs a token. Ask Kim for it."],
      ["The DB is Postgres 16.", "Kim set it up. The database is Postgres 16."],
    ] as const) {
      expect(merged([short, long])).toEqual([long, short]);
      expect(merged([long, short])).toEqual([long, short]);
    }
  });

  it.each([
    ["has them in another order", "Stop the worker. Start the api.", "Start the api. Stop the worker. Wait."],
    ["adds a case", "Deploys run on Mondays.", "Deploys run on Mondays and Thursdays."],
    [
      "may mean another thing by it",
      "It listens on port 8080.",
      "Kim owns the mailer. It listens on port 8080.",
    ],
  ])("does not take it in if it %s", (_, short, long) => {
    expect(merged([short, long])).toEqual([]);
  });

  it.each<[string, Partial<Memory>, Partial<Memory>]>([
    ["of another type", {}, { id: "idea/x", type: "idea" }],
    ["that is private", {}, { sensitivity: "private" }],
    ["that is pinned", { pinned: true }, {}],
    ["that is a decision", { id: "decision/a", type: "decision" }, { id: "decision/b", type: "decision" }],
    ["that is kept beside it on purpose", { links: ["knowledge/m1"] }, { links: ["knowledge/m0"] }],
  ])("does not take in one %s", (_, one, other) => {
    expect(merged(["The api needs a token.", "The api needs a token. Ask Kim."], one, other)).toEqual([]);
  });

  it("is merged by --fix after a yes, in one step, which undo reverts", async () => {
    const files = open();
    await runStrata(files, "remember --type knowledge --tag auth The api needs a token.");
    await runStrata(files, "remember --type knowledge The api needs a token. Ask Kim for it.");
    const listAll = async () => JSON.parse((await runStrata(files, "list --json")).out).memories;
    expect((await runStrata(files, "check --fix", { answers: false })).out).toMatch(
      /knowledge\/api-needs-token-ask\S* says all of it/,
    );
    expect(await listAll()).toHaveLength(2);
    const { out } = await runStrata(files, "check --fix", { answers: true });
    const run = /strata undo --run (\w+)/.exec(out)?.[1];
    expect(await listAll()).toMatchObject([
      { content: "The api needs a token. Ask Kim for it.", tags: ["auth"] },
    ]);
    expect((await runStrata(files, `undo --run ${run}`)).code).toBe(0);
    expect(await listAll()).toHaveLength(2);
    await runStrata(files, "merge --yes");
    expect(await listAll()).toHaveLength(1);
  });
});
