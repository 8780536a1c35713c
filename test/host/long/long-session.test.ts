/**
 * Invariant 1 over a long time: two hundred turns of one session with all that can come in between, and all that the
 * layers put behind its messages and results. A request begins with the bytes of the one before it, except where the
 * savings ledger says why not.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { formatCount } from "../../../src/base/format.js";
import type { SavingsRecord } from "../../../src/costs/savings.js";
import { patiently } from "../../support/patience.js";
import { removeFolder } from "../../support/remove-folder.js";
import { createWorkedSessions, type WorkedSessions } from "../coding/sessions.js";
import { createWork, createWorkFiles, type Work } from "../coding/work.js";
import { type ExplainedBreak, explainBreaks, readRecords } from "../stage/break-reasons.js";
import { whenFits } from "../stage/files.js";
import { firstDifference, isSummarizing, type ModelRequest, tokensOfBytes } from "../stage/model-request.js";
import { findBreaks } from "../stage/prefix-breaks.js";
import type { Session } from "../stage/session.js";
import { openStage, type Stage } from "../stage/stage.js";
import { call, reporting, say } from "../stage/steps.js";

const SEED = 20_260_731;
const TURNS = 200;
/**
 * The provider forgets a prefix after 12 s, and the plugin knows it: a pause takes no longer than that, and on a busy
 * machine nothing else does, so that no session is thought to pause in which somebody works.
 */
const CACHE_MINUTES = 0.2;
const WINDOW = { context: 36_000, output: 4_000 };
const RULES = [
  "Always go with Postgres instead of SQLite, because two services write at once.",
  "Never run `git push --force` on main.",
];
/** Said elsewhere while the long session is at work. */
const FACT = "Remember: the billing export runs through Kafka.";
/** As it stands in a list, whatever is made of the rest. */
const beginningOf = (rule: string): string => rule.slice(0, 30);
const LETTER = "Part 0 is mine today.";
const PUSH = { command: "git push --force --dry-run nowhere main || true", description: "Push" };
/** What begins the texts that the layers put behind a message or a result, or stands in them. */
const PUT_BEHIND = [
  "[Strata] What earlier sessions noted.",
  "[Strata] Earlier sessions noted this, which may matter here.",
  "[Strata] Noted in earlier sessions about what was just used.",
  "[Strata] This very call failed the same way",
  "[Strata] A reminder after",
  LETTER,
];
/** Four minutes were seen on a busy machine. */
const PLAY_MS = patiently(600_000);

interface Played {
  sessionID: string;
  forkID: string;
  requests: readonly ModelRequest[];
  records: readonly SavingsRecord[];
  breaks: readonly ExplainedBreak[];
  /** Texts of the last answers, and those that were scripted. */
  answers: { given: string; scripted: string }[];
  /** The last request before the fork, and the first in it. */
  forkedAt: ModelRequest;
  /** How many requests there had been when the machine state was deleted. */
  deletedAfter: number;
}

let played: Played;
let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    mcp: true,
    files: createWorkFiles(),
    options: {
      // Fixed numbers, so that something is left for the pauses.
      microCompact: { cacheMinutes: { "mock/*": CACHE_MINUTES }, floor: 1_000, horizon: 10, keepRecent: 5 },
      toolResults: { threshold: 16_000 },
      sessionMemory: { goalDistance: 0 },
    },
    config: { provider: { mock: { models: { m1: { limit: WINDOW }, m2: { limit: WINDOW } } } } },
    promptCache: { lifetimeMs: CACHE_MINUTES * 60_000 },
  });
  played = await play(stage);
}, PLAY_MS);

afterAll(() => stage.close());

