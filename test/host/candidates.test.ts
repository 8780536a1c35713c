/**
 * Sentences that are likely and not sure, in the real OpenCode: they wait unseen, and become memories when they are said
 * again or kept. The plugin has weights of its own here, by which it is known what is likely.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { locateRecord } from "../../src/owner/record.js";
import { nodeFiles } from "../../src/seams/node-files.js";
import { CANDIDATE, LEARNED } from "../support/extraction.js";
import { removeFolder } from "../support/remove-folder.js";
import { repository } from "./repository.js";
import { whenContains, whenFits } from "./stage/files.js";
import type { ModelRequest } from "./stage/model-request.js";
import { shareHost } from "./stage/shared-host.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";

const folder = mkdtempSync(join(tmpdir(), "strata-likely-"));
const plugin = join(folder, "opencode-strata");
for (const name of ["server.js", "dist", "prompts", "vectors", "package.json"])
  cpSync(join(repository, name), join(plugin, name), { recursive: true });
writeFileSync(join(plugin, "vectors", "signals.json"), JSON.stringify(LEARNED));
afterAll(() => removeFolder(folder));

const shared = shareHost({ plugin });
const INDEX = ".opencode/memory/MEMORY.md";
const OTHER = "The backend is Golang.";
const isOwn = ({ body }: ModelRequest): boolean => body.model === "m2";

/** The file of the project's candidates. */
async function locate({ project }: Stage): Promise<string> {
  const stateFolder = join(project.folders.state, "opencode-strata");
  return (await locateRecord(nodeFiles, { project: project.path, stateFolder })).candidates;
}

function strata({ project }: Stage, ...args: string[]): string {
  const { OPENCODE: _, OPENCODE_PID: __, ...env } = process.env;
  const { config, state } = project.folders;
  const ran = spawnSync(process.execPath, [join(plugin, "dist/strata.js"), ...args], {
    cwd: project.path,
    env: { ...env, XDG_CONFIG_HOME: config, XDG_STATE_HOME: state },
    encoding: "utf8",
  });
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  return ran.stdout;
}

/** What the model is sent with the first message of a new session. */
async function beginSession(stage: Stage): Promise<string> {
  await (await stage.newSession("next")).ask("Good morning.");
  const { messages } = stage.model.requests.filter((request) => !isOwn(request)).at(-1) ?? {};
  return JSON.stringify(messages);
}

test("a likely sentence waits unseen after one session, and the next sessions know it once it was said in another", async () => {
  await using stage = await shared.openStage();
  stage.model.respond(() => say("Understood."));
  await (await stage.newSession("one")).ask(CANDIDATE);
  const file = await locate(stage);
  await whenContains(file, CANDIDATE);
  expect(await beginSession(stage)).not.toContain("needs no server");
  expect(strata(stage, "list", "--candidates")).toContain(CANDIDATE);
  expect(strata(stage, "list")).toBe("No memories.\n");
  const machineState = stage.project.file(".opencode/strata");
  await stage.restart({ meanwhile: () => removeFolder(machineState) });
  await (await stage.newSession("two")).ask(CANDIDATE);
  await whenContains(stage.project.file(INDEX), "SQLite");
  await whenFits(file, (text) => !text.includes("SQLite"), "no candidate");
  expect(await beginSession(stage)).toContain(CANDIDATE);
});

test("strata keep makes a likely sentence a memory, and /drop forgets one", async () => {
  await using stage = await shared.openStage();
  stage.model.respond(() => say("Understood."));
  const session = await stage.newSession("one");
  await session.ask(`${CANDIDATE} ${OTHER}`);
  const file = await locate(stage);
  await whenContains(file, OTHER);
  const rows = strata(stage, "list", "--candidates").trimEnd().split("\n");
  const idOf = (text: string): string => rows.find((row) => row.includes(text))?.split(" ")[0] ?? "";
  expect(strata(stage, "keep", idOf(CANDIDATE))).toMatch(/^Remembered: decision\//);
  const requests = stage.model.requests.length;
  await session.command("drop", idOf(OTHER)).catch(() => undefined);
  await whenFits(file, (text) => !text.includes("Golang"), "no candidate");
  expect(stage.model.requests).toHaveLength(requests);
  await whenContains(stage.project.file(INDEX), "SQLite");
  const begun = await beginSession(stage);
  expect(begun).toContain(CANDIDATE);
  expect(begun).not.toContain("Golang");
});

test("a likely sentence goes with the turn that the user undoes, and comes back with it", async () => {
  await using stage = await shared.openStage();
  stage.model.respond(() => say("Understood."));
  const session = await stage.newSession("one");
  await session.ask("Look at the importer.");
  await session.ask(CANDIDATE);
  const file = await locate(stage);
  await whenContains(file, CANDIDATE);
  const asked = (await session.messages()).filter(({ info }) => info.role === "user").at(-1);
  await session.revert(asked?.info.id);
  await whenContains(file, "isTakenBack");
  expect(strata(stage, "list", "--candidates")).toBe("No candidates wait.\n");
  await session.unrevert();
  await whenFits(file, (text) => !text.includes("isTakenBack"), "what counts again");
  expect(strata(stage, "list", "--candidates")).toContain(CANDIDATE);
});

test("a small model that calls a tool loses none of what is sure, and what is likely waits", async () => {
  const SURE = [
    "No, the database listens on port 5433, not 5432.",
    "Never run `git push --force` on main.",
    "From now on answer in whole sentences.",
    "Remember that the staging server is called otter.",
  ];
  await using stage = await openStage({ plugin, config: { small_model: "mock/m2" } });
  stage.model.respond((request) =>
    isOwn(request) ? call("bash", { command: "touch owned", description: "x" }) : say("Understood."),
  );
  const session = await stage.newSession("one");
  const file = await locate(stage);
  await session.ask(`${CANDIDATE} ${SURE[0]}`);
  await whenContains(file, CANDIDATE);
  await session.ask(`${SURE[1]} ${SURE[2]}`);
  await session.ask(`${SURE[3]} ${OTHER}`);
  await whenContains(file, OTHER);
  await whenContains(stage.project.file(INDEX), "otter");
  const begun = await beginSession(stage);
  for (const text of SURE) expect(begun).toContain(JSON.stringify(text).slice(1, -1));
  for (const text of [CANDIDATE, OTHER]) expect(begun).not.toContain(text);
  expect(stage.model.requests.filter(isOwn).length).toBeGreaterThan(0);
  expect(JSON.parse(readFileSync(file, "utf8")).waiting).toHaveLength(2);
  expect(existsSync(stage.project.file("owned"))).toBe(false);
});
