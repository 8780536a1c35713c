import { expect, it } from "vitest";
import type { Memory } from "../../src/memory/memory.js";
import { parseMemoryFile } from "../../src/memory/memory-file.js";
import { effectiveImportance, rankMemories, type Use } from "../../src/memory/rank.js";
import { formatIndex } from "../../src/memory/store/index-page.js";
import { MORNING } from "../support/fake-clock.js";
import { BY_TEST, draft, idOf, MEMORY, openMemoryWorld } from "../support/memory-world.js";
import { fc } from "../support/property.js";

const WEEK = 7 * 86_400_000;

function memory(name: string, given: Partial<Memory> = {}): Memory {
  const { type = "knowledge" } = given;
  const place = { scope: "project", sensitivity: "internal", type, name, isArchived: false } as const;
  const reading = parseMemoryFile(Buffer.from(`About ${name}.`), { ...place, modifiedMs: MORNING });
  if (reading.kind === "problem") throw new Error(reading.what);
  return { ...reading.memory, ...given };
}

const rank = (
  memories: Memory[],
  useOf: (id: string) => Use | undefined = () => undefined,
  nowMs = MORNING,
) => rankMemories(memories, useOf, nowMs);

const order = (memories: Memory[], useOf?: (id: string) => Use | undefined, nowMs?: number) =>
  rank(memories, useOf, nowMs).flatMap((part) => part.memories.map(({ id }) => id));

it("what a memory weighs grows by 0.02 with each use and falls by 0.01 with each week without one", () => {
  const one = memory("x", { importance: 0.5 });
  expect(effectiveImportance(one, undefined, MORNING)).toBeCloseTo(0.5);
  expect(effectiveImportance(one, { count: 3, lastMs: MORNING }, MORNING)).toBeCloseTo(0.56);
  expect(effectiveImportance(one, undefined, MORNING + 4 * WEEK + 1)).toBeCloseTo(0.46);
  expect(effectiveImportance(one, { count: 1, lastMs: MORNING + 3 * WEEK }, MORNING + 4 * WEEK)).toBeCloseTo(
    0.51,
  );
});

it("what a memory weighs does not fade for decisions, procedures (lessons), feedback and directives, nor because a clock was set back", () => {
  for (const type of ["decision", "procedure", "feedback", "directive"] as const)
    expect(effectiveImportance(memory("x", { type }), undefined, MORNING + 500 * WEEK)).toBeCloseTo(0.5);
  expect(effectiveImportance(memory("x"), undefined, MORNING - 500 * WEEK)).toBeCloseTo(0.5);
});

it("the index lists pinned memories first, then directives, open blockers, and the rest by weight, each once", () => {
  const memories = [
    memory("light", { importance: 0.1 }),
    memory("heavy", { importance: 0.9 }),
    memory("used", { importance: 0.5 }),
    memory("done", { type: "blocker", status: "resolved", importance: 0.2 }),
    memory("open", { type: "blocker", importance: 0.1 }),
    memory("rule", { type: "directive", importance: 0.1 }),
    memory("pin", { pinned: true, importance: 0 }),
  ];
  const useOf = (id: string) => (id === "knowledge/used" ? { count: 30, lastMs: MORNING } : undefined);
  expect(order(memories, useOf)).toEqual([
    "knowledge/pin",
    "directive/rule",
    "blocker/open",
    "knowledge/used",
    "knowledge/heavy",
    "blocker/done",
    "knowledge/light",
  ]);
  expect(order([...memories].reverse(), useOf)).toEqual(order(memories, useOf));
});

it("the index stays within its limits of lines and bytes, is cut at a line, and says how many memories it omits", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.integer({ min: 10, max: 250 }),
      fc.integer({ min: 1_000, max: 30_000 }),
      (count, text, maxLines, maxSize) => {
        const memories = Array.from({ length: count }, (_, n) =>
          memory(`m${n}`, {
            title: `${n} ${text.slice(0, 50)}`.replace(/\s+/g, " ").trim(),
            content: text,
          }),
        );
        const page = formatIndex(rank(memories), { maxLines, maxSize });
        expect(page.split("\n").length - 1).toBeLessThanOrEqual(maxLines);
        expect(Buffer.byteLength(page)).toBeLessThanOrEqual(maxSize);
        expect(page).not.toContain("\uFFFD");
        const shown = page.split("\n").filter((line) => line.startsWith("- [")).length;
        const leftOut = Number(/^([\d,]+) memor(y|ies) more/m.exec(page)?.[1]?.replace(",", "") ?? 0);
        expect(shown + leftOut).toBe(count);
      },
    ),
    { numRuns: 60 },
  );
});

it("the index follows the files across instances, and is written only if it differs", async () => {
  const world = openMemoryWorld();
  const id = idOf(await world.store.remember(draft("one", { title: "First" }), BY_TEST));
  await world.store.onIdle();
  const path = `${MEMORY}/MEMORY.md`;
  expect(world.files.text(path)).toContain("[First](decision/first.md)");
  const other = world.reopen({ instance: "b" });
  await other.store.update(id, (one) => ({ ...one, title: "Second" }), BY_TEST);
  // The index is written a moment after a change, even if no caller waits for it.
  other.clock.advance(1_000);
  await expect.poll(() => world.files.text(path)).toContain("[Second](decision/first.md)");
  const written = world.files.contents.get(path);
  await world.store.list();
  await world.store.onIdle();
  expect(world.files.contents.get(path)).toBe(written);
  await world.store.archive(id, BY_TEST);
  await world.store.onIdle();
  expect(world.files.text(path)).toContain("0 memories");
});

it("the index that a killed instance left unwritten is written by the next one", async () => {
  const world = openMemoryWorld();
  await world.store.remember(draft("one", { title: "First" }), BY_TEST);
  expect(world.files.text(`${MEMORY}/MEMORY.md`)).toBeUndefined();
  const next = world.reopen({ instance: "b" });
  await next.store.list();
  await next.store.onIdle();
  expect(world.files.text(`${MEMORY}/MEMORY.md`)).toContain("First");
});

it("an index that could not be written is written at the next chance, without another change", async () => {
  const world = openMemoryWorld();
  const path = `${MEMORY}/MEMORY.md`;
  world.files.held.set(path, true);
  await world.store.remember(draft("one", { title: "First" }), BY_TEST);
  await world.store.onIdle();
  expect(world.files.text(path)).toBeUndefined();
  world.files.held.delete(path);
  await world.store.onIdle();
  expect(world.files.text(path)).toContain("First");
});
