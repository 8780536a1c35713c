/**
 * Compaction that does not help must not be tried for ever. Each turn is written as the requests that it made: `r` an
 * ordinary one, `S` one for a summary. The bare host makes `rSrSrS…` without end in the first two cases.
 */

import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  answering,
  goodSummary,
  logOf,
  paste,
  play,
  shapeOf,
  whenToasted,
  windowOf,
} from "../fixtures/compactions.js";
import { repository } from "../repository.js";
import { whenContains } from "../stage/files.js";
import { isSummarizing } from "../stage/model-request.js";
import { findBreaks } from "../stage/prefix-breaks.js";
import { openStage, type Stage, type StageOptions } from "../stage/stage.js";
import { call, fail, type Step, say, stall } from "../stage/steps.js";

const OFF = "Strata: automatic summaries are off for this session";
const ON = "Strata: automatic summaries are on again for this session";
const turns = (count: number, text = (turn: number): string => `turn ${turn}`): string[] =>
  Array.from({ length: count }, (_, turn) => text(turn));
const openSmall = (options: StageOptions = {}): Promise<Stage> =>
  openStage({ config: windowOf(30_000), ...options });

describe("a window that system prompt and tools alone fill is found out after one summary, and the session goes on", () => {
  test("a small window that system prompt and tools alone fill is found out after one summary, and the session goes on", async () => {
    await using stage = await openStage({ config: windowOf(9_000, 2_000) });
    const events = await stage.events();
    const { id } = await stage.newSession("small");
    const { shape, last } = await play(stage, id, turns(5));
    expect([shape, last?.text]).toEqual(["rSr r r r r", "ok"]);
    await whenToasted(events, `${OFF}: the window of 9,000 tokens is too small`);
    expect(logOf(stage)).toMatch(
      /ERROR full-compact {2}automatic summaries are off for .*system prompt and tools/,
    );
  });
});

describe("a model that does not summarise is asked three times and not again, and the session goes on", () => {
  const cases: [string, Step, string, string][] = [
    [
      "refuses (400)",
      fail(400),
      "rS S S r r",
      "3 attempts at a summary in a row failed, the last with: APIError",
    ],
    [
      "is overloaded (500)",
      fail(500),
      "rSSS r r r r",
      "3 attempts at a summary in a row failed, the last with: scripted",
    ],
    [
      "never answers",
      stall(),
      "rS S S r r",
      "3 attempts at a summary in a row failed, the last with: no summary after",
    ],
    // These end well for the host. What helps for a turn only is given up at the third time that it was in vain.
    ["says nothing", say(""), "rSr rSr rSr rSr r", "3 times in a row the context was full again"],
    [
      "says far too much",
      say("word ".repeat(80_000)),
      "rSr rSr rSr rSr r",
      "3 times in a row the context was full",
    ],
  ];
  test.each(cases)(
    "a model that %s when it is to summarise is asked three times and not again, and the session goes on",
    async (name, step, shape, why) => {
      const summaryTimeout = name.startsWith("never") ? 1_000 : 60_000;
      await using stage = await openSmall({ options: { autoCompact: { summaryTimeout } } });
      stage.model.respond(answering(step));
      const events = await stage.events();
      const { id } = await stage.newSession("no summary");
      const played = await play(stage, id, turns(5, paste));
      expect([played.shape, played.last?.text]).toEqual([shape, "an answer"]);
      await whenToasted(events, `${OFF}: ${why}`);
      expect(logOf(stage)).toContain(`automatic summaries are off for ${id}: ${why}`);
      expect(await play(stage, id, ["and a small one"])).toMatchObject({
        shape: "r",
        last: { text: "an answer" },
      });
    },
  );
});

