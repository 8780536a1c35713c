/**
 * Invariant 1 over a long time: two hundred turns of one session with all that can come in between. A request begins
 * with the bytes of the one before it, except where the savings ledger says why not.
 */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatCount } from "../../src/format.js";
import type { SavingsRecord } from "../../src/record/savings.js";
import { repository } from "./repository.js";
import { type ExplainedBreak, explainBreaks, readRecords } from "./stage/break-reasons.js";
import { isSummarizing, type ModelRequest } from "./stage/model-request.js";
import { findBreaks } from "./stage/prefix-breaks.js";
import type { Session } from "./stage/session.js";
import { openStage, type Stage } from "./stage/stage.js";
import { call, reporting, say } from "./stage/steps.js";
import { createWorkedSessions, type WorkedSessions } from "./work/sessions.js";
import { createWork, createWorkFiles, type Work } from "./work/work.js";

const SEED = 20_260_731;
/** The provider forgets a prefix after 1.2 s, and the plugin knows it: a pause takes no longer than that. */
const CACHE_MINUTES = 0.02;
const WINDOW = { context: 64_000, output: 8_000 };
const PLAY_MS = 180_000;

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
    plugin: repository,
    mcp: true,
    files: createWorkFiles(),
    options: {
      microCompact: { cacheMinutes: { "mock/*": CACHE_MINUTES }, floor: 1_000 },
      toolResults: { threshold: 16_000 },
    },
    config: {
      snapshot: false,
      provider: { mock: { models: { m1: { limit: WINDOW }, m2: { limit: WINDOW } } } },
    },
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
  const { id: sessionID } = await stage.newSession("long");
  const clock = await stage.newSession("clock");
  let asked = 0;

  async function goOn(turns: number, inSession = sessionID, modelName?: string): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      if (inSession === sessionID) asked++;
      answers.push(await takeTurn(sessions, work, inSession, modelName));
    }
  }
  /** Somebody works elsewhere for longer than the cache lives. */
  const pause = () =>
    sessions.turn(clock.id, "wait", [call("bash", { command: "sleep 1.3", description: "Wait" }), say("ok")]);

  await goOn(40);
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
    meanwhile: ({ file }) => rmSync(file(".opencode/strata/state"), { recursive: true }),
  });
  await goOn(12);
  await sessions.turn(sessionID, "a full window", [
    reporting(say("It is full."), { promptTokens: WINDOW.context - 1_000, cachedTokens: 0 }),
  ]);
  await goOn(10);
  await stage.restart({ kill: true });
  await goOn(200 - asked);
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

test("every request begins with the one before it, except where the ledger says why not", () => {
  const { breaks, requests } = played;
  report(breaks, requests);
  expect(breaks.filter(({ reason }) => reason === undefined).map(({ request }) => request)).toEqual([]);
});

function report(breaks: readonly ExplainedBreak[], requests: readonly ModelRequest[]): void {
  const lines = breaks.map(
    ({ later, message, reason, request, tokensLost }) =>
      `  request ${request} of ${later.sessionID} (${formatCount(later.promptTokens)} tokens), from message ${message} on, ` +
      `${formatCount(tokensLost)} tokens behind it: ${reason}`,
  );
  const head = `${requests.length} requests, ${requests.filter(isSummarizing).length} for a summary, ${breaks.length} breaks`;
  process.stdout.write(`${[head, ...lines].join("\n")}\n`);
}