/** Two hundred turns of the session, and some more beside it. */
async function play({ model, project }: Stage): Promise<Played> {
  const work = createWork(SEED, project);
  const sessions = createWorkedSessions(stage);
  const answers: Played["answers"] = [];
  const beside = await stage.newSession("beside");
  await rememberRules(beside.id);
  const { id: sessionID } = await stage.newSession("long");
  let asked = 0;

  async function goOn(turns: number, inSession = sessionID, modelName?: string): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      if (inSession === sessionID) asked++;
      answers.push(await takeTurn(sessions, work, inSession, modelName));
    }
  }
  /** What the user says in one session comes back in the others. */
  async function rememberRules(inSession: string): Promise<void> {
    for (const rule of RULES) await sessions.turn(inSession, rule, [say("Understood.")]);
    const index = project.file(".opencode/memory/MEMORY.md");
    await whenFits(index, (text) => RULES.every((rule) => text.includes(beginningOf(rule))), "the rules");
  }
  /**
   * The same call fails twice, a letter comes, a request takes many calls, a copy of the session is at work, its own
   * agent notes something, and a command is run that a rule waits for.
   */
  async function meetOthers(): Promise<void> {
    await sessions.turn(beside.id, FACT, [say("Understood.")]);
    const index = project.file(".opencode/memory/MEMORY.md");
    await whenFits(index, (text) => text.includes("Kafka"), "the fact");
    await sessions.turn(sessionID, "What does the billing export run through?", [say("ok")]);
    const failing = call("bash", { command: "cat no-such-file", description: "Look at it" });
    const letter = call("send_message", { to: sessionID, text: LETTER });
    await sessions.turn(beside.id, "tell the other", [letter, say("ok")]);
    await sessions.turn(sessionID, "Which database do we use, Postgres or SQLite?", [
      failing,
      failing,
      say("ok"),
    ]);
    const counting = Array.from({ length: 11 }, (_, n) =>
      call("bash", { command: `echo ${n}`, description: "Count" }),
    );
    await sessions.turn(sessionID, "Count, one command a number.", [...counting, say("ok")]);
    const fork = call("fork", { tasks: ["Look at part 1."] });
    const note = call("memory_remember", {
      type: "knowledge",
      content: "Part 1 has ten values and no revision.",
    });
    await sessions.turn(sessionID, "look on a copy", [fork, note, call("bash", PUSH), say("ok")]);
  }
  /** Somebody works elsewhere for longer than the cache lives. */
  const pause = () =>
    sessions.turn(beside.id, "wait", [
      call("bash", { command: "sleep 12.1", description: "Wait" }),
      say("ok"),
    ]);

  await goOn(35);
  await meetOthers();
  await goOn(5);
  await pause();
  await goOn(20);
  await stage.restart({ kill: true });
  await goOn(20);
  await goOn(10, sessionID, "m2");
  await goOn(20, sessionID, "m1");
  const forkedAt = model.lastRequest();
  const fork: Session = await stage.session(sessionID).fork();
  await goOn(1, fork.id);
  await Promise.all([goOn(8), goOn(8, fork.id)]);
  await stage.session(sessionID).summarize();
  await goOn(20);
  await pause();
  await goOn(20);
  const deletedAfter = model.requests.length;
  await stage.restart({
    meanwhile: ({ file }) => removeFolder(file(".opencode/strata/state")),
  });
  await goOn(12);
  await goOn(1, fork.id);
  await sessions.turn(sessionID, "a full window", [
    reporting(say("It is full."), { promptTokens: WINDOW.context - 1_000, cachedTokens: 0 }),
  ]);
  await goOn(10);
  await stage.restart({ kill: true });
  await goOn(TURNS - asked);
  const records = readRecords(project.file(".opencode/strata"));
  const breaks = explainBreaks(findBreaks(model.requests), records);
  const { requests } = model;
  return { sessionID, forkID: fork.id, requests, records, breaks, answers, forkedAt, deletedAfter };
}

async function takeTurn(sessions: WorkedSessions, work: Work, sessionID: string, model = "m1") {
  const { answers, user } = work.nextTurn();
  const given = await sessions.turn(sessionID, user, answers, model);
  return { given, scripted: answers.findLast((step) => step.kind === "say")?.text ?? "" };
}

test("every request of a long session begins with the one before it, except where the ledger says why not", () => {
  const { breaks, requests } = played;
  report(breaks, requests);
  expect(breaks.filter(({ reason }) => reason === undefined).map(({ request }) => request)).toEqual([]);
});

