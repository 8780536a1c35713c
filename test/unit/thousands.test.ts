/** Costs of many memories, counted instead of timed: twice as many may cost at most twice as much. */
import { describe, expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { planMemory } from "../../src/memory/draft.js";
import { createRelated } from "../../src/memory/gate/related.js";
import type { Memory } from "../../src/memory/memory.js";
import { readTitle } from "../../src/memory/memory-file.js";
import { PROJECT } from "../support/fake-host.js";
import { formatOthersExport, formatOwnExport, formatPage, planOneOfMany } from "../support/many-memories.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { draft } from "../support/memory-world.js";
import { runStrata } from "../support/shell.js";

const FEW = 150;
const MANY = 600;
/** A command's fixed costs weigh more on few memories, so the measured ratio is below 1. */
const MOST_GROWTH = 1.1;

const commands = {
  ownImport: "import /own.jsonl",
  check: "check",
  bootstrap: "bootstrap --dry-run",
  archive: "archive --older-than 1",
  undo: "undo",
};

describe("file operations a memory", () => {
  it("of import, check, bootstrap, archive and undo are no more for 600 memories than for 150", async () => {
    const [few, many] = [await countAll(FEW), await countAll(MANY)];
    for (const name of Object.keys(commands))
      expect([name, (many[name] ?? 0) / MANY / ((few[name] ?? 1) / FEW)]).toEqual([
        name,
        atMost(MOST_GROWTH),
      ]);
    expect((many.ownImport ?? 0) / MANY).toBeLessThan(40);
    expect((many.archive ?? 0) / MANY).toBeLessThan(40);
    expect((many.undo ?? 0) / MANY).toBeLessThan(50);
  });

  it.each([
    ["import of another tool's memories", "/others.json", "import /others.json"],
    ["ingest", "/page.md", "ingest /page.md"],
  ])("of %s are no more for 600 memories than for 150", async (_name, path, line) => {
    const write = path.endsWith(".md") ? formatPage : formatOthersExport;
    const [few = 0, many = 0] = await Promise.all(
      [FEW, MANY].map(async (count) => {
        const files = open({ [path]: write(count) });
        return countOperations(files, line, `Imported: ${count} memories`);
      }),
    );
    expect(many / MANY / (few / FEW)).toBeLessThan(MOST_GROWTH);
  });
});

describe("comparisons a memory", () => {
  it("of an import through the gate do not grow with the number of memories", () => {
    const [few, many] = [compareAll(FEW), compareAll(20 * FEW)];
    expect(many).toBeLessThan(10);
    expect(many).toBeLessThan(1.5 * few);
  });
});

/** Number of memories examined for each of this many that arrive one after the other. */
function compareAll(count: number): number {
  const related = createRelated();
  for (let n = 0; n < count; n++) {
    const { text, title, type } = planOneOfMany(n);
    const incoming = draft(text, { title, type });
    expect(related.find(incoming)).toEqual([]);
    const memory: Memory = planMemory(incoming, readTitle, 0);
    related.set({ ...memory, id: `${type}/memory-${n}` });
  }
  return related.looked / count;
}

const open = (more: Record<string, string>): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", ...more });

async function countAll(count: number): Promise<Record<string, number>> {
  const files = open({ "/own.jsonl": formatOwnExport(count) });
  const counts: Record<string, number> = {};
  for (const [name, line] of Object.entries(commands)) counts[name] = await countOperations(files, line);
  return counts;
}

async function countOperations(files: MemoryFiles, line: string, said = ""): Promise<number> {
  let operations = 0;
  const counting: Files = new Proxy(files, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]) => {
        operations++;
        return own.apply(target, given);
      };
    },
  });
  const { code, out } = await runStrata(counting, line);
  expect([line, code <= 1, out]).toEqual([line, true, expect.stringContaining(said)]);
  return operations;
}

const atMost = (most: number) => ({
  asymmetricMatch: (value: number) => value <= most,
  toString: () => `at most ${most}`,
});
