/** The host is killed again and again on the way through one session, in moments of all kinds. */
import { existsSync, readFileSync, watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HEADINGS } from "../../../src/notes/page.js";
import { parseStored } from "../../../src/notes/stored.js";
import { type Chance, createChance } from "../../support/chance.js";
import { patiently } from "../../support/patience.js";
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

/**
 * Moments to kill a host in: each is something that happens on the way of a turn, however fast the machine is. Armed
 * before the turn begins; where what it waits for does not come, the turn ends without it.
 */

interface Armed {
  /** Resolves when the moment has come; never when it does not. */
  come: Promise<void>;
  disarm(): void;
}

interface Moment {
  name: string;
  arm(stage: Stage, chance: Chance): Promise<Armed>;
}

/** A request of the session's own model arrives, one of the next three. */
const arrival: Moment = {
  name: "a request arrives",
  arm: async (stage, chance) => whenAsked(stage, 1 + chance(3), ({ body }) => body.model === "m1"),
};

/** The same, and the model answers while the host goes down. */
const answering: Moment = {
  name: "an answer is on its way",
  async arm(stage, chance) {
    const { come, disarm } = whenAsked(stage, 1 + chance(2), ({ body }) => body.model === "m1");
    return { come: come.then(() => new Promise((resolve) => setImmediate(resolve))), disarm };
  },
};

/** A small model is writing, in a session of the plugin's own. */
const child: Moment = {
  name: "a child session is at work",
  arm: async (stage) => whenAsked(stage, 1, ({ body }) => body.model === "m2"),
};

/** A result is written. */
const result: Moment = {
  name: "a result is written",
  arm: (stage) => whenChanged(stage, ".opencode/tool-results", () => true),
};

/** Decisions are written: the request that shows them has not been sent. */
const decision: Moment = {
  name: "a decision is written",
  arm: (stage) => whenChanged(stage, ".opencode/strata/state/decisions", () => true),
};

/** The session notes are written, or the file for the machine beside them. */
const notes: Moment = {
  name: "notes are written",
  arm: (stage, chance) =>
    whenChanged(stage, ".opencode/session-memory", (name) =>
      name.includes(chance(2) === 0 ? ".md" : ".json"),
    ),
};

/** The ledger has a batch or a cut that is about to be decided. */
const departure: Moment = {
  name: "history is cut or cleared",
  arm(stage) {
    const folder = ".opencode/strata/savings";
    const count = () =>
      readRecords(stage.project.file(folder)).filter(({ event }) => event === "cleared" || event === "cut")
        .length;
    const before = count();
    return whenChanged(stage, folder, () => count() > before);
  },
};

const moments: readonly Moment[] = [arrival, answering, child, result, decision, notes, departure];

/** The next `count` requests of this kind have arrived. */
function whenAsked({ model }: Stage, count: number, fits: (request: ModelRequest) => boolean): Armed {
  const { length } = model.requests;
  const isDue = (request: ModelRequest) =>
    fits(request) && model.requests.slice(length).filter(fits).indexOf(request) === count - 1;
  return { come: model.waitForRequest(isDue, NEVER_MS).then(() => undefined), disarm: () => {} };
}

/** Longer than any turn. */
const NEVER_MS = 2_000_000;

async function whenChanged(
  { project }: Stage,
  folder: string,
  fits: (name: string) => boolean,
): Promise<Armed> {
  const path = project.file(folder);
  await mkdir(path, { recursive: true });
  let disarm = () => {};
  const come = new Promise<void>((resolve) => {
    const watcher = watch(path, (_, name) => {
      if (fits(name ?? "")) resolve();
    });
    disarm = () => watcher.close();
  });
  return { come, disarm };
}
