/** A dream moves the notes of long unused sessions to an archive. */
import { expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { openDreamWorld } from "../support/dream-world.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const NOTES = `${PROJECT}/.opencode/session-memory`;

async function open(...ages: number[]) {
  let nowMs = MORNING;
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" }, () => nowMs);
  for (const days of ages) {
    nowMs = MORNING - days * DAY_MS;
    for (const ending of ["md", "previous.md", "json"])
      await files.writeWhole(`${NOTES}/ses_${days}.${ending}`, `${days} days, ${ending}`);
  }
  nowMs = MORNING;
  return openDreamWorld({ files, clock: createFakeClock(MORNING) });
}
const names = (files: MemoryFiles, folder = NOTES): string[] =>
  [...files.contents.keys()]
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1))
    .filter((name) => !name.includes("/"))
    .sort();

it("a dream moves notes unchanged for 180 days to the archive, whole, and leaves newer ones", async () => {
  const { dream, files } = await open(181, 179);
  expect(await dream()).toMatchObject({ kind: "done", report: { moves: [{}, {}, {}, {}] } });
  // An earlier version is kept for a month.
  expect(names(files)).toEqual(["ses_179.json", "ses_179.md"]);
  expect(names(files, `${NOTES}/archive`)).toEqual(["ses_181.json", "ses_181.md", "ses_181.previous.md"]);
  expect(files.text(`${NOTES}/archive/ses_181.md`)).toBe("181 days, md");
  expect(await dream()).toMatchObject({ report: { moves: [] } });
});

it("what a dream that is killed has put away by then comes back by an undo, and the rest is not missed", async () => {
  for (let killedAt = 0; killedAt < 3; killedAt++) {
    const { clock, files } = await open(200);
    let moves = 0;
    const rename: typeof files.rename = (from, to) =>
      from.startsWith(NOTES) && moves++ >= killedAt
        ? Promise.reject(new Error("killed"))
        : files.rename(from, to);
    await openDreamWorld({ files, clock, wrap: (inner) => ({ ...inner, rename }) }).dream();
    expect(names(files)).toHaveLength(3 - killedAt);
    expect((await runStrata(files, "undo", { clock })).out).not.toContain("Unchanged");
    expect(names(files)).toHaveLength(3);
  }
});

it("a dream a month later puts archived notes away, and an undo brings them back", async () => {
  const { clock, dream, files } = await open(200);
  await dream();
  clock.advance(30 * DAY_MS);
  await dream();
  expect(names(files, `${NOTES}/archive`)).toHaveLength(3);
  clock.advance(DAY_MS);
  await dream();
  expect(names(files, `${NOTES}/archive`)).toEqual([]);
  expect((await runStrata(files, "undo")).code).toBe(0);
  expect(names(files, `${NOTES}/archive`)).toHaveLength(3);
});
