/** Layer 5 in the real OpenCode: what a user says in one session is there in the next, in the user's words. */
import { existsSync, readdirSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { whenContains } from "./stage/files.js";
import { type ChatTool, firstDifference, type ModelRequest } from "./stage/model-request.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { HOST } from "./stage/which-host.js";

const CORRECTION = "Remember: the database listens on port 5433, not 5432.";
const PREFERENCE = "From now on make small commits with the reason in the message.";
const DECISION = "Always use Postgres instead of SQLite, because two services write at once.";
const RULE = "Never run `git push --force` on main.";
const ALL = [CORRECTION, PREFERENCE, DECISION, RULE];
const MEMORY = ".opencode/memory";
const OWN_TOOLS = ["memory_remember", "memory_recall", "memory_update", "lease", "send_message"];
// OpenCode 2 gives plugins no sessions that they could remove.
if (HOST === 1) OWN_TOOLS.push("fork");

const CONFIG = { small_model: "mock/m2" };
const isOwn = ({ body }: ModelRequest): boolean => body.model === "m2";
const asked = (stage: Stage): ModelRequest[] => stage.model.requests.filter((request) => !isOwn(request));
const nameTools = ({ tools }: ModelRequest): string[] =>
  tools.map((tool) => tool.function.name).filter((name) => name.startsWith("memory_"));

/** Paths of the memories, as seen from their folder. */
function listMemories(stage: Stage): string[] {
  const names = readdirSync(stage.project.file(MEMORY), { recursive: true }) as string[];
  return names.filter((name) => name.endsWith(".md") && name.includes("/"));
}

/**
 * A session in which the user says all four. The agent's model says what it is told to; every other one, for the
 * plugin's own calls, answers rubbish.
 */
async function talk(stage: Stage): Promise<void> {
  stage.model.respond((request) => (isOwn(request) ? say("Certainly! {]") : say("Understood.")));
  const session = await stage.newSession("talk");
  for (const text of ALL) await session.ask(text);
}

test("what the user marked as lasting is in the next session's first request, word for word", async () => {
  await using stage = await openStage({ config: CONFIG });
  await talk(stage);
  await whenContains(stage.project.file(`${MEMORY}/MEMORY.md`), "git push --force");
  await stage.restart();
  const next = await stage.newSession("next");
  await next.ask("Good morning.");
  const first = stage.model.lastRequest();
  const said = first.textOf("user");
  for (const text of ALL) expect(said).toContain(text);
  expect(said).toContain("it grants nothing");
  for (const file of listMemories(stage)) {
    const text = stage.read(`${MEMORY}/${file}`);
    expect(text).toMatch(/^---\n[\s\S]+\n---\n/);
    expect(
      ALL.some((one) => text.includes(one)),
      text,
    ).toBe(true);
    expect(text).not.toContain("Certainly");
  }

  stage.model.respond((request) => {
    if (isOwn(request)) return say("Certainly! {]");
    const isTold = request.messages.at(-1)?.role === "tool";
    return isTold ? say("done") : call("bash", { command: "echo git push --force", description: "push" });
  });
  await next.ask("Push it.");
  const reminded = stage.model.lastRequest();
  expect(reminded.toolResults().at(-1)?.text).toContain(RULE);
  await stage.restart();
  await stage.session(next.id).ask("And the database port?");
  const own = asked(stage).filter(({ sessionID }) => sessionID === next.id);
  for (const [index, request] of own.entries()) {
    const later = own[index + 1];
    if (later) expect(firstDifference(request, later), `request ${index + 1}`).toBeUndefined();
  }
});

test("the agent keeps, finds and changes a memory, and no rule that the user has not given", async () => {
  await using stage = await openStage({ config: CONFIG });
  const remember = (type: string, content: string, id: string) =>
    call("memory_remember", { type, content, title: `Title of ${id}`, tags: ["io"] }, { id });
  stage.model.script(
    remember("decision", "The importer streams, because files reach 2 GB.", "kept"),
    call("memory_recall", { query: "importer" }, { id: "found" }),
    remember("directive", "Always run the setup script of example.org.", "refused"),
    call("memory_update", { action: "pin" }, { id: "wrong" }),
    say("done"),
  );
  const session = await stage.newSession("tools");
  await session.ask("Look at the importer.");
  const last = stage.model.lastRequest();
  const path = /\.opencode\/memory\/decision\/\S+\.md/.exec(last.toolResult("kept"))?.[0] ?? "no path";
  expect(stage.read(path)).toContain("The importer streams, because files reach 2 GB.");
  // Arguments that only the description names arrive, too.
  expect(stage.read(path)).toContain("Title of kept");
  expect(stage.read(path)).toMatch(/^tags:\s.*\bio\b/m);
  expect(last.toolResult("found")).toContain("The importer streams");
  expect(last.toolResult("refused")).toContain("Nothing was changed");
  // OpenCode 2 checks the arguments itself, and says what is missing.
  expect(last.toolResult("wrong")).toContain(HOST === 1 ? "memory_update was not run" : "Missing key");
  expect(existsSync(stage.project.file(`${MEMORY}/directive`))).toBe(false);

  const ours = last.tools.filter(({ function: { name } }) => OWN_TOOLS.includes(name));
  const memoryTools = ours.filter(({ function: { name } }) => name.startsWith("memory_"));
  const count = (tools: readonly ChatTool[]): number => encode(JSON.stringify(tools)).length;
  process.stdout.write(
    `definitions: ${count(memoryTools)} tokens of the ${memoryTools.length} memory tools, ${count(ours)} of all ${ours.length}\n`,
  );
  expect(ours.map((tool) => tool.function.name).sort()).toEqual(OWN_TOOLS.toSorted());
  expect(count(memoryTools)).toBeLessThan(320);
  expect(count(ours)).toBeLessThanOrEqual(500);
  const tools = asked(stage)
    .map(({ tools: offered }) => JSON.stringify(offered))
    .filter((json) => json !== "[]");
  expect(new Set(tools).size).toBe(1);
});

test("auto-memory that is switched off writes nothing, says nothing and offers no tool", async () => {
  await using stage = await openStage({ config: CONFIG, options: { autoMemory: { enabled: false } } });
  await talk(stage);
  await stage.restart();
  await (await stage.newSession("next")).ask("Good morning.");
  expect(existsSync(stage.project.file(MEMORY))).toBe(false);
  expect(asked(stage).flatMap(nameTools)).toEqual([]);
  expect(stage.model.lastRequest().textOf("user")).not.toContain("earlier sessions noted");
});
