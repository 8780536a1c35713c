/** The pages of the screen half, with the store, the locks and the ledger of the command line. */
import { describe, expect, it } from "vitest";
import { countColumns } from "../../src/base/columns.js";
import type { ContextItem } from "../../src/status/context-items.js";
import { createActions } from "../../src/tui/actions.js";
import type { Page } from "../../src/tui/page.js";
import { openPage, planContext, planItem } from "../../src/tui/pages.js";
import { readScreen } from "../../src/tui/screen.js";
import { candidateOf, openTestCandidates, textsOf } from "../support/candidates.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { recordOf } from "../support/own-project.js";
import { createScreenText, createScriptedHost, titlesOf } from "../support/screen.js";
import { runStrata } from "../support/shell.js";

const SCREEN = `${PROJECT}/.opencode/strata/state/screen`;

const itemOf = (parts: Partial<ContextItem> = {}): ContextItem => ({
  id: "r-3fa2b1c",
  kind: "result",
  turn: 2,
  tool: "read",
  name: "src/orders.js",
  tokens: 12_300,
  wholeTokens: 12_300,
  age: 3,
  state: "whole",
  isPinned: false,
  actions: { drop: { frees: 12_000, cacheLost: 8_100, dollars: 0.02 }, pin: { frees: 0, cacheLost: 0 } },
  ...parts,
});

const itemsText = (...items: ContextItem[]): string => {
  const head = { v: 1, session: "ses_1", time: "2026-11-22T10:00:00.000Z", tokens: 40_000, budget: 80_000 };
  return JSON.stringify({ ...head, omitted: 0, items });
};

interface Play {
  env?: Record<string, string>;
  files: MemoryFiles;
  steps: (string | boolean)[];
  words?: string;
}

/** Opens a page in this project and takes these steps; what was shown and told comes back. */
async function play(page: Page, { env = {}, files, steps, words = "" }: Play) {
  const host = createScriptedHost(steps);
  const clock = createFakeClock();
  const thrown: unknown[] = [];
  const { whileSuspended } = host;
  const given = { clock, files, home: "/home/me", env, folder: () => PROJECT, whileSuspended };
  const loadActions = async () => createActions(given);
  const shown = readScreen(createScreenText());
  const opening = { host, shown, loadActions, nowMs: () => clock.now() };
  await openPage({ page, words, complain: (one) => void thrown.push(one) }, opening);
  return { host, thrown, told: host.told };
}

const openProject = (more: Record<string, string> = {}): MemoryFiles =>
  createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x", ...more });

