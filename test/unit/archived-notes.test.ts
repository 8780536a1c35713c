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
  expect(await dream()).toMatchObject({ kind: "done", report: { oldNotes: 1 } });
  expect(names(files)).toEqual(["ses_179.json", "ses_179.md", "ses_179.previous.md"]);
  expect(names(files, `${NOTES}/archive`)).toEqual(["ses_181.json", "ses_181.md", "ses_181.previous.md"]);
  expect(files.text(`${NOTES}/archive/ses_181.md`)).toBe("181 days, md");
  expect(await dream()).toMatchObject({ report: { oldNotes: 0 } });
});

it("check lists archived notes and removes them only with --fix", async () => {
  const { dream, files } = await open(200);
  await dream();
  const clock = createFakeClock(MORNING + 31 * DAY_MS);
  expect((await runStrata(files, "check", { clock })).out).toContain("archived notes of an unused session");
  expect(names(files, `${NOTES}/archive`)).toHaveLength(3);
  expect((await runStrata(files, "check --fix", { clock })).code).toBe(0);
  expect(names(files, `${NOTES}/archive`)).toEqual([]);
});
