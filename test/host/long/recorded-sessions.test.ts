/** A small invented session, in the form of recorded ones, played in the real OpenCode and in the simulation of it. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readOpening, type SeenOpening } from "../../bench/session-simulation/opening.js";
import { simulate } from "../../bench/session-simulation/simulate.js";
import { compare, judgeClaim } from "../../sessions/comparison.js";
import { measureReplay } from "../../sessions/figures.js";
import { createInventedSession } from "../../sessions/invented-session.js";
import { sum } from "../../sessions/prices.js";
import { type RecordedSession, readSession } from "../../sessions/recorded-session.js";
import { replay } from "../../sessions/replay.js";
import type { Replay } from "../../sessions/request-record.js";
import { readHostTools } from "../../sessions/tool-definitions.js";
import { removeFolder } from "../../support/remove-folder.js";
import { only1 } from "../only-1.js";
import { repository } from "../repository.js";
import type { ChatTool } from "../stage/model-request.js";
import { HOST } from "../stage/which-host.js";

/**
 * A window so small that the bare host summarizes, and that the plugin clears what is edited later: both hosts leave
 * 32,000 tokens of it, OpenCode 2 keeps 20,000 free. So small a session has to be cleared early.
 */
const SMALL = {
  window: HOST === 1 ? 40_000 : 52_000,
  options: { microCompact: { floor: 0, keepRecent: 1, horizon: 10 } },
};
const MINUTE_MS = 60_000;

let session: RecordedSession;
let tools: ChatTool[];
let bare: Replay;
let strata: Replay;

beforeAll(async () => {
  session = readBack(createInventedSession());
  tools = await readHostTools();
  bare = await replay(session, { tools, window: SMALL.window, hasPauses: true });
  strata = await replay(session, { ...SMALL, tools, plugin: repository, hasPauses: true });
});

/** The session as it comes from a file. */
function readBack(made: RecordedSession): RecordedSession {
  const folder = mkdtempSync(join(tmpdir(), "strata-recorded-"));
  try {
    writeFileSync(join(folder, "session.json"), JSON.stringify(made));
    return readSession(join(folder, "session.json"));
  } finally {
    removeFolder(folder);
  }
}

const answersOf = ({ records }: Replay): number => records.filter(({ leaning }) => leaning).length;

describe("a recorded session in the real OpenCode", () => {
  it("a replay gives every recorded answer that calls tools or ends a turn", () => {
    // One of the recorded answers neither calls nor ends a turn; it is said with the next.
    const recorded = sum(session.turns.map(({ steps }) => steps.length)) - 1;
    expect([answersOf(bare), answersOf(strata)]).toEqual([recorded, recorded]);
  });

  it("a replay lets the recorded hour pass without waiting, and the prompt cache is cold behind it", () => {
    for (const { records, seconds } of [bare, strata]) {
      const behind = records.find(({ at }, index) => at - (records[index - 1]?.at ?? at) > 50 * MINUTE_MS);
      expect(behind?.cached).toBe(0);
      expect(seconds).toBeLessThan(50 * 60);
    }
  });

  it("a ledger claims what was saved, with the host's summary, the looks and the cold cache", () => {
    const [compared] = compare([{ id: "invented", bare, strata }]);
    const claim = compared && judgeClaim(compared);
    process.stdout.write(`claimed ${claim?.claimed}, saved ${claim?.saved}\n`);
    expect(claim).toMatchObject({ isTrue: true });
  });
});

describe("the simulation of a recorded session", () => {
  /** How far the price is from the replay's, as a share of it. */
  const deviation = (simulated: Replay, replayed: Replay): number =>
    Math.abs(measureReplay(simulated).price / measureReplay(replayed).price - 1);

  const open = (plugin?: string): Promise<SeenOpening> =>
    readOpening([session], { hostTools: tools, ...(plugin === undefined ? {} : { plugin }) });

  only1("the simulation makes the requests of OpenCode 1")(
    "a simulation costs what the replay costs, within 3 %, without the plugin and with it",
    async () => {
      const bareAgain = await simulate(session, {
        window: SMALL.window,
        hasPauses: true,
        opening: await open(),
      });
      expect(deviation(bareAgain, bare)).toBeLessThan(0.03);
      const opening = await open(repository);
      const again = await simulate(session, { ...SMALL, hasPauses: true, opening, plugin: repository });
      expect(deviation(again, strata)).toBeLessThan(0.03);
      expect(again.records).toHaveLength(strata.records.length);
      const [compared] = compare([{ id: "invented", bare: bareAgain, strata: again }]);
      expect(compared && judgeClaim(compared)).toMatchObject({ isTrue: true });
    },
  );
});
