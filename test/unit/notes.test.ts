import { describe, expect, it } from "vitest";
import { HEADINGS } from "../../src/notes/page.js";
import {
  ask,
  did,
  NOTES_FILE,
  NOTES_FOLDER,
  openNotes,
  ran,
  reply,
  STORED_FILE,
  section,
} from "../support/notes.js";

const todo = (content: string, status = "pending") => ({ content, status });
const turn = [
  ask(0, "Build the parser.\n\nNever use eval."),
  reply(
    2,
    "The parser works.",
    did(1, "edit", { filePath: "/project/src/parser.ts", newString: "export class Parser {}" }),
    ran(1, "npm test", 1, "1 failed"),
    did(2, "todowrite", { todos: [todo("write docs"), todo("lex", "completed")] }),
  ),
];
const sections = (text: string) =>
  Object.fromEntries(HEADINGS.map((heading) => [heading, `${text} ${heading}`]));

async function openTold() {
  const world = openNotes();
  await world.tell(...turn);
  return world;
}

it("the notes are a page that a person can read", async () => {
  const world = await openTold();
  expect(world.page()).toBe(`# Session notes: Build the parser.

What happened in this session, noted by opencode-strata. Change what you like: your lines stay, and what you take out does not come back.

## Current State

- Last answer (to request 1): The parser works.
- Changed for request 1: "parser.ts"; last "parser.ts: + export class Parser {}"
- [ ] write docs
- [x] lex

## Task Specification

- Request 1 (2026-11-21 09:00 UTC):
  > Build the parser.
  >
  > Never use eval.

## Files and Functions

- \`src/parser.ts\` (edited: "+ export class Parser {}"): Parser

## Workflow

- \`npm test\` → exit 1

## Errors and Corrections

- \`npm test\` → exit 1: "1 failed"

## Learnings

- Request 1: Never use eval.
`);
  expect(world.files.text(`${NOTES_FOLDER}/.gitignore`)).toBe("*\n");
});

