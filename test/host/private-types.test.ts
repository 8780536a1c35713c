/** What a user prefers stays out of git in the real OpenCode until it is published. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { whenContains } from "./stage/files.js";
import type { Project } from "./stage/project.js";
import { openStage } from "./stage/stage.js";
import { say } from "./stage/steps.js";
import { strata } from "./stage/strata.js";

const MEMORY = ".opencode/memory";
const PREFERENCE = "I prefer small commits with the reason in the message.";
const DECISION = "Always use Postgres instead of SQLite, because two services write at once.";

function git({ path }: Project, ...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  return execFileSync("git", [...who, ...args], { cwd: path, encoding: "utf8" });
}

/** The names and texts of all files that `git add -A` would commit. */
function readSeen(project: Project): string {
  git(project, "add", "-A");
  const paths = git(project, "ls-files", "-z").split("\0").filter(Boolean);
  return paths.map((path) => `${path}\n${git(project, "show", `:${path}`)}`).join("\n");
}

test("what the user prefers is remembered and no git sees it, until strata memory publish", async () => {
  await using stage = await openStage();
  const { project } = stage;
  stage.model.respond(() => say("Understood."));
  const session = await stage.newSession("talk");
  await session.command("remember", `preference: ${PREFERENCE}`).catch(() => undefined);
  await session.ask(DECISION);
  await whenContains(project.file(`${MEMORY}/private/MEMORY.md`), "small commits");
  await whenContains(project.file(`${MEMORY}/MEMORY.md`), "Postgres");
  const [file = ""] = readdirSync(project.file(`${MEMORY}/private/preference`));
  expect(readSeen(project)).toContain("Postgres");
  expect(readSeen(project)).not.toMatch(/small commits/i);

  await (await stage.newSession("next")).ask("Good morning.");
  expect(stage.model.lastRequest().textOf("user")).toContain(PREFERENCE);

  const id = `preference/${file.replace(".md", "")}`;
  const published = strata(project, "memory publish", `private/${id}`);
  expect(published).toMatchObject({ status: 0, stdout: expect.stringContaining(`Published: ${id}`) });
  expect(readSeen(project)).toContain(PREFERENCE);
  expect(strata(project, "check")).toMatchObject({ status: 0 });
});
