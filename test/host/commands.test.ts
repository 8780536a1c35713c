/** Slash commands in the real OpenCode: answered at once, shown, never sent. */

import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { whenContains } from "./stage/files.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, say } from "./stage/steps.js";
import { strata, whenNoAgentWorks } from "./stage/strata.js";
import { HOST } from "./stage/which-host.js";

const shownTexts = async (session: Session): Promise<string[]> =>
  (await session.messages()).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.ignored ? [part.text] : [])),
  );

test("/memory is answered without a model call, and the next request has the bytes that it would have had", async () => {
  const play = async (withCommand: boolean) => {
    await using stage = await openStage();
    const session = await stage.newSession("status");
    if (withCommand) await session.slash("memory");
    await session.ask("hello");
    if (withCommand) await session.slash("memory", `"what" is\n'this'`);
    await session.ask("go on");
    const texts = await shownTexts(session);
    const bytes = stage.model.requests.map(({ messageBytes }) => messageBytes.join("\n"));
    return {
      texts,
      bytes: bytes.join("\n\n").replaceAll(stage.project.path, "PROJECT").replaceAll(session.id, "SESSION"),
    };
  };
  const without = await play(false);
  const asked = await play(true);
  expect(asked.bytes).toBe(without.bytes);
  expect(asked.texts).toHaveLength(2);
  expect(asked.texts[0]).toMatch(
    /^\[Strata\] \/memory\nThis session\n {2}Context +the model has not answered yet/,
  );
  expect(asked.texts[1]).toMatch(/\ncontext [\d.]+K.* · .* today\n\nThis session.*\n {2}Context +[\d.]+K/);
});

test("a session that begins with commands keeps their answers on the screen, and no request for a title has a word of them", async () => {
  await using stage = await openStage();
  const session = await stage.newSession();
  await session.slash("memory");
  await session.slash("remember", "the release is on Friday");
  await session.ask("fix the orders");
  // OpenCode 1 counts the answers as messages, and asks for no title behind them; where it looks after the plugin has
  // left them out of the request, it asks for one without them.
  if (HOST === 2) await expect.poll(async () => (await session.info()).title).toBe("A title");
  expect(stage.model.titleRequests.filter(({ prompt }) => prompt.includes("[Strata] /"))).toEqual([]);
  await session.ask("go on");
  const shown = (await session.messages()).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" && part.ignored && !part.synthetic ? [part.text] : [])),
  );
  expect(shown.map((text) => text.split("\n")[0])).toEqual(["[Strata] /memory", "[Strata] /remember"]);
});

test("an earlier session is found by words, in a terminal and by /attach, and the agent reads its state with the next message", async () => {
  await using stage = await openStage({ files: { "src/parser.ts": "one\n" } });
  const worker = await stage.newSession("parser");
  stage.model.script(
    call("read", { filePath: stage.project.file("src/parser.ts") }),
    say("The lexer is done."),
  );
  await worker.ask("Port the parser. Never use eval.");
  await whenContains(stage.project.file(`.opencode/session-memory/${worker.id}.md`), "The lexer is done.");
  const { stdout } = strata(stage.project, "resume", "the", "lexer");
  expect(stdout).toMatch(/^goal +Port the parser\. Never use eval\.\ndone +The lexer is done\.$/m);
  expect(stdout).toContain(`opencode -s ${worker.id} opens it`);
  const next = await stage.newSession("goes on");
  expect(await next.slash("attach", "the lexer")).toContain(`session ${worker.id}`);
  stage.model.script(say("on it"));
  await next.ask("Go on.");
  const told = stage.model.lastRequest().textOf("user");
  expect(told).toContain("has attached an earlier session");
  expect(told).toContain("Port the parser. Never use eval.");
});

test("a command in the middle of a turn is answered and costs no request", async () => {
  await using stage = await openStage();
  const session = await stage.newSession("busy");
  let release = (): void => {};
  stage.model.respond(
    () =>
      new Promise((resolve) => {
        release = () => resolve(say("done"));
      }),
  );
  const turn = session.ask("take your time");
  await stage.model.waitForRequest(() => true);
  await session.slash("memory");
  // OpenCode 2 runs it at once.
  if (HOST === 1) expect(await shownTexts(session)).toEqual([]);
  release();
  await turn;
  await expect.poll(() => shownTexts(session)).toHaveLength(1);
  expect(stage.model.requests).toHaveLength(1);
  stage.model.respond(undefined);
  expect((await session.ask("on")).text).toBe("ok");
  expect(roles(stage)).toEqual(["user", "assistant", "user"]);
});

test("/compact-notes has notes stand for history in the next request, without a model call", async () => {
  await using stage = await openStage();
  const session = await stage.newSession("long");
  for (let n = 0; n < 6; n++) await session.ask(`question ${n}: ${"some words about it ".repeat(1_000)}`);
  const before = stage.model.requests.length;
  await session.slash("compact-notes");
  expect((await shownTexts(session)).join()).toContain("notes on this session replace its history");
  expect(stage.model.requests).toHaveLength(before);
  await session.ask("and now?");
  const request = stage.model.lastRequest();
  expect(request.textOf("user")).toContain("[Strata] The session so far is too long");
  expect(request.promptTokens).toBeLessThan((stage.model.requests[before - 1]?.promptTokens ?? 0) / 1.5);
  expect(stage.model.requests).toHaveLength(before + 1);
});

test("quotes and newlines of what is typed are kept as they are, and forgotten by the same words", async () => {
  await using stage = await openStage();
  const session = await stage.newSession("words");
  const words = `decision: the "cart" isn't cached, 'never'\nbecause $1 and \`ls\` change\nevery time`;
  const folder = stage.project.file(".opencode/memory/decision");
  await session.slash("remember", words);
  const [name = ""] = readdirSync(folder);
  const page = stage.read(`.opencode/memory/decision/${name}`);
  expect(page.slice(page.lastIndexOf("---") + 4).trimEnd()).toBe(words.slice("decision: ".length));
  await session.slash("forget", `the "cart" isn't cached`);
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(stage.project.file(".opencode/memory/archive/decision"))).toEqual([name]);
  expect((await shownTexts(session)).map((text) => text.split("\n")[1]?.split(":")[0])).toEqual([
    "Remembered",
    "Archived",
  ]);
  expect(stage.model.requests).toEqual([]);
});

test("/recall finds at once what /remember and the command line have stored, and asks no model", async () => {
  await using stage = await openStage();
  const session = await stage.newSession("memory");
  await session.slash("remember", "decision: the server listens on port 8080");
  // Else what it writes counts as the agent's of another test.
  await whenNoAgentWorks(stage.project);
  const cli = strata(stage.project, "remember", "--type", "idea", "a second port for the metrics");
  expect([cli.status, cli.stderr]).toEqual([0, ""]);
  const answer = await session.slash("recall", "which port");
  expect(answer).toContain("decision/server-listens-port-8080  the server listens on port 8080");
  expect(answer).toContain("idea/second-port-metrics  a second port for the metrics");
  expect(stage.model.requests).toHaveLength(0);
});

const roles = (stage: Stage): string[] =>
  stage.model
    .lastRequest()
    .messages.map(({ role }) => role)
    .filter((role) => role !== "system");
