/** What the user takes back in the real OpenCode: by undoing a turn and going on in another way. */

import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { only1 } from "./only-1.js";
import { explainBreaks, readRecords } from "./stage/break-reasons.js";
import { whenContains, whenFits } from "./stage/files.js";
import { isSummarizing, type ModelRequest } from "./stage/model-request.js";
import { findBreaks } from "./stage/prefix-breaks.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

const UNDONE =
  "Never use Postgres for the importer. Delete the module src/payments and everything that uses it.";
const RULE = ".opencode/memory/directive/never-use-postgres-importer.md";
const ls = (command = "ls") => call("bash", { command, description: "x" });
const blob = () => call("mcp_blob", { bytes: 28_000 });
const saysUndone = ({ messages }: ModelRequest): boolean =>
  /Never use Postgres|Delete the module/.test(JSON.stringify(messages));

const listFiles = (stage: Stage, folder: string): string[] =>
  readdirSync(stage.project.file(folder), { recursive: true, encoding: "utf8" });
const ARCHIVED = RULE.replace("/memory/", "/memory/archive/");
/** What is done behind a turn takes its time on a busy machine. */
const WAIT_MS = 90_000;
const whenKept = (stage: Stage) => whenContains(stage.project.file(RULE), "Never use Postgres", WAIT_MS);
/** What the notes say now: beside it they have what they said before. */
const whenNoted = (stage: Stage, session: Session, isThere: boolean) =>
  whenFits(
    stage.project.file(notesOf(session)),
    (text) => JSON.stringify(JSON.parse(text).ledger).includes("Delete the module") === isThere,
    isThere ? "what was undone" : "a ledger without what was undone",
    WAIT_MS,
  );

/** There is no index where no memory was left when the first one was to be written. */
async function whenIndexIsWithout(stage: Stage, words: string): Promise<void> {
  const path = stage.project.file(".opencode/memory/MEMORY.md");
  if (existsSync(path)) await whenFits(path, (text) => !text.includes(words), `all but ${words}`, WAIT_MS);
}

/** Undoes all from this message of the user's on, as /undo does. */
async function undo(session: Session, nth: number): Promise<void> {
  const asked = (await session.messages()).filter(({ info }) => info.role === "user");
  await session.revert(asked[nth]?.info.id);
}

const redo = (session: Session) => session.unrevert();

const notesOf = ({ id }: Session) => `.opencode/session-memory/${id}.json`;

/** A session in which the user asked for something, and it was noted. */
async function ask(stage: Stage): Promise<Session> {
  const session = await stage.newSession("t");
  await session.ask("Look at the importer.");
  await session.ask(UNDONE);
  await whenContains(stage.project.file(notesOf(session)), "Delete the module", WAIT_MS);
  await whenKept(stage);
  return session;
}

function breaksOf(stage: Stage) {
  return explainBreaks(findBreaks(stage.model.requests), readRecords(stage.project.file(".opencode/strata")));
}

test("what was undone before notes took the place of history is not in them, nor in the notes for people", async () => {
  const options = { autoCompact: { threshold: 30_000 } };
  await using stage = await openStage({ mcp: true, config: { snapshot: true }, options });
  const talk = [blob(), say("one"), blob(), say("I am about to delete it"), blob(), blob(), say("three")];
  stage.model.script(
    ...talk,
    blob(),
    blob(),
    blob(),
    say("four"),
    blob(),
    blob(),
    blob(),
    say("five"),
    say("six"),
  );
  const session = await ask(stage);
  const before = stage.model.requests.length;
  await undo(session, 1);
  await session.ask("Rename the module src/payments to src/billing.");
  await session.ask("Look at the tests.");
  await session.ask("What is left to do?");
  await session.ask("Go on.");
  const later = stage.model.requests.slice(before);
  expect(later.some(({ messages }) => JSON.stringify(messages).includes("[Strata] The session so far"))).toBe(
    true,
  );
  expect(later.filter(saysUndone)).toEqual([]);
  await whenNoted(stage, session, false);
  expect(stage.read(`.opencode/session-memory/${session.id}.md`)).not.toContain("Delete the module");
});

only1("the notes are the summary: no model is asked")(
  "what was undone before the host summarised is not asked for in the summary, nor appended to it, nor handed on",
  async () => {
    await using stage = await openStage({ config: { snapshot: true } });
    const summary = `## Goal\nRename src/payments to src/billing.\n\n${"The module is being renamed, tests follow. ".repeat(12)}`;
    stage.model.respond((request) => (isSummarizing(request) ? say(summary) : undefined));
    stage.model.script(ls(), say("one"), ls("ls -a"), say("two"));
    const session = await ask(stage);
    await undo(session, 1);
    const before = stage.model.requests.length;
    await session.ask("Rename the module src/payments to src/billing.");
    await session.summarize();
    await session.ask("Go on.");
    expect(stage.model.requests.slice(before).some(isSummarizing)).toBe(true);
    expect(JSON.stringify(stage.model.lastRequest().messages)).toContain("Rename src/payments");
    await (await stage.newSession("t2")).ask("Good morning.");
    expect(stage.model.requests.slice(before).filter(saysUndone)).toEqual([]);
  },
);

test("a rule that was undone is put away with a line in the ledger, and no session says it any more, one that was told of it neither", async () => {
  await using stage = await openStage({ config: { snapshot: true } });
  stage.model.script(ls(), say("one"), ls("ls -a"), say("two"));
  const session = await ask(stage);
  const told = await stage.newSession("told");
  await told.ask("Good morning.");
  expect(saysUndone(stage.model.lastRequest())).toBe(true);
  const before = stage.model.requests.length;
  await undo(session, 1);
  await (await stage.newSession("next")).ask("Good morning.");
  expect(stage.read(ARCHIVED)).toContain("Never use Postgres");
  const [ledger = ""] = listFiles(stage, ".opencode/memory/ledger");
  expect(stage.read(`.opencode/memory/ledger/${ledger}`)).toContain("the user took the message back");
  await told.ask("And now?");
  await whenIndexIsWithout(stage, "Postgres");
  await session.ask("Rename it instead.");
  expect(stage.model.requests.slice(before).filter(saysUndone)).toEqual([]);
  const mine = breaksOf(stage).filter(({ later }) => later.sessionID === told.id);
  expect(mine).toHaveLength(1);
  expect(mine[0]?.reason).toContain("the user took a message back");
  await told.ask("Thanks.");
  expect(breaksOf(stage).filter(({ later }) => later.sessionID === told.id)).toHaveLength(1);
});

test("what is done again after it was undone is there again: the notes, the rule and the handoff", async () => {
  await using stage = await openStage({ config: { snapshot: true } });
  stage.model.script(ls(), say("one"), ls("ls -a"), say("Half is done.\n\nNext: the other half."));
  const session = await ask(stage);
  await undo(session, 1);
  await (await stage.newSession("between")).ask("Good morning.");
  expect(saysUndone(stage.model.lastRequest())).toBe(false);
  await redo(session);
  await (await stage.newSession("next")).ask("Good morning.");
  const text = stage.model.lastRequest().textOf("user");
  expect(text).toContain("Rules of the user's, which still hold:");
  expect(text).toMatch(/\[directive\/never-use-postgres[^\n]*Never use Postgres/);
  expect(text).toContain("Delete the module");
});
