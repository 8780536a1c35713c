/**
 * Same bytes over forty turns of one session: a kill, a model switch, a fork, a compaction and deleted machine state.
 * long/long-session.test.ts plays two hundred, with pauses, mail and subagents.
 */
import { expect, test } from "vitest";
import { patiently } from "../support/patience.js";
import { removeFolder } from "../support/remove-folder.js";
import { createWorkedSessions } from "./coding/sessions.js";
import { createWork, createWorkFiles } from "./coding/work.js";
import { explainBreaks, readRecords } from "./stage/break-reasons.js";
import { firstDifference } from "./stage/model-request.js";
import { findBreaks } from "./stage/prefix-breaks.js";
import { openStage } from "./stage/stage.js";

const SEED = 20_260_731;
const TURNS = 40;
/** Small enough for batches of cleared results and for a cut. */
const WINDOW = { context: 24_000, output: 4_000 };
const KINDS = [
  /switched from mock\/m1 to mock\/m2/,
  /switched from mock\/m2 to mock\/m1/,
  /cleared, it pays back/,
  /full-compact: cut/,
  /full-compact: compacted/,
  /machine state was deleted/,
];
const PLAY_MS = patiently(300_000);

test(
  "in forty turns every request begins with the one before it, except where the ledger says why not",
  async () => {
    await using stage = await openStage({
      mcp: true,
      files: createWorkFiles(),
      options: {
        microCompact: { floor: 1_000, horizon: 10, keepRecent: 5 },
        toolResults: { threshold: 16_000 },
      },
      config: { provider: { mock: { models: { m1: { limit: WINDOW }, m2: { limit: WINDOW } } } } },
    });
    const { model, project } = stage;
    const work = createWork(SEED, project);
    const sessions = createWorkedSessions(stage);
    const { id } = await stage.newSession("forty turns");
    let asked = 0;
    async function goOn(turns: number, inSession = id, modelName = "m1"): Promise<void> {
      for (let turn = 0; turn < turns; turn++) {
        const { answers, user } = work.nextTurn();
        if (inSession === id) asked++;
        const last = answers.at(-1);
        const text = await sessions.turn(inSession, user, answers, modelName);
        expect(text).toBe(last?.kind === "say" ? last.text : "");
      }
    }

    await goOn(16);
    await stage.restart({ kill: true });
    await goOn(4);
    await goOn(2, id, "m2");
    await goOn(4);
    const forkedAt = model.lastRequest();
    const fork = await stage.session(id).fork();
    await goOn(1, fork.id);
    const first = model.requests.find(({ sessionID }) => sessionID === fork.id);
    expect(first && firstDifference(forkedAt, first)).toBeUndefined();
    await Promise.all([goOn(2), goOn(2, fork.id)]);
    await stage.session(id).summarize();
    await goOn(4);
    // Killed: a plugin that is only closed may still append a decision, and then writes those of before it again.
    await stage.restart({
      kill: true,
      meanwhile: ({ file }) => removeFolder(file(".opencode/strata/state")),
    });
    await goOn(TURNS - asked);

    const breaks = explainBreaks(findBreaks(model.requests), readRecords(project.file(".opencode/strata")));
    const lines = breaks.map(({ reason, request }) => `  request ${request}: ${reason}`);
    process.stdout.write(`${[`${model.requests.length} requests`, ...lines].join("\n")}\n`);
    expect(breaks.filter(({ reason }) => reason === undefined).map(({ request }) => request)).toEqual([]);
    for (const kind of KINDS)
      expect(
        breaks.some(({ reason = "" }) => kind.test(reason)),
        String(kind),
      ).toBe(true);
  },
  PLAY_MS,
);
