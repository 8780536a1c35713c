/** Costs of many memories, counted instead of timed: twice as many may cost at most twice as much. */
import { describe, expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { PROJECT } from "../support/fake-host.js";
import { formatOwnExport } from "../support/many-memories.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";

const FEW = 40;
const MANY = 120;
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
  it("of import, check, bootstrap, archive and undo are no more for 120 memories than for 40", async () => {
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
});

const open = (more: Record<string, string>): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", ...more });

async function countAll(count: number): Promise<Record<string, number>> {
  const files = open({ "/own.jsonl": formatOwnExport(count) });
  const counts: Record<string, number> = {};
  for (const [name, line] of Object.entries(commands)) counts[name] = await countOperations(files, line);
  return counts;
}

async function countOperations(files: MemoryFiles, line: string): Promise<number> {
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
  const { code } = await runStrata(counting, line);
  expect([line, code <= 1]).toEqual([line, true]);
  return operations;
}

const atMost = (most: number) => ({
  asymmetricMatch: (value: number) => value <= most,
  toString: () => `at most ${most}`,
});
