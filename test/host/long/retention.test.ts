/**
 * Nothing that matters is lost in compactions, though no model helps: every background request and every summary gets
 * garbage for an answer. What was said early stands in the request, or one file away: in a file that the request names.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { logOf, play, shapeOf, windowOf } from "../fixtures/compactions.js";
import { isSummarizing, type ModelRequest } from "../stage/model-request.js";
import type { Session } from "../stage/session.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, type Step, say } from "../stage/steps.js";
import { HOST } from "../stage/which-host.js";

const FACTS = {
  constraint: "Never call the network from a test.",
  correction: "No, that is wrong: indent with tabs, not with spaces.",
  decision: "I decided on a recursive descent parser because the grammar is ambiguous.",
  path: "src/parser.ts",
  command: "sh check-grammar.sh",
  todo: "Write the error recovery of the parser",
};
const PARSER = `export const parse = () => "the parser as it is now";\n${"// a line of the parser\n".repeat(2_000)}`;
const SKILL = "Deploy with the blue button, then wait for the green light.";
const GARBAGE = say("Lorem ipsum dolor sit amet. ".repeat(20));

const FILES = {
  "src/parser.ts": PARSER,
  "check-grammar.sh": "exit 37\n",
  ".opencode/skill/deploy/SKILL.md": `---\nname: deploy\ndescription: How to deploy\n---\n${SKILL}\n`,
};

/** A window of 40,000 tokens, a small model that answers garbage, and notes that are to be written at every chance. */
const SETTINGS = {
  options: { sessionMemory: { updateThreshold: 512, toolCallThreshold: 1 } },
  config: { small_model: "mock/m2", ...windowOf(40_000) },
  files: FILES,
};

/** The session begins with all that must not be lost; then there are only words. */
async function plant(stage: Stage): Promise<Session> {
  const todos = [
    { content: FACTS.todo, status: "pending", priority: "high" },
    { content: "Read the grammar", status: "completed", priority: "low" },
  ];
  const early: Step[] = [
    call("skill", { name: "deploy" }),
    call("read", { filePath: stage.project.file(FACTS.path), limit: 20 }),
    call("todowrite", { todos }),
    call("bash", { command: FACTS.command, description: "Checks the grammar" }),
    say(FACTS.decision),
  ];
  stage.model.respond((request) => {
    if (request.body.model === "m2" || isSummarizing(request)) return GARBAGE;
    return early.shift() ?? say("Noted.");
  });
  const session = await stage.newSession("retention");
  await session.ask(`Build the parser. ${FACTS.constraint}`);
  await session.ask(FACTS.correction);
  return session;
}

const words = (turn: number): string => `These are words ${turn}: ${"some words here ".repeat(1_000)}`;
const lastOf = (stage: Stage): ModelRequest =>
  stage.model.requests.findLast(
    (request) => request.body.model === "m1" && !isSummarizing(request),
  ) as ModelRequest;
const textOf = (request: ModelRequest): string =>
  ["system", "user", "assistant", "tool"].map((role) => request.textOf(role)).join("\n");

/** Where each fact is: in the request, in a file that it names, or nowhere. */
function locate(request: ModelRequest): Record<string, string> {
  const text = textOf(request);
  const paths = [...new Set(text.match(/\/[\w./-]+\.\w+/g))].filter(
    (path) => existsSync(path) && statSync(path).isFile(),
  );
  const files = paths.map((path) => readFileSync(path, "utf8"));
  const find = (has: (text: string) => boolean): string => {
    if (has(text)) return "shown";
    return files.some(has) ? "in a file" : "lost";
  };
  const found = Object.entries(FACTS).flatMap(([name, fact]) =>
    !KEPT.includes(name) ? [] : [[name, find((each) => each.includes(fact))]],
  );
  return { ...Object.fromEntries(found), exit: find((each) => /exit \D{0,10}37/.test(each)) };
}

// OpenCode 2 has no todo list.
const KEPT = Object.keys(FACTS).filter((name) => HOST === 1 || name !== "todo");
const ALL_SHOWN = Object.fromEntries([...KEPT, "exit"].map((name) => [name, "shown"]));
const countCuts = (stage: Stage): number => logOf(stage).match(/notes replace the first/g)?.length ?? 0;

/** Asks for words until history has been cut so many times. */
async function untilCut(stage: Stage, session: Session, cuts: number): Promise<void> {
  for (let turn = 0; turn < 40 && countCuts(stage) < cuts; turn++) await session.ask(words(turn));
  expect(countCuts(stage)).toBe(cuts);
}

test("what matters stays in reach through five times that notes take the place of history", async () => {
  await using stage = await openStage(SETTINGS);
  const session = await plant(stage);
  for (const cuts of [1, 3, 5]) {
    await untilCut(stage, session, cuts);
    expect(locate(lastOf(stage)), `after ${cuts}`).toEqual(ALL_SHOWN);
    expectBroughtBack(lastOf(stage));
  }
  expect(shapeOf(stage.model.requests)).not.toContain("S");
  expectGarbageRefused(stage, session);
});

test("what matters stays in reach through five compactions of the host's, each with garbage for a summary", async () => {
  await using stage = await openStage(SETTINGS);
  const session = await plant(stage);
  for (let compactions = 1; compactions <= 5; compactions++) {
    await play(stage, session.id, [words(compactions)]);
    await session.summarize();
    await play(stage, session.id, ["and now?"]);
    expect(locate(lastOf(stage)), `after ${compactions}`).toEqual(ALL_SHOWN);
    expectBroughtBack(lastOf(stage));
  }
  // In OpenCode 2 the notes are the summary: no model is asked.
  expect(shapeOf(stage.model.requests).replaceAll("r", "")).toBe(HOST === 1 ? "SSSSS" : "");
  expectGarbageRefused(stage, session);
});

/** The skill and the file that was read, as far as there is room: 18 % of what the request may have. */
function expectBroughtBack(request: ModelRequest): void {
  const text = textOf(request);
  const [, back = ""] = text.split("## Brought back");
  expect(back).toContain(SKILL);
  expect(back).toMatch(/### src\/parser\.ts \(read in this session\), as it is now; the first \d+ lines\n/);
  expect(back).toContain("the parser as it is now");
  expect(back.split("These are words")[0]?.length).toBeLessThan(40_000 * 0.18 * 4);
}

function expectGarbageRefused(stage: Stage, session: Session): void {
  expect(stage.model.requests.some(({ body }) => body.model === "m2")).toBe(true);
  expect(logOf(stage)).toContain(`rejected the model's sections for the notes of ${session.id}`);
  expect(stage.read(`.opencode/session-memory/${session.id}.md`)).not.toContain("Lorem");
}
