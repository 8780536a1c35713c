/** Upkeep of memory in the real OpenCode: retention by a dream, conflicts, and facts that follow their files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { BOOT_HEAD } from "../../../layers/5-auto-memory/injection/boot.js";
import { whenContains } from "../stage/files.js";
import type { Session } from "../stage/session.js";
import { openStage, type Stage } from "../stage/stage.js";
import { say } from "../stage/steps.js";
import { strata as runStrata, whenNoAgentWorks } from "../stage/strata.js";

const MEMORY = ".opencode/memory";
const DAY_MS = 86_400_000;

async function strata({ project }: Stage, ...args: string[]): Promise<{ code: number | null; all: string }> {
  await whenNoAgentWorks(project);
  const { status, stderr, stdout } = runStrata(project, ...args);
  return { code: status, all: `${stdout}${stderr}` };
}

/** Types a slash command, whose answer is shown and not sent to the model. */
async function type(session: Session, name: string): Promise<void> {
  await session.slash(name);
}

/**
 * Dreams until the file contains the text. A dream may miss what was written while OpenCode was still reading the
 * memories; the next one finds it.
 */
async function dreamUntil(session: Session, path: string, text: string): Promise<void> {
  for (let left = 5; left > 0; left--) {
    await type(session, "dream");
    const isThere = whenContains(path, text, 3_000).then(
      () => true,
      () => false,
    );
    if (await isThere) return;
  }
  throw new Error(`${path} does not contain ${text} after five dreams`);
}

/** The first session of a host, which reads the memories for the first time. */
async function warmUp(stage: Stage): Promise<Session> {
  const session = await stage.newSession("first");
  stage.model.script(say("Good morning."));
  await session.ask("Good morning.");
  return session;
}

/** The text after the first message of a new session. */
async function begin(stage: Stage, title: string): Promise<string> {
  stage.model.script(say("Good morning."));
  await (await stage.newSession(title)).ask("Good morning.");
  const text = stage.model.lastRequest().textOf("user");
  return text.includes(BOOT_HEAD) ? text.slice(text.indexOf(BOOT_HEAD)) : "";
}

test("a dream archives blockers resolved long ago and old notes", async () => {
  await using stage = await openStage();
  const session = await warmUp(stage);
  const blocker = (name: string, status: string, day: string): void => {
    const front = `---\ntitle: ${name}\nstatus: ${status}\ncreated: ${day}\nupdated: ${day}\nsource:\n  by: person\n---\n`;
    writeFileSync(stage.project.file(`${MEMORY}/blocker/${name}.md`), `${front}The ${name} is missing.\n`);
  };
  expect((await strata(stage, "remember", "--type", "blocker", "the server is down")).code).toBe(0);
  blocker("old-key", "resolved", "2020-01-01T00:00:00.000Z");
  blocker("open-key", "active", "2020-01-01T00:00:00.000Z");
  expect((await strata(stage, "trust", "--yes")).code).toBe(0);
  const notes = stage.project.file(".opencode/session-memory/ses_old.md");
  mkdirSync(dirname(notes), { recursive: true });
  writeFileSync(notes, "# Old notes\n");
  const longAgo = new Date(Date.now() - 400 * DAY_MS);
  utimesSync(notes, longAgo, longAgo);
  await dreamUntil(session, stage.project.file(`${MEMORY}/DREAMS.md`), "old-key");
  expect(existsSync(stage.project.file(`${MEMORY}/archive/blocker/old-key.md`))).toBe(true);
  expect(existsSync(stage.project.file(`${MEMORY}/blocker/open-key.md`))).toBe(true);
  await whenContains(stage.project.file(".opencode/session-memory/archive/ses_old.md"), "Old notes");
  expect(existsSync(notes)).toBe(false);
});

test("a conflict is shown to sessions until strata reconcile decides it", async () => {
  await using stage = await openStage();
  await warmUp(stage);
  const remember = async (text: string): Promise<string> =>
    (await strata(stage, "remember", "--type", "decision", "--title", "Harbour", text)).all;
  await remember("ships land at pier four");
  const name = /conflicts\/([\w-]+)\.md/.exec(await remember("cranes belong to the city"))?.[1] ?? "";
  expect(await begin(stage, "before")).toContain(`${MEMORY}/conflicts/${name}.md`);
  expect(await strata(stage, "reconcile", name, "--keep", "that")).toEqual({
    code: 0,
    all: `Decided: ${name}\n`,
  });
  // A message does not wait for a slow disk: it may show the result of the last read.
  let told = await begin(stage, "next");
  for (let n = 0; n < 5 && told.includes("conflicts/"); n++) told = await begin(stage, `after ${n}`);
  expect(told).not.toContain("conflicts/");
  expect(told).toContain("cranes belong to the city");
  expect(told).not.toContain("pier four");
  expect(readdirSync(stage.project.file(`${MEMORY}/archive/conflicts`))).toEqual([`${name}.md`]);
});

test("a fact whose file has changed is marked for verification, and a dream renews it without a command", async () => {
  const manifest = (test: string): string => JSON.stringify({ name: "shop", scripts: { test } });
  await using stage = await openStage({ files: { "package.json": manifest("vitest run") } });
  const session = await warmUp(stage);
  expect((await strata(stage, "bootstrap")).code).toBe(0);
  expect(await begin(stage, "before")).toMatch(/`vitest run` \(procedure, [^()]*\)/);
  writeFileSync(stage.project.file("package.json"), manifest("jest --ci"));
  const later = new Date(Date.now() + 5_000);
  utimesSync(stage.project.file("package.json"), later, later);
  expect(await strata(stage, "check")).toEqual({
    code: 1,
    all: expect.stringContaining("package.json has changed"),
  });
  expect(await begin(stage, "between")).toContain("verify: package.json has changed since");
  const path = stage.project.file(`${MEMORY}/procedure/commands-of-shop.md`);
  await dreamUntil(session, path, "`jest --ci`");
  expect(readFileSync(path, "utf8")).not.toContain("vitest");
  await begin(stage, "next");
  expect(await begin(stage, "after")).toMatch(/`jest --ci` \(procedure, from the repository[^;]*\)/);
});
