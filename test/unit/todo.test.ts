/** What waits for a person is one list, and the command that an entry names settles it. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../src/base/days.js";
import { formatContentID } from "../../src/context/result-files.js";
import type { Todo } from "../../src/status/todo.js";
import { candidateOf, openTestCandidates } from "../support/candidates.js";
import { createFakeClock, type FakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import type { MemoryFiles } from "../support/memory-files.js";
import { runStrata } from "../support/shell.js";
import { openRepository } from "../support/sound-project.js";

const OPENCODE = `${PROJECT}/.opencode`;
const MEMORY = `${OPENCODE}/memory`;

interface Shell {
  clock: FakeClock;
  files: MemoryFiles;
  run(line: string): Promise<string>;
  todo(): Promise<Todo[]>;
}

function open(): Shell {
  const clock = createFakeClock();
  const files = openRepository({}, clock.now);
  const run = async (line: string): Promise<string> => {
    clock.advance(1_000);
    const { code, err, out } = await runStrata(files, line, { clock });
    if (code > 1) throw new Error(`${line}: ${err}`);
    return out;
  };
  return { clock, files, run, todo: async () => JSON.parse(await run("todo --json")).todos };
}

const remember = (title: string, words: string): string =>
  `remember --type knowledge --title ${title} ${words}`;

/** Each plants one thing that only a person can settle. */
const planted: Record<string, (shell: Shell) => Promise<void>> = {
  async conflict({ run }) {
    await run(remember("Harbour", "ships land at pier four"));
    await run(remember("Harbour", "cranes belong to the city"));
  },
  async "conflict that a dream finds"({ files, run }) {
    await run(remember("Port", "it listens on port 8080"));
    const text = files.text(`${MEMORY}/knowledge/port.md`) ?? "";
    await files.writeWhole(`${MEMORY}/knowledge/port-2.md`, text.replace("8080", "9090"));
    await run("dream");
  },
  async "memory about a file that is gone"({ run }) {
    await run(remember("Rules", "the rules are in src/rules/gone.ts"));
    await run("dream");
  },
  async "sentence that no judge keeps"({ clock, files }) {
    const candidate = candidateOf("Reports are in S3.", { saidMs: clock.now() });
    const said = candidate.said.map((saying) => ({ ...saying, isHandedOver: true as const }));
    await openTestCandidates({ clock, files }).offer([{ ...candidate, said }]);
  },
};

describe("strata todo", () => {
  it.each(Object.entries(planted))("a %s is listed once, and its command settles it", async (_, plant) => {
    const shell = open();
    await shell.run(remember("Other", "nothing is wrong with this"));
    expect(await shell.todo()).toEqual([]);
    await plant(shell);
    const [todo, ...others] = await shell.todo();
    expect(others).toEqual([]);
    expect(await shell.run("todo")).toContain(todo?.what);
    const { command = "" } = todo?.ways[0] ?? {};
    await shell.run(command.replace(/^strata /, ""));
    expect(await shell.todo(), command).toEqual([]);
  });

  it("everything that is planted at once is in the list, each thing once, and goes one by one in any of its ways", async () => {
    const shell = open();
    for (const plant of Object.values(planted)) await plant(shell);
    await shell.run("dream");
    const all = await shell.todo();
    expect(new Set(all.map(({ id }) => id)).size).toBe(Object.keys(planted).length);
    for (const [n, { id, ways }] of all.entries()) {
      const way = ways.filter(({ command }) => !command.includes("edit")).at(-1);
      await shell.run(way?.command.replace(/^strata /, "") ?? "");
      const left = await shell.todo();
      expect(left.map((one) => one.id)).not.toContain(id);
      expect(left).toHaveLength(all.length - n - 1);
    }
  });

  it("a damaged file is listed with the command that opens it until it can be read, and then waits for a yes", async () => {
    const { files, run, todo } = open();
    const path = `${MEMORY}/knowledge/broken.md`;
    await files.writeWhole(path, "---\ntitle: [\n---\nx\n");
    expect(await todo()).toMatchObject([
      {
        kind: "damaged",
        ways: [
          { command: "strata memory edit .opencode/memory/knowledge/broken.md" },
          { command: `rm -r ${path.slice(PROJECT.length + 1)}` },
        ],
      },
    ]);
    await files.writeWhole(path, "It works again.\n");
    expect(await todo()).toMatchObject([{ kind: "trust", ways: [{ command: "strata trust --yes" }] }]);
    await run("trust --yes");
    expect(await todo()).toEqual([]);
  });
});

describe("what a dream puts away", () => {
  const RESULT = `${OPENCODE}/tool-results/${formatContentID(Buffer.from("old"))}.txt`;

  it("a dream puts away what no session needs, says so in one line, and one undo brings it back though no memory has changed", async () => {
    const { clock, files, run } = open();
    await run(remember("Later", "this changes before the dream"));
    await files.writeWhole(RESULT, "old");
    clock.advance(31 * DAY_MS);
    expect(await run("dream")).toContain("\n1 file put away; strata undo reverts it.");
    expect(files.text(RESULT)).toBeUndefined();
    expect(await run("undo")).toContain(".opencode/tool-results/");
    expect(files.text(RESULT)).toBe("old");
    // It was asked for, and stays.
    expect(await run("dream")).toBe("Nothing to change.");
    expect(await run("undo")).toContain("remember of");
  });

  it("an undo of what came after a dream leaves the dream alone, and moves nothing onto another file", async () => {
    const { clock, files, run } = open();
    await files.writeWhole(RESULT, "old");
    clock.advance(31 * DAY_MS);
    await run("dream");
    await run(remember("Later", "this came after the dream"));
    await files.writeWhole(RESULT, "new");
    expect(await run("undo")).toContain("remember of");
    expect(await run("undo")).toContain("another file has its name now");
    expect(files.text(RESULT)).toBe("new");
  });

  it("a state file that names other places moves nothing there", async () => {
    const { files, run } = open();
    const move = {
      run: "1",
      at: "2026-11-21T09:00:00Z",
      from: ".opencode/session-memory/../../x",
      to: ".opencode/strata/removed/x",
    };
    await files.writeWhole(`${OPENCODE}/strata/removed/x`, "x");
    await files.writeWhole(`${OPENCODE}/strata/state/dream.json`, JSON.stringify({ v: 1, moved: [move] }));
    expect(await run("undo")).toContain("nothing to undo");
    expect(files.text(`${PROJECT}/x`)).toBeUndefined();
  });
});
