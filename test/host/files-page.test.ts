/** The layers and the kernel name every file that a session leaves, whatever the agent, the person and the host have done. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layers } from "../../layers/index.js";
import { kernelFiles, matches, tornOf } from "../../src/kernel/file-kinds.js";
import { openStage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

/** Every kind of file that the kernel and the layers say they leave; a unit test compares them with the page. */
const named = [...kernelFiles, ...layers.flatMap(({ files }) => files)];
/** The host is stopped hard on the way, which may leave a half-written file. */
const kinds = [...named, ...named.map(tornOf)];

/** What the host itself puts into the folder. */
const isHosts = (path: string): boolean =>
  /^\.opencode\/(node_modules\/|package(-lock)?\.json$|bun\.lockb?$|\.gitignore$)/.test(path);

test("every file that the plugin writes in a project is of a kind that a layer or the kernel names", async () => {
  await using stage = await openStage({
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
  expect(written.filter((path) => !kinds.some((kind) => matches(kind, path)))).toEqual([]);
  // The session has left enough for that to say something.
  for (const folder of [
    "tool-results",
    "session-memory",
    "memory/archive",
    "memory/private",
    "memory/ledger",
  ])
    expect(written.some((path) => path.startsWith(`.opencode/${folder}/`))).toBe(true);
  for (const folder of ["decisions", "calls", "extraction", "memory"])
    expect(written.some((path) => path.startsWith(`.opencode/strata/state/${folder}/`))).toBe(true);
});
