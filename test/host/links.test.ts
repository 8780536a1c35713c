/** A repository with links in the places of our files and folders, and a `.gitignore` of its own, in the real host. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { whenContains } from "./stage/files.js";
import { openStage } from "./stage/stage.js";
import { call, calls, say } from "./stage/steps.js";

test("links in the places of our state and of our folders lead nowhere, and the rest goes on", async () => {
  await using stage = await openStage({ mcp: true });
  const { model, project } = stage;
  const theirs = (name: string): string => join(project.path, "..", "theirs", name);
  const states = [
    "strata/state/extraction/commands.json",
    "strata/state/leases.json",
    "strata/state/dream.json",
  ];
  await stage.restart({
    meanwhile: ({ file }) => {
      for (const folder of ["photos", "docs"]) mkdirSync(theirs(folder), { recursive: true });
      for (const [n, path] of states.entries()) {
        writeFileSync(theirs(`${n}.json`), "precious\n");
        mkdirSync(join(file(`.opencode/${path}`), ".."), { recursive: true });
        symlinkSync(theirs(`${n}.json`), file(`.opencode/${path}`));
      }
      symlinkSync(theirs("photos"), file(".opencode/tool-results"));
      symlinkSync(theirs("docs"), file(".opencode/session-memory"));
    },
  });
  const build = (): ReturnType<typeof call> => call("bash", { command: "make widgets", description: "x" });
  model.script(
    calls(call("mcp_blob", { bytes: 40_000 }), call("lease", { op: "claim", item: "!12" }), build()),
    say("one"),
    build(),
    say("two"),
    build(),
    say("three"),
  );
  const session = await stage.newSession("links");
  for (const text of ["Hello.", "Again.", "Again."]) await session.ask(text);
  const log = project.file(".opencode/strata/strata.log");
  for (const folder of ["tool-results", "session-memory"])
    await whenContains(log, `${project.file(`.opencode/${folder}`)}: it is a link that leads to`);
  await whenContains(project.file(".opencode/strata/state/extraction/commands.json"), "make widgets");
  expect(states.map((_, n) => readFileSync(theirs(`${n}.json`), "utf8"))).toEqual(
    states.map(() => "precious\n"),
  );
  expect([...readdirSync(theirs("photos")), ...readdirSync(theirs("docs"))]).toEqual([]);
  // Larger than a preview, and as the host gives it.
  const blob = model.requests[1]?.toolResults().find(({ text }) => text.length > 30_000);
  expect(blob).toBeDefined();
  expect(blob?.text).not.toContain("[Strata]");
  expect(readFileSync(project.file(".opencode/strata/state/leases.json"), "utf8")).toContain("!12");
});

test("a .gitignore that a repository brings for our folders does not put them into git", async () => {
  const folders = ["session-memory", "tool-results", "strata"];
  const files = Object.fromEntries(folders.map((folder) => [`.opencode/${folder}/.gitignore`, "# keep\n"]));
  await using stage = await openStage({ mcp: true, files });
  stage.model.script(call("mcp_blob", { bytes: 60_000 }), say("one"));
  const session = await stage.newSession("ignored");
  await session.ask("My private question, in my own words.");
  const log = stage.project.file(".opencode/strata/strata.log");
  await whenContains(
    log,
    "session-memory/.gitignore did not keep Strata's files out of git; added the missing rules",
  );
  // Notes are written behind the turn.
  const notes = stage.project.file(`.opencode/session-memory/${session.id}.md`);
  await whenContains(notes, "My private question");
  await stage.restart();
  const seen = execFileSync("git", ["status", "--porcelain", "-uall"], {
    cwd: stage.project.path,
    encoding: "utf8",
  });
  const ours = seen
    .split("\n")
    .filter((line) => folders.some((folder) => line.includes(`.opencode/${folder}/`)));
  expect(ours.filter((line) => !line.endsWith("/.gitignore"))).toEqual([]);
  expect(readdirSync(stage.project.file(".opencode/session-memory")).length).toBeGreaterThan(1);
});