test("a long session meets every kind of break there is", () => {
  const reasons = played.breaks.map(({ reason = "" }) => reason);
  const kinds = [
    /switched from mock\/m1 to mock\/m2/,
    /switched from mock\/m2 to mock\/m1/,
    /cleared, idle/,
    /cleared, it pays back/,
    /full-compact: cut/,
    /full-compact: compacted/,
    /machine state was deleted/,
  ];
  for (const kind of kinds)
    expect(
      reasons.some((reason) => kind.test(reason)),
      String(kind),
    ).toBe(true);
  expect(played.requests.filter(isSummarizing)).toHaveLength(2);
});

test("all layers have added to a long session what they have to say, and a copy of it was at work", () => {
  const { requests, sessionID } = played;
  const own = requests.filter((request) => request.sessionID === sessionID);
  for (const text of PUT_BEHIND)
    expect(
      own.some(({ prompt }) => prompt.includes(text)),
      text,
    ).toBe(true);
  const [copy] = requests.filter(({ prompt }) => prompt.includes("The task:\\nLook at part 1."));
  const before = own.findLast(({ at }) => copy !== undefined && at <= copy.at);
  if (!copy || !before) throw new Error("the copy has sent nothing");
  expect(firstDifference(before, copy)).toBeUndefined();
});

test("every turn of a long session ends with the answer that the model gave", () => {
  expect(played.answers.length).toBeGreaterThanOrEqual(TURNS);
  for (const { given, scripted } of played.answers) expect(given).toBe(scripted);
});

test("every call has its result, and every result its call, in each request of a long session", () => {
  for (const { messages } of played.requests) {
    const made = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    const ended = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(ended.sort()).toEqual(made.sort());
  }
});

test("results that are cleared in a pause were in no cache any more", () => {
  const { records, requests, sessionID } = played;
  const own = requests.filter((request) => request.sessionID === sessionID && !isSummarizing(request));
  const inPauses = records.filter(
    ({ event, reason, session }) =>
      session === sessionID && event === "cleared" && /^idle/.test(reason ?? ""),
  );
  expect(inPauses.length).toBeGreaterThanOrEqual(2);
  for (const { cacheLost, reason, time } of inPauses) {
    const index = own.findIndex(({ at }) => at >= Date.parse(time));
    const [earlier, later] = [own[index - 1], own[index]];
    expect(cacheLost).toBe(0);
    if (!earlier || !later) throw new Error(`no request after ${time}`);
    expect(later.cachedTokens, reason).toBeLessThan(tokensOfBytes(countShared(earlier, later)));
  }
});

test("a fork of a session with cuts and clears begins with all that its parent sent last", () => {
  const { forkedAt, forkID, requests } = played;
  const first = requests.find(({ sessionID }) => sessionID === forkID);
  if (!first) throw new Error("the fork has sent nothing");
  expect(firstDifference(forkedAt, first)).toBeUndefined();
});

test("the next request of each session is the only one to differ where the machine state was deleted", () => {
  const { breaks, deletedAfter, forkID, sessionID } = played;
  const lost = breaks.filter(({ reason }) => reason?.includes("machine state was deleted"));
  expect(lost.map(({ later }) => later.sessionID)).toEqual([sessionID, forkID]);
  expect(lost[0]?.request).toBe(deletedAfter + 1);
});

/** Bytes that the two have in common from the beginning. */
function countShared(one: ModelRequest, other: ModelRequest): number {
  const [a, b] = [Buffer.from(one.prompt), Buffer.from(other.prompt)];
  const differs = a.findIndex((byte, index) => byte !== b[index]);
  return differs === -1 ? a.length : differs;
}

function report(breaks: readonly ExplainedBreak[], requests: readonly ModelRequest[]): void {
  const lines = breaks.map(
    ({ later, message, reason, request, tokensLost }) =>
      `  request ${request} of ${later.sessionID} (${formatCount(later.promptTokens)} tokens), from message ${message} on, ` +
      `${formatCount(tokensLost)} tokens behind it: ${reason}`,
  );
  const head = `${requests.length} requests, ${requests.filter(isSummarizing).length} for a summary, ${breaks.length} breaks`;
  // A layer that was too slow, for instance, says so there.
  const log = stage.read(".opencode/strata/strata.log").split("\n");
  const problems = log.filter((line) => / (WARN|ERROR) /.test(line));
  process.stdout.write(`${[head, ...lines, ...problems].join("\n")}\n`);
}