describe("a provider that says the context is too long", () => {
  const tooLong = fail(400, "prompt is too long: 300000 tokens > 200000 maximum");
  test("a provider that finds every context too long is asked for three summaries, each turn ends with its error, and once it answers the session goes on", async () => {
    await using stage = await openStage();
    stage.model.respond(() => tooLong);
    const events = await stage.events();
    const { id } = await stage.newSession("all");
    const { shape, last } = await play(stage, id, turns(6));
    expect(shape).toBe("rS rS rS r r r");
    expect(last?.info.error?.name).toBe("ContextOverflowError");
    await whenToasted(events, OFF);
    stage.model.respond(undefined);
    expect(await play(stage, id, ["again"])).toMatchObject({ shape: "r", last: { text: "ok" } });
  });
});

/** Three summaries have failed: the session's breaker is open. */
async function openBreaker(stage: Stage): Promise<string> {
  stage.model.respond(answering(fail(400)));
  const { id } = await stage.newSession("breaker");
  expect((await play(stage, id, turns(3, paste))).shape).toBe("rS S S");
  await whenContains(stage.project.file(`.opencode/strata/state/breakers/${id}.json`), '"open"');
  return id;
}

test("a breaker that is open is open after SIGKILL, and a manual compaction closes it, with a message", async () => {
  await using stage = await openSmall();
  const id = await openBreaker(stage);
  await stage.restart({ kill: true });
  expect((await play(stage, id, turns(2, paste))).shape).toBe("r r");

  const events = await stage.events();
  stage.model.respond(answering(goodSummary));
  await stage.session(id).summarize();
  await play(stage, id, ["what now?"]);
  await whenToasted(events, ON);
  expect(logOf(stage)).toContain(`automatic summaries are on again for ${id}`);
  expect(await play(stage, id, [paste(9)])).toMatchObject({ shape: "rSr", last: { text: "an answer" } });
});

test("layer 4, switched off, leaves the host's own compaction alone: every request has the bytes of the bare host's", async () => {
  const run = async (options: StageOptions) => {
    await using stage = await openStage({ plugin: [], config: windowOf(30_000), ...options });
    stage.model.respond(answering(say("")));
    const { id } = await stage.newSession("off");
    const { shape } = await play(stage, id, turns(5, paste));
    const strata = ".opencode/strata/state/breakers";
    const breakers = existsSync(stage.project.file(strata)) ? readdirSync(stage.project.file(strata)) : [];
    const requests = stage.model.requests.map(({ prompt }) =>
      prompt.replaceAll(stage.project.path, "PROJECT"),
    );
    return { shape, breakers, requests };
  };
  const bare = await run({});
  expect(bare.shape).toBe("rSr rSr rSr rSr rSr");
  // The tools of layers 5 and 7 would be in every request.
  const tools = { autoMemory: { enabled: false }, crossAgent: { enabled: false } };
  const options = { autoCompact: { enabled: false }, ...tools };
  expect(await run({ plugin: repository, options })).toEqual(bare);
});

test("a compaction that another asks for is kept: no second one follows, the summary is checked, and the prefix holds from then on", async () => {
  await using stage = await openStage({ files: { "a.txt": "one\n" } });
  const session = await stage.newSession("other");
  stage.model.respond((request) => {
    if (isSummarizing(request)) return goodSummary;
    return request.toolResults().length === 0 && request.textOf("user").includes("Read it")
      ? call("read", { filePath: stage.project.file("a.txt") })
      : say("an answer");
  });
  await session.ask("Never touch the file legacy.txt. Read it.");
  await session.ask(`And here are words: ${"pasted words ".repeat(3_000)}`);
  const before = stage.model.requests.length;
  await session.summarize();
  await play(stage, session.id, turns(4));
  expect(shapeOf(stage.model.requests.slice(before))).toBe("Srrrr");
  const after = stage.model.requests.slice(before + 1);
  for (const request of after) {
    expect(request.prompt).toContain("The user's rule: Never touch the file legacy.txt.");
  }
  expect(
    findBreaks(stage.model.requests).map(({ isCompaction, request }) => [isCompaction, request]),
  ).toEqual([[true, before + 2]]);
});
