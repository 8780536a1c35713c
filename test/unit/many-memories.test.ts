/** Commands that change many memories at once: by type, age and words. */
import { expect, it } from "vitest";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const FOLDER = `${PROJECT}/.opencode/memory`;

async function open(...lines: string[]): Promise<MemoryFiles> {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  for (const line of lines) expect((await runStrata(files, `remember ${line}`)).code).toBe(0);
  return files;
}
const openThree = () =>
  open(
    "--type idea cache the pages",
    "--type idea --pin draw the graph",
    "--type knowledge pages are cached",
  );
const listed = (files: MemoryFiles): string[] =>
  [...files.contents.keys()]
    .filter(
      (path) =>
        !path.endsWith("MEMORY.md") && /memory\/(private\/)?(archive\/)?[a-z]+\/[^/]+\.md$/.test(path),
    )
    .map((path) => path.slice(FOLDER.length + 1))
    .sort();

it("archive --type moves all of a type except pinned ones, in one step that one undo reverts", async () => {
  const files = await openThree();
  const before = listed(files);
  const { code, err, out } = await runStrata(files, "memory archive --type idea --reason old");
  expect([code, err]).toEqual([0, "Skipped  1 memory: pinned"]);
  expect(out).toMatch(/^Archived 1 memory; strata undo --run \w+ brings them back\.$/m);
  expect(listed(files)).toEqual([
    "archive/idea/cache-the-pages.md",
    "idea/draw-the-graph.md",
    "knowledge/pages-are-cached.md",
  ]);
  expect((await runStrata(files, "memory history cache-the-pages")).out).toContain(", old)");
  expect((await runStrata(files, "undo")).code).toBe(0);
  expect(listed(files)).toEqual(before);
});

it("archive --match finds words in the text, the title or the tags, and --dry-run changes nothing", async () => {
  const files = await openThree();
  const before = new Map(files.contents);
  const { code, out } = await runStrata(files, "memory archive --match PAGES --dry-run");
  expect(code).toBe(0);
  expect(out).toContain("Would archive 2 memories. Nothing was changed");
  expect([...files.contents.keys()].filter((path) => path.endsWith(".md")).sort()).toEqual(
    [...before.keys()].filter((path) => path.endsWith(".md")).sort(),
  );
  expect((await runStrata(files, "memory archive --match nothing-like-it")).out).toBe("No memory matches.");
});

it.each([
  "archive",
  "archive 8080 --type idea",
  "archive --older-than soon",
  "archive --type none",
  "publish",
])("strata %s exits with 2", async (line) => {
  expect((await runStrata(await open(), line)).code).toBe(2);
});
