/** Messages that may hold something to know, in the real OpenCode: they wait unseen, until a judge or the user decides. */
import { expect, test } from "vitest";
import { CANDIDATE, MESSAGE, messageOf, OTHER } from "../support/extraction.js";
import { beginSession, locateCandidates, strata } from "./stage/candidates.js";
import { whenContains, whenFits } from "./stage/files.js";
import { openStage } from "./stage/stage.js";
import { say } from "./stage/steps.js";
import { whenNoAgentWorks } from "./stage/strata.js";

const INDEX = ".opencode/memory/MEMORY.md";

test("a message that may hold something waits unseen, is kept by strata candidates keep and forgotten by /drop", async () => {
  await using stage = await openStage();
  stage.model.respond(() => say("Understood."));
  const session = await stage.newSession("one");
  await session.ask(MESSAGE);
  await session.ask(messageOf(OTHER));
  const file = await locateCandidates(stage);
  await whenContains(file, OTHER);
  expect(await beginSession(stage)).not.toContain("needs no server");
  await whenNoAgentWorks(stage.project);
  expect(strata(stage, "list")).toBe("No memories.\n");
  const rows = strata(stage, "candidates").trimEnd().split("\n");
  const idOf = (text: string): string => rows.find((row) => row.includes(text))?.split(" ")[0] ?? "";
  expect(strata(stage, "candidates", "keep", idOf(CANDIDATE))).toMatch(/^Remembered: knowledge\//);
  const requests = stage.model.requests.length;
  await session.command("drop", idOf(OTHER)).catch(() => undefined);
  await whenFits(file, (text) => !text.includes(OTHER), "no candidate");
  expect(stage.model.requests).toHaveLength(requests);
  await whenContains(stage.project.file(INDEX), "SQLite");
  const begun = await beginSession(stage);
  expect(begun).toContain(CANDIDATE);
  expect(begun).not.toContain(OTHER);
});

test("a candidate goes with the turn that the user undoes, and comes back with it", async () => {
  await using stage = await openStage();
  stage.model.respond(() => say("Understood."));
  const session = await stage.newSession("one");
  await session.ask("Look at the importer.");
  await session.ask(MESSAGE);
  const file = await locateCandidates(stage);
  await whenContains(file, CANDIDATE);
  const asked = (await session.messages()).filter(({ info }) => info.role === "user").at(-1);
  await session.revert(asked?.info.id);
  await whenContains(file, "isTakenBack");
  expect(strata(stage, "candidates")).toBe("No candidates wait.\n");
  await session.unrevert();
  await whenFits(file, (text) => !text.includes("isTakenBack"), "what counts again");
  expect(strata(stage, "candidates")).toContain(CANDIDATE);
});
