/** The host is killed again and again on the way through one session, in moments of all kinds. */

import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HEADINGS } from "../../../src/notes/page.js";
import { parseStored } from "../../../src/notes/stored.js";
import { createChance } from "../../support/chance.js";
import { patiently } from "../../support/patience.js";
import { type Moment, moments } from "../coding/moments.js";
import { createWorkedSessions } from "../coding/sessions.js";
import { createWork, createWorkFiles } from "../coding/work.js";
import { explainBreaks, readRecords } from "../stage/break-reasons.js";
import type { ModelRequest } from "../stage/model-request.js";
import { findBreaks } from "../stage/prefix-breaks.js";
import type { Project } from "../stage/project.js";
import { openStage, type Stage } from "../stage/stage.js";
import { say } from "../stage/steps.js";

const SEED = 5;
const KILLS = 50;
const WINDOW = { context: 34_000, output: 4_000 };
const PLAY_MS = patiently(900_000);

let stage: Stage;
let sessionID: string;
/** What was wrong after which kill. */
const damage: string[] = [];
const killed = new Map<string, number>();
let last = "";

beforeAll(async () => {
  stage = await openStage({
    mcp: true,
    files: createWorkFiles(),
    options: {
      microCompact: { floor: 1_000 },
      toolResults: { threshold: 16_000 },
      sessionMemory: { updateThreshold: 512, toolCallThreshold: 3 },
      background: { dailyCalls: 1_000, dailyTokens: 10_000_000 },
    },
    config: {
      small_model: "mock/m2",
      provider: { mock: { models: { m1: { limit: WINDOW } } } },
    },
  });
  await play(stage);
}, PLAY_MS);

afterAll(() => stage.close());

async function play({ model, newSession, project }: Stage): Promise<void> {
  const chance = createChance(SEED);
  const sessions = createWorkedSessions(stage, ({ body }) =>
    body.model === "m2" ? say(SECTIONS) : undefined,
  );
  const work = createWork(SEED, project);
  sessionID = (await newSession("kills")).id;

  async function playUntil(moment: Moment): Promise<void> {
    const armed = await moment.arm(stage, chance);
    let hasCome = false;
    const come = armed.come.then(() => {
      hasCome = true;
    });
    // Some moments do not come in every turn.
    for (let turn = 0; turn < MOST_TURNS && !hasCome; turn++) {
      const { answers, user } = work.nextTurn();
      await Promise.race([come, sessions.turn(sessionID, user, answers).catch(() => undefined)]);
    }
    armed.disarm();
    const name = hasCome ? moment.name : `between two turns, for want of: ${moment.name}`;
    killed.set(name, (killed.get(name) ?? 0) + 1);
  }

  for (let count = 1; count <= KILLS; count++) {
    const moment = moments[chance(moments.length)];
    if (!moment) throw new Error("there is no such moment");
    await playUntil(moment);
    await stage.restart({
      kill: true,
      meanwhile: () => {
        const wrong = [...findDamage(project), ...findMissing(model.requests)];
        damage.push(...wrong.map((what) => `after kill ${count}, when ${moment.name}: ${what}`));
      },
    });
  }
  last = await sessions.turn(sessionID, "finish", [say("the end")]);
}

const MOST_TURNS = 12;
const SECTIONS = HEADINGS.map(
  (heading) => `## ${heading}\n- Something on the ${heading.toLowerCase()}.`,
).join("\n\n");

test("a session whose host is killed in moments of all kinds goes on", () => {
  const lines = [...killed].map(([name, count]) => `  ${count} × ${name}`);
  process.stdout.write(`${[`${stage.model.requests.length} requests, killed`, ...lines].join("\n")}\n`);
  expect(last).toBe("the end");
});

test("the notes are whole after each kill, and no file that the context names is missing", () => {
  expect(damage).toEqual([]);
});

test("no byte that was sent changes over the kills, except where the ledger says why", () => {
  const { model, project } = stage;
  // Background calls have no session in OpenCode 2.
  const own = model.requests.filter((request) => request.sessionID === sessionID);
  const breaks = explainBreaks(findBreaks(own), readRecords(project.file(".opencode/strata")));
  for (const { reason, request } of breaks) process.stdout.write(`  request ${request}: ${reason}\n`);
  expect(breaks.filter(({ reason }) => reason === undefined).map(({ request }) => request)).toEqual([]);
});

/** What is not whole of the notes. */
function findDamage({ file }: Project): string[] {
  const path = file(`.opencode/session-memory/${sessionID}`);
  const damaged: string[] = [];
  if (existsSync(`${path}.json`) && !parseStored(readFileSync(`${path}.json`, "utf8")))
    damaged.push("the JSON");
  if (!existsSync(`${path}.md`)) return damaged;
  const found = readFileSync(`${path}.md`, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("## "));
  const isWhole = found.join() === HEADINGS.map((heading) => `## ${heading}`).join();
  return isWhole ? damaged : [...damaged, `headings ${found.join()}`];
}

/** Files that the session's last request names and that are not there. */
function findMissing(requests: readonly ModelRequest[]): string[] {
  const results = requests.findLast((request) => request.sessionID === sessionID)?.toolResults() ?? [];
  const named = results.flatMap(({ text }) => text.match(/\/\S+\/tool-results\/[\w-]+\.txt/g) ?? []);
  return [...new Set(named)].filter((path) => !existsSync(path)).map((path) => `${path} is missing`);
}
