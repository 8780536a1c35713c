/** A small invented session, in the form of recorded ones, played in the real OpenCode and in the simulation of it. */
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { compare, judgeClaim } from "../../sessions/comparison.js";
import { measureReplay } from "../../sessions/figures.js";
import { createInventedSession } from "../../sessions/invented-session.js";
import { readOpening, type SeenOpening } from "../../sessions/opening.js";
import { sum } from "../../sessions/prices.js";
import { readSession } from "../../sessions/read-sessions.js";
import type { RecordedSession } from "../../sessions/recorded-session.js";
import { replay } from "../../sessions/replay.js";
import type { Replay } from "../../sessions/request-record.js";
import { simulateSession } from "../../sessions/simulate-session.js";
import { readHostTools } from "../../sessions/tool-definitions.js";
import { removeFolder } from "../../support/remove-folder.js";
import { only1 } from "../only-1.js";
import { repository } from "../repository.js";
import type { ChatTool } from "../stage/model-request.js";
import { isolation, runOpenCode } from "../stage/opencode.js";
import type { Project } from "../stage/project.js";
import { openStage } from "../stage/stage.js";
import { runStrata, type StrataRun } from "../stage/strata.js";
import { HOST } from "../stage/which-host.js";

/**
 * A window so small that the bare host summarizes, and that the plugin clears what is edited later: both hosts leave
 * about 32,000 tokens of it, OpenCode 2 keeps 20,000 free. So small a session has to be cleared early.
 */
const SMALL = {
  window: HOST === 1 ? 41_000 : 52_000,
  options: { microCompact: { floor: 0, keepRecent: 1, horizon: 10 } },
};
const MINUTE_MS = 60_000;

let session: RecordedSession;
let tools: ChatTool[];
let bare: Replay;
let strata: Replay;
/** The session as OpenCode has stored it, without the plugin, and what `strata try` says of it there. */
let exported: string;
let tried: StrataRun;

beforeAll(async () => {
  session = readBack(createInventedSession());
  tools = await readHostTools();
  bare = await replay(session, {
    ...{ tools, window: SMALL.window, hasPauses: true },
    onEnd: async ({ host, project }, id) => {
      // As `opencode export` has it, which cuts what it writes into a pipe.
      if (HOST === 1) {
        const info = await host.api("GET", `/session/${id}`);
        exported = JSON.stringify({ info, messages: await host.api("GET", `/session/${id}/message`) });
      }
      tried = await runStrata(project, ["try", "--server", host.url, "--json"], { env: envOf(project) });
    },
  });
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
      const given = { window: SMALL.window, hasPauses: true };
      const bareAgain = await simulateSession(session, { ...given, arm: "bare", opening: await open() });
      expect(deviation(bareAgain, bare)).toBeLessThan(0.03);
      const opening = await open(repository);
      const again = await simulateSession(session, { ...given, arm: { plugin: SMALL.options }, opening });
      expect(deviation(again, strata)).toBeLessThan(0.03);
      expect(again.records).toHaveLength(strata.records.length);
      const [compared] = compare([{ id: "invented", bare: bareAgain, strata: again }]);
      expect(compared && judgeClaim(compared)).toMatchObject({ isTrue: true });
    },
  );
});

/** In the PATH of a test there is OpenCode 1 as well. */
function envOf(project: Project): Record<string, string> {
  const { PATH: _, ...env } = isolation(project);
  return env;
}

describe("strata try", () => {
  it("plays what a running OpenCode has stored, in dollars where it is asked for prices", () => {
    expect([tried.code, tried.err]).toEqual([0, ""]);
    const unit = HOST === 1 ? "dollars" : "tokens";
    const said = JSON.parse(tried.out);
    expect(said).toMatchObject({ isSimulated: true, unit, left: { short: 0, unread: 0, late: 0 } });
    expect(said.sessions).toHaveLength(1);
    expect(said.sessions[0].requests).toBeGreaterThanOrEqual(answersOf(bare));
  });

  only1("it has no export command")(
    "what it says of a session that OpenCode has stored is within 15 % of the replay, and it leaves nothing behind",
    async () => {
      await using stage = await openStage({
        ...{ plugin: [repository], options: SMALL.options },
        config: {
          provider: { mock: { models: { m1: { limit: { context: SMALL.window, output: 8_000 } } } } },
        },
      });
      const { project } = stage;
      const path = join(project.root, "exported.json");
      writeFileSync(path, exported.replaceAll(/"directory":\s*"[^"]+"/g, `"directory": "${project.path}"`));
      await runOpenCode(project, ["import", path]);
      const before = listFiles(project.path);
      const ran = await runStrata(project, ["try", "--json"], { env: envOf(project) });
      expect([ran.code, ran.err]).toEqual([0, ""]);
      const said = JSON.parse(ran.out);
      const [price, replayed] = [bare, strata].map((one) => measureReplay(one).price);
      const ratio = (replayed ?? 0) / (price ?? 1);
      process.stdout.write(`strata try: ${said.ratio}, replay: ${ratio}\n`);
      expect(said).toMatchObject({
        isSimulated: true,
        unit: "dollars",
        left: { short: 0, unread: 0, late: 0 },
      });
      expect(Math.abs(said.ratio / ratio - 1)).toBeLessThan(0.15);
      expect(listFiles(project.path)).toEqual(before);
    },
  );
});

/** Without what each OpenCode that loads the plugin here writes of its calls, the stage's own among them. */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => !/^\.git\/|\/state\/calls\//.test(path),
  );
