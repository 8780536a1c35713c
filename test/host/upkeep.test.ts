/** Upkeep by itself in the real OpenCode: what a dream does in the quiet, and what it leaves to a person. */
import { existsSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { whenContains } from "./stage/files.js";
import { openStage } from "./stage/stage.js";
import { strata, whenNoAgentWorks } from "./stage/strata.js";

const MEMORY = ".opencode/memory";
/** Notes before their last change are kept for a month. */
const OLD = ".opencode/session-memory/ses_old.previous.md";
const LONG_AGO = new Date("2026-01-01T00:00:00Z");

const PLANTED = {
  [`${MEMORY}/knowledge/queue.md`]: "The worker reads the mail queue once a day.\n",
  [`${MEMORY}/knowledge/queue-again.md`]: "the worker reads the mail queue once a day\n",
  [`${MEMORY}/plan/sprint.md`]: "---\nexpires: 2026-01-31\n---\nShip the importer.\n",
  [`${MEMORY}/knowledge/port.md`]: "---\ntitle: Port\n---\nThe server listens on port 8080.\n",
  [`${MEMORY}/knowledge/port-other.md`]: "---\ntitle: Port\n---\nThe server listens on port 9090.\n",
  [`${MEMORY}/knowledge/rules.md`]: "The rules are defined in src/rules/gone.ts.\n",
  [`${MEMORY}/knowledge/broken.md`]: "---\ntitle: [\n---\nx\n",
  [OLD]: "old\n",
};

test("a dream in the quiet does what is safe, in one line and undone by one command; the rest is one list whose commands empty it", async () => {
  await using stage = await openStage({ alone: true, files: PLANTED });
  utimesSync(stage.project.file(OLD), LONG_AGO, LONG_AGO);
  const session = await stage.newSession("quiet");
  await session.ask("hello");
  const log = stage.project.file(".opencode/strata/strata.log");
  await whenContains(log, ": 1 merged, 1 superseded, 1 archived, 1 file put away", 40_000);
  expect(existsSync(stage.project.file(OLD))).toBe(false);
  expect(stage.model.requests).toHaveLength(1);

  await whenNoAgentWorks(stage.project);
  const list = (): { kind: string; ways: { command: string }[] }[] =>
    JSON.parse(strata(stage.project, "todo", "--json").stdout).todos;
  expect(list().map(({ kind }) => kind)).toEqual(["conflict", "damaged", "outdated"]);
  expect(await session.slash("memory")).toContain("3 things wait for you (strata todo)");

  expect(await session.slash("memory-undo")).toContain(OLD);
  for (const name of [OLD, `${MEMORY}/plan/sprint.md`, `${MEMORY}/knowledge/queue-again.md`] as const)
    expect(stage.read(name)).toBe(PLANTED[name]);

  await whenNoAgentWorks(stage.project);
  await stage.project.write(`${MEMORY}/knowledge/broken.md`, "It is mended.\n");
  for (const { ways } of list()) {
    const [, ...words] = ways[0]?.command.split(" ") ?? [];
    expect(strata(stage.project, ...words)).toMatchObject({ status: 0 });
  }
  expect(strata(stage.project, "todo").stdout).toBe("Nothing waits for you.\n");
});
