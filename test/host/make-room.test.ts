/** Room in the real OpenCode: for a full context, and for a session that somebody comes back to. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { lines } from "../support/messages.js";
import { whenToasted } from "./fixtures/compactions.js";
import { repository } from "./repository.js";
import { readRecords } from "./stage/break-reasons.js";
import { firstDifference, isSummarizing, type ModelRequest } from "./stage/model-request.js";
import { writeShift } from "./stage/shift-date.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, type Step, say } from "./stage/steps.js";

const MINUTE_MS = 60_000;
/** A result of about 2,500 tokens, too small to be moved out by layer 1. */
const BYTES = 10_000;
const shiftedClock = fileURLToPath(new URL("fixtures/shifted-clock", import.meta.url));

const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n}.txt`);
const filesOf = (count: number): Record<string, string> =>
  Object.fromEntries(names(count).map((name, n) => [name, `${n}\n${lines(BYTES / 50, 49)}`]));
const readsOf = (stage: Stage, ...some: string[]): Step[] =>
  some.map((name) => call("read", { filePath: stage.project.file(name) }, { id: `read_${name}` }));
const isCleared = ({ text }: { text: string }): boolean => text.startsWith("[Strata] Cleared");

/** The ledger's records of what made room, in order. */
const roomsOf = (stage: Stage) =>
  readRecords(stage.project.file(".opencode/strata/savings")).filter(
    ({ event }) => event === "cleared" || event === "cut",
  );

const full = {
  // While the cache is warm, nothing pays back within one request.
  options: { autoCompact: { threshold: 40_000 }, microCompact: { horizon: 1, keepRecent: 2 } },
};

test("a full context is cleared once of all that may go, and the prefix holds from then on", async () => {
  await using stage = await openStage({ mcp: true, ...full, files: filesOf(16) });
  stage.model.script(...readsOf(stage, ...names(16)), say("done"));
  await (await stage.newSession("full")).ask("go");
  const requests = stage.model.requests.filter(({ body }) => body.tools !== undefined);
  const first = requests.findIndex((request) => request.toolResults().some(isCleared));
  const shown = requests[first]?.toolResults() ?? [];
  expect(shown.map(isCleared)).toEqual(shown.map((_, index) => index < shown.length - 2));
  expect(requests[first - 1]?.promptTokens).toBeGreaterThan(35_000);
  expect(requests[first]?.promptTokens).toBeLessThanOrEqual(20_000);
  expect(roomsOf(stage)).toMatchObject([
    { event: "cleared", reason: expect.stringMatching(/^the context has about 4\d,\d{3} tokens of 40,000$/) },
  ]);
  for (let n = first + 1; n < requests.length; n++) {
    const [before, after] = [requests[n - 1], requests[n]];
    if (before && after) expect(firstDifference(before, after)).toBeUndefined();
  }
});

test("a full context of results that are never cleared goes on with notes and the names that the agent said, and half of it is free", async () => {
  await using stage = await openStage({ ...{ mcp: true }, ...full });
  const blobs = names(16).map((id) => call("mcp_blob", { bytes: BYTES }, { id }));
  const filePath = stage.project.file("src/renew.ts");
  const write = call("write", { filePath, content: "renewSession(waitFirst);\n" }, { id: "write" });
  // A file that is there is brought back, and shows its names itself.
  const remove = call("bash", { command: "rm src/renew.ts", description: "Removes it" }, { id: "remove" });
  stage.model.script(write, remove, ...blobs, say("done"));
  await (await stage.newSession("notes")).ask("go. Never touch the port.");
  const cut = stage.model.requests.find((request) =>
    request.textOf("user").includes("too long for the context"),
  );
  expect(cut?.textOf("user")).toContain("Never touch the port.");
  expect(cut?.textOf("user")).toContain("- src/renew.ts: renewSession, waitFirst");
  expect(cut?.promptTokens).toBeLessThanOrEqual(20_000);
  expect(roomsOf(stage)).toMatchObject([{ event: "cut" }]);
  expect(stage.model.requests.filter(isSummarizing)).toEqual([]);
});

test("history is cut at a share of the window that is set for the model, never in a subagent for which that is switched off, and no notes stand for a summary of such an agent's session", async () => {
  await using stage = await openStage({
    files: filesOf(14),
    options: {
      autoCompact: { threshold: { "mock/*": "15%", "*": 100_000 }, agents: { general: false, plan: false } },
      microCompact: { enabled: false },
    },
  });
  const session = await stage.newSession("shares");
  const subagents = [...readsOf(stage, ...names(14)), say("found")];
  stage.model.respond((request) => (request.parentSessionID === undefined ? undefined : subagents.shift()));
  const delegate = call("task", { description: "look", prompt: "look", subagent_type: "general" });
  stage.model.script(delegate, ...readsOf(stage, ...names(14)), say("done"));
  await session.ask("go");
  const isCut = (request: ModelRequest): boolean =>
    request.textOf("user").includes("too long for the context");
  const [theirs, own] = [true, false].map((isChild) =>
    stage.model.requests.filter(({ parentSessionID }) => (parentSessionID !== undefined) === isChild),
  );
  expect(theirs?.some(isCut)).toBe(false);
  expect(theirs?.at(-1)?.promptTokens).toBeGreaterThan(35_000);
  expect(own?.filter(isCut).length).toBeGreaterThan(0);
  expect(Math.max(...(own ?? []).map(({ promptTokens }) => promptTokens))).toBeLessThan(33_000);
  for (const room of roomsOf(stage))
    expect(room).toMatchObject({
      ...{ event: "cut", session: session.id },
      reason: expect.stringMatching(/ tokens of 30,000$/),
    });

  const planning = await stage.newSession("planning");
  stage.model.script(say("planned"), say("A summary by the model. ".repeat(20)));
  await planning.ask("Plan it.", { agent: "plan" });
  await planning.summarize();
  expect(stage.model.requests.filter(isSummarizing)).toHaveLength(1);
});

test("a session that somebody comes back to after an hour goes on with notes, without a model call, and says so; after five minutes it stays whole", async () => {
  const clockOf = (root: string): string => join(root, "shifted-clock");
  await using stage = await openStage({
    files: filesOf(12),
    plugin: [shiftedClock, repository],
    options: { microCompact: { enabled: false } },
    env: ({ root }) => ({ STRATA_SHIFTED_CLOCK: clockOf(root) }),
    prepare: ({ root }) => writeShift(clockOf(root), 0),
  });
  const events = await stage.events();
  const session = await stage.newSession("pauses");
  stage.model.script(...readsOf(stage, ...names(12)), say("read"));
  await session.ask("Read them all. Never touch 3.txt.");
  const before = stage.model.lastRequest();
  expect(before.promptTokens).toBeGreaterThan(40_000);

  writeShift(clockOf(stage.project.root), 5 * MINUTE_MS);
  stage.model.script(say("still here"));
  await session.ask("and now?");
  expect(firstDifference(before, stage.model.lastRequest())).toBeUndefined();
  expect(roomsOf(stage)).toEqual([]);

  writeShift(clockOf(stage.project.root), 70 * MINUTE_MS);
  stage.model.script(say("back again"));
  await session.ask("and after lunch?");
  const cut = stage.model.lastRequest();
  expect(cut.textOf("user")).toContain("too long for the context");
  expect(cut.textOf("user")).toContain("Never touch 3.txt.");
  expect(cut.textOf("user")).toContain("and after lunch?");
  expect(cut.promptTokens).toBeLessThanOrEqual(20_000);
  expect(roomsOf(stage)).toMatchObject([{ event: "cut", cacheLost: 0 }]);
  await whenToasted(events, "Strata: notes now replace the first ");

  stage.model.script(say("further"));
  await session.ask("go on");
  expect(firstDifference(cut, stage.model.lastRequest())).toBeUndefined();
  expect(stage.model.requests.filter(isSummarizing)).toEqual([]);
});