describe("the page of memories", () => {
  it("the page of memories shows one, pins it, archives it after a question, and undo brings it back", async () => {
    const files = openProject();
    await runStrata(files, "remember decision: we use port 8080");
    const pinned = await play("memory", { files, steps: ["Look at", "we use port 8080", "Pin", "Back"] });
    expect(pinned.told).toContainEqual(expect.stringMatching(/^success Pinned: /));
    expect((await runStrata(files, "show 8080 --json")).out).toContain('"pinned": true');

    const kept = await play("memories", { files, steps: ["we use port 8080", "Archive", false] });
    expect(kept.told.at(-1)).toMatch(/^select /);
    expect((await runStrata(files, "list")).out).toContain("port-8080");

    const gone = await play("memories", { files, steps: ["we use port 8080", "Archive", true] });
    expect(gone.told.at(-1)).toBe("select Nothing is remembered yet");
    expect((await runStrata(files, "list")).out).toBe("No memories.");

    const undone = await play("undo", { files, steps: [true] });
    expect(undone.told.at(-1)).toMatch(/^alert Taken back: Taken back: archive of /);
    expect((await runStrata(files, "list")).out).toContain("port-8080");
    expect((await runStrata(files, "memory history 8080 --json")).out).toContain('"instance": "screen"');
  });

  it("the page of memories edits one in the user's editor, and names what went wrong", async () => {
    const files = openProject();
    await runStrata(files, "remember decision: we use port 8080");
    const steps = ["we use port 8080", "Edit"];
    const edited = await play("memories", { files, steps: [...steps], env: { EDITOR: "true" } });
    expect(edited.told).toContainEqual(expect.stringMatching(/^success Unchanged: decision\//));
    const failed = await play("memories", { files, steps: [...steps], env: { EDITOR: "false" } });
    expect(failed.told.at(-1)).toMatch(/^alert Strata: \/memories: false exited with 1; set EDITOR/);
    expect(failed.thrown).toEqual([]);
  });
});

describe("the page of what waits", () => {
  it("the page of what waits settles a conflict in one choice, says what was done, and is empty then", async () => {
    const files = openProject();
    await runStrata(files, "remember --type decision --title Harbour ships land at pier four");
    await runStrata(files, "remember --type decision --title Harbour cranes belong to the city");
    const steps = ["Settle what waits", "two versions of", "Keep decision/harbour"];
    const { told } = await play("memory", { files, steps });
    expect(told).toContainEqual(expect.stringMatching(/^success Decided: Harbour/));
    expect(told.at(-1)).toMatch(/^alert Nothing waits for you/);
    expect((await runStrata(files, "todo")).out).toBe("Nothing waits for you.");
  });
});

describe("the page of candidates", () => {
  it("the page of candidates keeps one and drops one, as the command line does", async () => {
    const files = openProject();
    const candidates = openTestCandidates({ files });
    await candidates.offer([
      candidateOf("The queue is Redis.", { message: "m1" }),
      candidateOf("Reports are in S3.", { message: "m2" }),
    ]);
    const { told } = await play("keep", { files, steps: ["The queue", "Keep", "Reports", "Drop"] });
    expect(told).toContainEqual(expect.stringMatching(/^success Remembered: .*Redis/));
    expect(told.at(-1)).toBe("alert Candidates: No sentence is waiting.");
    expect(textsOf(await candidates.list())).toEqual([]);
    expect((await runStrata(files, "list")).out).toContain("Redis");
  });
});

describe("the page of what was found", () => {
  it("the page of what was found asks for words, shows hits to pick from, and opens a memory", async () => {
    const files = openProject();
    await runStrata(files, "remember decision: we use port 8080");
    const asked = await play("recall", { files, steps: ["which port", "we use port"] });
    expect(asked.told).toEqual([
      "prompt Search memories and conversations",
      'select "which port": 1 found',
      "select we use port 8080",
    ]);
    const none = await play("recall", { files, steps: [], words: "zebra" });
    expect(none.told).toEqual(['alert Nothing found for "zebra": Try other words.']);
  });
});

describe("the page of notes", () => {
  it("the page of notes shows them, opens the user's editor if one is set, and says where they are if not", async () => {
    const path = `${PROJECT}/.opencode/session-memory/ses_1.md`;
    const files = openProject({ [path]: "# Notes\n\n- we use port 8080\n" });
    const edited = await play("notes", { files, steps: ["Open in true"], env: { EDITOR: "true" } });
    expect(edited.told.at(-1)).toBe("success Closed ses_1.md");
    const { host } = await play("notes", { files, steps: [] });
    expect(titlesOf(host.pages[0]?.options ?? [])).toEqual([
      "Set EDITOR to open them here",
      "# Notes",
      "- we use port 8080",
    ]);
    expect((await play("notes", { files: openProject(), steps: [] })).told[0]).toMatch(/^alert Notes: /);
  });
});

describe("the page of /context", () => {
  it("the page of /context asks with cost and gain, and then appends one request for the server half", async () => {
    const files = openProject({ [`${SCREEN}/ses_1.context.json`]: itemsText(itemOf()) });
    const { host, told } = await play("context", {
      files,
      steps: ["read src/orders.js", "Drop", false, "Drop", true],
    });
    expect(told.slice(0, 2)).toEqual([
      "select Context: 40K of 80K tokens (50 %)",
      "select read src/orders.js",
    ]);
    const again = host.pages.at(-1);
    expect(again?.options[0]?.description).toBe("drop asked for, turn 2");
    expect(told[4]).toMatch(/^confirm Drop\? .*12,000 tokens fewer.*8,100 cached tokens/);
    const { contextRequests } = await recordOf(files);
    const lines = files.text(contextRequests)?.trim().split("\n") ?? [];
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ session: "ses_1", action: "drop", item: "r-3fa2b1c" }),
    ]);
  });

  it("the page of /context says that nothing is known where its file is missing, damaged or of another shape", async () => {
    for (const text of [undefined, "{", "5", '{"v":1,"items":7}']) {
      const files = openProject(text === undefined ? {} : { [`${SCREEN}/ses_1.context.json`]: text });
      const { thrown, told } = await play("context", { files, steps: [] });
      expect([thrown, told]).toEqual([[], [expect.stringMatching(/^alert Context: /)]]);
    }
  });

  it("the page of an item offers what is possible with its price, and says why the rest is not", async () => {
    const { options } = planItem(itemOf({ not: { expand: "it is whole" }, superseded: "read again later" }));
    expect(titlesOf(options)).toEqual([
      "Drop …",
      "Pin …",
      "Back to the list",
      "turn 2, 3 answers ago, whole",
      "12.3K tokens as sent now, 12.3K whole",
      "read again later",
      "Expand: not possible, it is whole",
    ]);
    expect(options[0]?.description).toBe("frees 12K, loses 8.1K of cache ($0.02)");
    expect(options[1]?.description).toBe("loses no cache");
  });

  it("the rows of /context keep to the host's columns, with long and wide names", () => {
    const items = ["x".repeat(300), "漢字".repeat(100), ""].map((name, n) => itemOf({ name, id: `r-${n}` }));
    const page = planContext({
      ...{ v: 1, session: "s", time: "", tokens: 1, budget: 0, omitted: 4 },
      items,
    });
    expect(page.options.filter(({ title }) => countColumns(title) > 61)).toEqual([]);
    expect(page.title).toContain("4 smaller ones left out");
  });
});