it("a request that looks like a heading, or is very long, stays within its line and says where the rest is", async () => {
  const world = openNotes();
  await world.tell(ask(0, "# Title\n## Learnings\n```"), ask(1, `go ${"x".repeat(9_000)}`));
  expect(world.page().match(/^## /gm)).toHaveLength(6);
  expect(world.page()).toContain("  > ## Learnings");
  expect(world.page()).toContain("(5,003 more characters; as it was kept in ses_1.json)");
  expect(world.files.text(STORED_FILE)).toContain("x".repeat(9_000));
});

it("a model's last text stands before the machine's lines, without what it repeats of these, of a person's, or of itself", async () => {
  const world = await openTold();
  world.edit((page) => page.replace("## Learnings\n\n", "## Learnings\n\n- mine\n"));
  await world.notes.setSections("ses_1", sections("First"));
  await world.notes.write("ses_1");
  const before = world.page();
  const learnings = "- mine\n- Request 1: Never use eval.\n- new\n- new";
  await world.notes.setSections("ses_1", { ...sections("Second"), Learnings: learnings });
  await world.notes.write("ses_1");
  expect(world.page()).toContain("## Workflow\n\nSecond Workflow\n\n- `npm test`");
  expect(world.page()).not.toContain("First");
  expect(world.page()).toMatch(/## Learnings\n\n- mine\n- new\n\n- Request 1: Never use eval\.\n$/);
  expect(world.files.text(`${NOTES_FOLDER}/ses_1.previous.md`)).toBe(before.trimEnd().concat("\n"));
});

it("nothing is written, and facts are the same object, when nothing new is learned, also after a restart", async () => {
  const world = await openTold();
  const facts = world.notes.facts("ses_1");
  world.files.modifiedMs.clear();
  await world.tell(...turn);
  expect(world.notes.facts("ses_1")).toBe(facts);
  const again = world.restart();
  await again.tell(...turn);
  expect([...world.files.modifiedMs.keys()]).toEqual([]);
  expect(again.notes.facts("ses_1")?.calls.ended).toBe(3);
  expect(world.notes.facts("ses_2")).toBeUndefined();
  expect(await world.notes.formatForModel("ses_2", { maxCharacters: 5_000 })).toBeUndefined();
});

describe("a person's edits", () => {
  it("a person's edits stay below the line they follow while facts come and change around them", async () => {
    const world = await openTold();
    world.edit((page) =>
      page
        .replace("- `npm test` → exit 1\n", "- `npm test` → exit 1\n  (needs the database)\n")
        .replace("## Workflow", "## Mine\n\nask Ada\n\n## Workflow"),
    );
    await world.tell(reply(4, "All green.", ran(3, "npm test", 0), ran(4, "npm run lint", 0)));
    expect(world.page()).toContain(
      "## Mine\n\nask Ada\n\n## Workflow\n\n- `npm test` → exit 0\n  (needs the database)\n- `npm run lint` → exit 0\n",
    );
  });

  it("a person's edits to the machine's lines hold: removed or changed lines are not written again, nor shown to a model", async () => {
    const world = await openTold();
    world.edit((page) =>
      page.replace("- [ ] write docs\n", "").replace("Request 1: Never use eval.", "eval is fine in tests"),
    );
    const again = world.restart();
    await again.tell(ask(5, "Go on."), reply(6, "Gone on.", did(6, "read", { filePath: "src/a.ts" })));
    await again.tell(ask(7, "And on."));
    expect(section(world.page(), "Learnings")).toBe("- eval is fine in tests");
    const forModel = await again.notes.formatForModel("ses_1", { maxCharacters: 5_000 });
    expect(forModel).toContain("eval is fine in tests");
    for (const text of [world.page(), forModel]) expect(text).not.toContain("write docs");
  });

  it("a person's edits that empty or delete the file start it over", async () => {
    const world = await openTold();
    world.edit(() => "\n");
    await world.tell(ask(5, "more"));
    expect(world.page().match(/^## /gm)).toHaveLength(6);
    world.files.contents.delete(NOTES_FILE);
    await world.tell(ask(6, "and more"));
    expect(world.page()).toContain("and more");
  });
});

describe("files of a session", () => {
  it("a stored file that cannot be read is kept aside, reported once, and started over", async () => {
    const world = await openTold();
    const page = world.page();
    world.files.contents.set(STORED_FILE, Buffer.from('{"version":1,"ledger":{}}'));
    const again = world.restart();
    await again.tell(...turn);
    expect(world.files.text(`${NOTES_FOLDER}/ses_1.corrupt.json`)).toBe('{"version":1,"ledger":{}}');
    expect(again.logged).toEqual([expect.stringContaining(STORED_FILE)]);
    expect(world.page()).toBe(page);
  });

  it("a stored file of 0.1.0 is read, gains what this version adds, and a person's edits to its lines hold", async () => {
    const world = openNotes();
    await world.tell(ask(0, "Go."), reply(2, "It is set.", did(1, "edit", { filePath: "a.ts" })));
    const stored = JSON.parse(world.files.text(STORED_FILE) ?? "");
    for (const name of ["changes", "findings", "looked", "sought", "leases"]) delete stored.ledger[name];
    stored.written = { "": [], "Current State": stored.written };
    world.files.contents.set(STORED_FILE, Buffer.from(JSON.stringify(stored)));
    world.edit((page) => page.replace(/^- Last answer.*$/m, "mine"));
    const next = world.restart();
    await next.tell(ask(5, "More."), reply(7, "", did(6, "edit", { filePath: "a.ts", newString: "two" })));
    expect(section(next.page(), "Files and Functions")).toBe('- `a.ts` (edited: "+ two")');
    expect(section(next.page(), "Current State")).toMatch(/^mine\n- Changed for request 2/);
    expect(next.logged).toEqual([]);
  });

  it("notes that are not UTF-8, or a folder, are left alone and reported once; facts are still learned", async () => {
    for (const path of [NOTES_FILE, `${NOTES_FILE}/file`]) {
      const world = openNotes();
      const bytes = Uint8Array.from([0xff, 0xfe, 0x00]);
      await world.files.writeWhole(path, bytes);
      await world.tell(...turn);
      await world.tell(ask(5, "more"));
      expect([...(world.files.contents.get(path) ?? [])]).toEqual([...bytes]);
      expect(world.logged).toEqual([expect.stringContaining(`${NOTES_FILE} is left alone`)]);
      expect(await world.restart().notes.formatForModel("ses_1", { maxCharacters: 9_000 })).toContain("more");
    }
  });

  it("a session id that could name another file is refused", async () => {
    const world = openNotes();
    expect(() => world.notes.pathOf("../x")).toThrow('got "../x"');
    await world.notes.learn("../x", turn);
    await world.notes.write("../x");
    expect(world.files.contents.size).toBe(0);
    expect(world.logged).toHaveLength(1);
  });
});

describe("the next session", () => {
  it("the next session gets what the newest other one left open, if that is not too old", async () => {
    const world = await openTold();
    world.clock.advance(1_000);
    await world.notes.learn("ses_2", [ask(0, "done thing"), reply(1, "done")]);
    await world.notes.write("ses_2");
    const found = await world.notes.findUnfinished(new Set(["ses_3"]), 60_000);
    expect(found).toMatchObject({ sessionID: "ses_1", path: NOTES_FILE });
    expect(found?.text).toContain("- write docs");
    expect(found?.text).not.toContain("- lex");
    expect(await world.notes.findUnfinished(new Set(["ses_1"]), 60_000)).toBeUndefined();
    world.clock.advance(60_000);
    expect(await world.notes.findUnfinished(new Set(["ses_3"]), 60_000)).toBeUndefined();
  });
});
