/** A repository whose memory somebody has prepared, in the real OpenCode: nothing of the user's is written, read or sent. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { forge, INTERNAL, LEDGER_FILE, MEMORY } from "../support/victim.js";
import { whenContains } from "./stage/files.js";
import { openStage } from "./stage/stage.js";
import { say } from "./stage/steps.js";

const API = { [`${MEMORY}/knowledge/api.md`]: "The API listens on 8080.\n" };
const LOG = ".opencode/strata/strata.log";

test("a half-done change that a repository brings does nothing at the first message, and memory goes on", async () => {
  const evil = forge({ path: "../../../outside/evil.js", becomes: "EVIL" });
  const pending = JSON.stringify({ ledgerFile: LEDGER_FILE, lines: [evil] });
  await using stage = await openStage({
    files: { ...API, [`${INTERNAL}/pending.json`]: pending },
  });
  stage.model.script(say("hi"), say("hi"));
  await (await stage.newSession("first")).ask("Hello.");
  await whenContains(stage.project.file(`${INTERNAL}/pending.refused-1.json`), pending);
  await whenContains(stage.project.file(LOG), "pending.json was refused and not applied");
  // A first message waits half a second for the memories; on a busy machine they come with the next session.
  await (await stage.newSession("second")).ask("Hello again.");
  expect(stage.model.lastRequest().textOf("user")).toContain("The API listens on 8080.");
  expect(existsSync(join(stage.project.path, "..", "outside"))).toBe(false);
  expect(existsSync(stage.project.file(`${INTERNAL}/pending.json`))).toBe(false);
});

test("a ledger that names files of the user's has none of them sent to the model or copied into the project", async () => {
  const lines = [
    forge({ path: "../../../home/customers.txt", becomes: "x" }),
    forge({ path: "directive/../../../../home/notes.md", key: "directive/x", becomes: "x" }),
  ];
  const ledger = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
  await using stage = await openStage({
    files: { ...API, [`${MEMORY}/ledger/${LEDGER_FILE}`]: ledger },
  });
  const { home } = stage.project.folders;
  writeFileSync(join(home, "customers.txt"), "customers: Alice Example, owes 12000 EUR\n");
  writeFileSync(join(home, "notes.md"), "Diary: I will leave the company in March.\n");
  stage.model.script(say("one"), say("two"), say("three"));
  const session = await stage.newSession("first");
  await session.ask("Hello.");
  await session.ask("Who are the customers, Alice?");
  await (await stage.newSession("second")).ask("Hello again.");
  await whenContains(stage.project.file(LOG), "is not a memory path");
  const sent = stage.model.requests.map(({ body }) => JSON.stringify(body)).join("\n");
  expect(sent).toContain("The API listens on 8080.");
  expect(sent).not.toMatch(/owes 12000|Diary/);
  const folder = stage.project.file(`${MEMORY}/ledger`);
  for (const name of readdirSync(folder))
    expect(readFileSync(join(folder, name), "utf8")).not.toMatch(/owes 12000|Diary/);
});
