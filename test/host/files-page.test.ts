/** docs/files.md names every file that a session leaves, whatever the agent, the person and the host have done in it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryTypes } from "../../src/memory/memory.js";
import { repository } from "./repository.js";
import { openStage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

/** The paths in the first columns of the page's tables. */
function readPatterns(): RegExp[] {
  const page = readFileSync(join(repository, "docs/files.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const paths = rows.flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`(\.opencode\/[^`]+)`/g)]);
  return paths.map(([, path = ""]) => {
    const escaped = path.replace(/[.$()+]/g, "\\$&");
    return new RegExp(
      `^${escaped.replaceAll("<type>", `(${memoryTypes.join("|")})`).replaceAll("<id>", "[^/]+")}$`,
    );
  });
}

/** What the host itself puts into the folder. */
const isHosts = (path: string): boolean =>
  /^\.opencode\/(node_modules\/|package(-lock)?\.json$|bun\.lockb?$|\.gitignore$)/.test(path);

test("every file that the plugin writes in a project is on the page", async () => {
  await using stage = await openStage({
    plugin: repository,
    files: { "a.txt": "one\n", "big.txt": "a line of a large file\n".repeat(3_000) },
  });
  const { model, project } = stage;
  const session = await stage.newSession("files");
  const fail = () => call("bash", { command: "no-such-command-at-all", description: "fails" });
  const remember = (content: string, more: object = {}) =>
    call("memory_remember", { type: "knowledge", content, ...more });
  model.script(
    call("read", { filePath: project.file("big.txt") }),
    call("read", { filePath: project.file("a.txt") }),
    call("edit", { filePath: project.file("a.txt"), oldString: "one", newString: "two" }),
    fail(),
    fail(),
    call("lease", { op: "claim", item: "a.txt" }),
    call("send_message", { to: session.id, text: "hello" }),
    remember("The test database is emptied at midnight."),
    remember("My own key lies in the drawer.", { sensitivity: "private" }),
    say("done"),
  );
  await session.ask("Never deploy on a Friday. Go on.");
  await session.command("remember", "decision: prices are cents").catch(() => undefined);
  await session.command("forget", "prices are cents").catch(() => undefined);
  await session.command("dream").catch(() => undefined);
  await session.summarize();
  await session.ask("and now?");
  await stage.restart();

  const written = readdirSync(project.file(".opencode"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.path.length + 1))
    .filter((path) => !isHosts(path));
  const patterns = readPatterns();
  expect(written.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toEqual([]);
  // The session has left enough for that to say something.
  for (const folder of [
    "tool-results",
    "session-memory",
    "memory/archive",
    "memory/private",
    "memory/ledger",
  ])
    expect(written.some((path) => path.startsWith(`.opencode/${folder}/`))).toBe(true);
  for (const folder of ["decisions", "pulse", "edits", "extraction", "memory"])
    expect(written.some((path) => path.startsWith(`.opencode/strata/state/${folder}/`))).toBe(true);
});
