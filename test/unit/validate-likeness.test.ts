/** `strata validate` on memories that are alike. */
import { expect, it } from "vitest";
import { findNearPairs } from "../../src/cli/upkeep/near-pairs.js";
import { PROJECT } from "../support/fake-host.js";
import { memoryOf } from "../support/memory.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { different } from "../support/pairs-of-memories.js";
import { runStrata } from "../support/shell.js";

const FOLDER = `${PROJECT}/.opencode/memory`;
const day = (n: number): string => `2026-11-${String(10 + n).padStart(2, "0")}T09:00:00.000Z`;

async function open(contents: readonly string[], type = "decision"): Promise<MemoryFiles> {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
  for (const [n, content] of contents.entries())
    await files.writeWhole(
      `${FOLDER}/${type}/m${n}.md`,
      `---\ncreated: ${day(n)}\nupdated: ${day(n)}\nsource:\n  by: user\n---\n${content}\n`,
    );
  await runStrata(files, "list");
  return files;
}
async function validate(files: MemoryFiles): Promise<{ file: string; level: string; what: string }[]> {
  return JSON.parse((await runStrata(files, "validate --json")).out).flaws;
}

it("validate names decisions that contradict each other, whatever wrote them", async () => {
  const files = await open(["The server listens on port 8080.", "The server listens on port 9090."]);
  expect(await validate(files)).toMatchObject([
    { level: "warning", file: `${FOLDER}/decision/m1.md`, what: "it contradicts decision/m0" },
  ]);
  expect((await runStrata(files, "validate")).code).toBe(0);
  expect((await runStrata(files, "validate --strict")).code).toBe(1);
});

it("validate names memories that say the same as a note", async () => {
  const files = await open(["The DB is Postgres.", "the database is postgres"], "knowledge");
  expect(await validate(files)).toMatchObject([{ level: "note", what: "it says the same as knowledge/m1" }]);
});

it("validate does not report texts that only look alike", async () => {
  for (const texts of different.slice(0, 20))
    expect((await validate(await open(texts, "knowledge"))).filter(({ level }) => level === "note")).toEqual(
      [],
    );
});

it("near pairs of 10,000 memories are found without comparing every pair", () => {
  const memories = Array.from({ length: 10_000 }, (_, n) =>
    memoryOf({ id: `knowledge/n${n}`, content: `Service s${n} of the shop listens on port ${10_000 + n}.` }),
  );
  memories.push(memoryOf({ id: "knowledge/twin", content: "Service s17 of the shop listens on port 9." }));
  const pairs = findNearPairs(memories);
  expect(pairs.map(([one, other]) => [one.id, other.id])).toContainEqual(["knowledge/n17", "knowledge/twin"]);
  expect(pairs.length).toBeLessThan(20_000);
});
