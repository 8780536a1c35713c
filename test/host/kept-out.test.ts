/** What a user prefers stays out of git in the real OpenCode until it is published, and what was committed stays. */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { repository } from "./repository.js";
import { whenContains } from "./stage/files.js";
import type { Project } from "./stage/project.js";
import { shareHost } from "./stage/shared-host.js";
import { say } from "./stage/steps.js";
import { strata } from "./stage/strata.js";

const shared = shareHost({ plugin: repository });
const MEMORY = ".opencode/memory";
const PREFERENCE = "I prefer small commits with the reason in the message.";
const DECISION = "Always use Postgres instead of SQLite, because two services write at once.";
const COMMITTED = "---\ntitle: Answer in short sentences\n---\nI prefer short sentences.\n";

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

test("what the user prefers is remembered and no git sees it, until strata publish and again after strata undo", async () => {
  await using stage = await shared.openStage();
  const { project } = stage;
  stage.model.respond(() => say("Understood."));
  const session = await stage.newSession("talk");
  await session.command("remember", `preference: ${PREFERENCE}`).catch(() => undefined);
  await session.ask(DECISION);
  const index = project.file(`${MEMORY}/MEMORY.md`);
  await whenContains(index, "small commits");
  await whenContains(index, "Postgres");
  const [file = ""] = readdirSync(project.file(`${MEMORY}/preference`));
  git(project, "check-ignore", "-q", `${MEMORY}/preference/${file}`);
  expect(readSeen(project)).toContain("Postgres");
  expect(readSeen(project)).not.toMatch(/small commits/i);

  await (await stage.newSession("next")).ask("Good morning.");
  expect(stage.model.lastRequest().textOf("user")).toContain(PREFERENCE);

  const id = `preference/${file.replace(".md", "")}`;
  const published = strata(project, "publish", id);
  expect(published).toMatchObject({ status: 0, stdout: expect.stringContaining(`Published: ${id}`) });
  expect(readSeen(project)).toContain(PREFERENCE);
  git(project, "rm", "-rqf", "--cached", MEMORY);
  expect(strata(project, "undo")).toMatchObject({ status: 0 });
  expect(readSeen(project)).not.toMatch(/small commits/i);
  expect(stage.read(`${MEMORY}/preference/${file}`)).toContain(PREFERENCE);
  expect(strata(project, "check")).toMatchObject({ status: 0 });
});

test("a preference that was committed before stays in git where it is, and one that was not is kept out", async () => {
  await using stage = await shared.openStage({
    files: { [`${MEMORY}/preference/short.md`]: COMMITTED, [`${MEMORY}/.gitignore`]: "MEMORY.md\n" },
  });
  const { project } = stage;
  await project.write(`${MEMORY}/preference/mine.md`, "I prefer tabs in Makefiles.\n");
  stage.model.respond(() => say("Understood."));
  await (await stage.newSession("talk")).ask("Good morning.");
  await whenContains(project.file(`${MEMORY}/.gitignore`), "/preference/*");
  // What is half-written when somebody runs git would be seen as well.
  git(project, "check-ignore", "-q", `${MEMORY}/MEMORY.md.${randomUUID()}`);
  const seen = readSeen(project);
  expect(seen).toContain(COMMITTED);
  expect(seen).not.toContain("Makefiles");
  expect(existsSync(project.file(`${MEMORY}/preference/mine.md`))).toBe(true);
});
