/** `strata check`: what is wrong with the memories is found, and nothing changes. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { formatContentID } from "../../src/context/result-files.js";
import type { Issue } from "../../src/operations/check.js";
import { damages, formatForeignToken } from "../support/damages.js";
import { MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { listBytes } from "../support/learning.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { answer, call, lines, user } from "../support/messages.js";
import { runStrata } from "../support/shell.js";
import { FOLDER, openRepository, openSound, SECRET, STATE } from "../support/sound-project.js";
import { openWorld } from "../support/world.js";

const OPENCODE = `${PROJECT}/.opencode`;

interface Report {
  isSound: boolean;
  issues: Issue[];
}

async function check(files: MemoryFiles): Promise<Report & { code: number }> {
  const { code, out } = await runStrata(files, "check --json");
  return { ...(JSON.parse(out) as Report), code };
}

describe("strata check", () => {
  it("finds nothing in an intact project or an empty one, and changes neither", async () => {
    for (const files of [await openSound(), openRepository()]) {
      const before = listBytes(files);
      expect(await check(files)).toMatchObject({ code: 0, isSound: true, issues: [] });
      expect((await runStrata(files, "check")).out).toMatch(/checked: no problems\.$/);
      expect(listBytes(files)).toEqual(before);
    }
  });

  it.each(damages)("finds $what, names the file and changes nothing", async (one) => {
    const files = await openSound();
    await one.plant(files);
    const before = listBytes(files);
    const { code, issues } = await check(files);
    const found = issues.filter(({ file, what }) => one.file.test(file) && one.says.test(what));
    expect([issues, found[0]?.level]).toEqual([issues, one.level]);
    expect(code).toBe(1);
    expect((await runStrata(files, "check")).out).not.toContain(SECRET);
    expect(listBytes(files)).toEqual(before);
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
async function findGone(files: MemoryFiles): Promise<string[]> {
  const before = [...files.contents.keys()];
  expect((await runStrata(files, "dream")).code).toBe(0);
  return before.filter((path) => !files.contents.has(path)).map((path) => path.slice(OPENCODE.length + 1));
}

describe("files that nobody needs", () => {
  it("are put away by a dream, and no others", async () => {
    const result = `tool-results/${formatContentID(Buffer.from("x"))}.txt`;
    const files = openRepository({
      [`${OPENCODE}/session-memory/ses_1.previous.md`]: "old",
      [`${OPENCODE}/session-memory/notes.md`]: "notes",
      [`${OPENCODE}/${result}`]: "x",
      [`${OPENCODE}/tool-results/my-own.txt`]: "mine",
    });
    expect((await findGone(files)).sort()).toEqual(["session-memory/ses_1.previous.md", result]);
  });

  it("do not include a tool result that a recorded decision names, however old it is", async () => {
    const world = await openWorld();
    await world.request([user("go"), answer([call("bash", lines(2_000))])]);
    await world.strata.idle();
    const [named = ""] = [...world.files.contents.keys()].filter((path) =>
      /tool-results\/.*\.txt$/.test(path),
    );
    await world.files.touch(named, 1);
    expect(await findGone(world.files)).not.toContain(named.slice(OPENCODE.length + 1));
    for (const path of world.files.contents.keys())
      if (path.includes("/decisions/")) await world.files.remove(path);
    expect(await findGone(world.files)).toContain(named.slice(OPENCODE.length + 1));
  });
});
