/**
 * The running agent judges in the real OpenCode: it is asked at the end of the context without a request more, and keeps by
 * letter what the user said in passing.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CORES, INVOICES, LEDGER, PLAYERS } from "../support/said-in-passing.js";
import { locateCandidates } from "./stage/candidates.js";
import { whenContains, whenFits } from "./stage/files.js";
import { firstDifference } from "./stage/model-request.js";
import { findBreaks } from "./stage/prefix-breaks.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, calls, say } from "./stage/steps.js";

const HEAD = "[Strata] Worth knowing in later sessions?";

/** How often the last request has a question. */
const countQuestions = ({ model }: Stage): number =>
  JSON.stringify(model.lastRequest().messages).split(HEAD).length - 1;

function readMemories({ project }: Stage): string[] {
  const folder = project.file(".opencode/memory/knowledge");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => readFileSync(join(folder, name), "utf8"));
}

test("what the user said in passing is asked about once, with the same bytes ever after, and kept by letter, also after a restart", async () => {
  await using stage = await openStage();
  stage.model.respond(({ messages }) => (messages.length > 0 ? say("Understood.") : undefined));
  const session = await stage.newSession("club");
  const file = await locateCandidates(stage);
  await session.ask(PLAYERS);
  await whenContains(file, CORES.players);
  expect(countQuestions(stage)).toBe(0);
  await session.ask(INVOICES);
  expect(stage.model.lastRequest().textOf("user")).toMatch(
    /\[Strata\] Worth knowing in later sessions\? a "Some words on the club: players are ranked .*" Call memory_keep/,
  );
  await whenContains(file, '"letter"');
  await session.ask(LEDGER);
  await whenContains(file, CORES.ledger);
  expect(countQuestions(stage)).toBe(1);
  await stage.restart();
  stage.model.respond(undefined);
  stage.model.script(
    // Together with a call of its own work, as it was asked to: by itself the call would have cost a request.
    calls(
      call("memory_keep", { letters: "a decision" }, { id: "kept" }),
      call("memory_keep", { letters: "c" }, { id: "wrong" }),
      call("read", { filePath: stage.project.file("opencode.json") }),
    ),
    say("done"),
  );
  const again = stage.session(session.id);
  await again.ask("Go on.");
  expect(stage.model.lastRequest().toolResult("kept")).toMatch(
    /^a is kept as decision\/\S+ in \.opencode\/memory/,
  );
  expect(stage.model.lastRequest().toolResult("wrong")).toContain("Nothing is open under c. Open: ");
  const folder = stage.project.file(".opencode/memory/decision");
  const [page = ""] = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(page).toContain(CORES.players);
  expect(page).toMatch(/^ +how: agent$/m);
  await whenFits(file, (text) => !text.includes(CORES.players), "no candidate that was kept");
  stage.model.respond(() => say("Understood."));
  for (let n = 0; n < 2; n++) await again.ask("Go on.");
  expect(countQuestions(stage)).toBe(1);
  await again.ask("Go on.");
  expect(stage.model.lastRequest().textOf("user")).toMatch(/ b ".* c ".*" Call memory_keep/);
  expect(countQuestions(stage)).toBe(2);
  const before = stage.model.lastRequest();
  const fork = await again.fork();
  stage.model.respond(undefined);
  stage.model.script(call("memory_keep", { letters: "b" }, { id: "in-fork" }), say("done"));
  await fork.ask("Go on in a fork.");
  expect(stage.model.lastRequest().toolResult("in-fork")).toMatch(/^b is kept as knowledge\//);
  expect(readMemories(stage)).toHaveLength(1);
  expect(firstDifference(before, stage.model.lastRequest())).toBeUndefined();
  expect(findBreaks(stage.model.requests)).toEqual([]);
});
