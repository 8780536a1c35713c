/**
 * Plays a recorded session once in the real OpenCode:
 *
 *     const tools = await readHostTools();
 *     const bare = await replay(session, { tools });
 *     const strata = await replay(session, { tools, plugin: withStrata });
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mergeRecords } from "../../src/base/shape.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { sumRecords } from "../../src/costs/sums.js";
import { nodeFiles } from "../../src/io/node-files.js";
import { applyCall } from "../../src/trial/look-ups.js";
import { BYTES_PER_TOKEN } from "../../src/trial/requests.js";
import { readHookSeconds } from "../demo/play.js";
import { readRecords } from "../host/stage/break-reasons.js";
import { whenFits } from "../host/stage/files.js";
import type { ChatTool } from "../host/stage/model-request.js";
import type { Session } from "../host/stage/session.js";
import { writeShift } from "../host/stage/shift-date.js";
import { type HostConfig, openStage, type Stage } from "../host/stage/stage.js";
import { createRecordedAgent, type RecordedAgent } from "./recorded-agent.js";
import { openRecordedAnswers } from "./recorded-answers.js";
import type { RecordedCall, RecordedSession } from "./recorded-session.js";
import type { Played, Replay } from "./request-record.js";
import { planScript, type ScriptTurn } from "./script.js";
import { planDefinitions, recordedTools, TOOLS_FILE } from "./tool-definitions.js";

export interface ReplayOptions {
  /** The host's tools, from `readHostTools`. */
  tools: readonly ChatTool[];
  /** The plugin to load; by default none. */
  plugin?: string;
  /** Options for it. */
  options?: Record<string, unknown>;
  /** The model's window in tokens; 200,000 by default. */
  window?: number;
  /** Whether time passes between requests as it was recorded, without waiting. */
  hasPauses?: boolean;
  /** Merged into the host's configuration. */
  config?: HostConfig;
  /** The model's ID and its price as the host gives it; by default one without a price. */
  model?: { id: string; cost: object };
  /** Called while the host still runs, after the last turn. */
  onEnd?: (stage: Stage, sessionID: string) => Promise<void>;
  /** Called after each turn. */
  onTurn?: (turn: number, turns: number) => void;
}

/** A turn may hold more than a hundred requests. */
const TURN_TIMEOUT_MS = 1_200_000;
/** How often the user says "Continue." to a turn that the host ended early, before the replay gives up. */
const MAX_NUDGES = 3;

/** Throws if OpenCode ends a turn with an error, or asks for a result that was not recorded. */
export async function replay(session: RecordedSession, options: ReplayOptions): Promise<Replay> {
  const { tools, plugin, window = 200_000, hasPauses = false } = options;
  const startedMs = performance.now();
  let onRun = async (_call: RecordedCall): Promise<void> => {};
  const answers = await openRecordedAnswers((call) => onRun(call));
  try {
    const clock = createLateClock();
    await using stage = await openStage({
      plugin: [recordedTools, ...(plugin === undefined ? [] : [plugin])],
      ...(options.options ? { options: options.options } : {}),
      config: mergeRecords(
        {
          small_model: undefined,
          provider: { mock: { models: { m1: { limit: { context: window, output: 8_000 } } } } },
        },
        options.config ?? {},
      ),
      env: (project) => ({
        STRATA_RECORDED_TOOLS: join(project.root, TOOLS_FILE),
        STRATA_RECORDED_ANSWERS: answers.url,
        STRATA_WATCH: join(project.root, WATCH),
        ...(hasPauses ? { STRATA_RECORDED_CLOCK: join(project.root, CLOCK) } : {}),
      }),
      promptCache: { now: clock.now, bytesPerToken: BYTES_PER_TOKEN },
      async prepare({ root }) {
        await writeFile(join(root, TOOLS_FILE), JSON.stringify(planDefinitions(tools, [session])));
        writeShift(join(root, CLOCK), 0);
        if (hasPauses) clock.set(createRecordedClock(session.turns[0]?.at ?? Date.now(), join(root, CLOCK)));
      },
    });
    const folder = stage.project.path;
    const turns = planScript(session, folder);
    const agent = createRecordedAgent({
      turns,
      folder,
      clock,
      onCall: answers.add,
    });
    onRun = async (call) => {
      await applyCall(nodeFiles, call, folder);
      agent.wait();
    };
    const played = await stage.newSession(session.id);
    agent.enter(played.id);
    stage.model.respond(agent.respond);
    for (const [index, turn] of turns.entries()) {
      clock.reach(turn.at);
      agent.begin(index);
      await playTurn(played, turn, agent);
      options.onTurn?.(index + 1, turns.length);
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    await options.onEnd?.(stage, played.id);
    if (answers.missing.length > 0) throw new Error(`not recorded: ${answers.missing.join(", ")}`);
    const seen = agent.close();
    if (plugin !== undefined) await settle(stage, played.id, seen);
    return { id: session.id, ...(await finish(stage)), ...seen, seconds };
  } finally {
    await answers.close();
  }
}

/** Beside the project, under the stage's root. */
const CLOCK = "recorded-clock";
const WATCH = "watch.json";

/** A clock that is known only when the project is. */
function createLateClock() {
  let clock = steadyClock;
  return {
    set(next: typeof clock) {
      clock = next;
    },
    now: () => clock.now(),
    reach: (at: number | undefined) => clock.reach(at),
  };
}

async function playTurn(session: Session, { user }: ScriptTurn, agent: RecordedAgent): Promise<void> {
  for (let nudges = 0; nudges === 0 || !agent.isTurnOver(); nudges++) {
    if (nudges > MAX_NUDGES) throw new Error("OpenCode ended a turn before all recorded answers were given");
    const text = nudges === 0 ? user : "Continue.";
    const { info } = await session.ask(text, { timeoutMs: TURN_TIMEOUT_MS });
    if (info.error) throw new Error(`OpenCode ended a turn with an error: ${JSON.stringify(info.error)}`);
  }
}

/** Waits for the ledger's record of the last answer: the host tells the plugin of it after it has ended the turn. */
async function settle({ project }: Stage, sessionID: string, { records }: Played): Promise<void> {
  const path = project.file(`.opencode/strata/savings/${sessionID}.jsonl`);
  const answers = records.filter(({ kind }) => kind === "agent").length;
  const countAnswers = (text: string): number => text.split('"event":"answer"').length - 1;
  await whenFits(path, (text) => countAnswers(text) >= answers, `a record of each of ${answers} answers`);
}

/** Stops the host first, so that what the plugin still writes is there. */
async function finish({ host, project }: Stage) {
  await host.stop();
  const ledger = readRecords(project.file(".opencode/strata"));
  return { claimed: sumClaims(ledger), ledger, hookSeconds: readHookSeconds(join(project.root, WATCH)) };
}

/** What the ledger of each session claims, added up. */
export function sumClaims(records: readonly SavingsRecord[]): number {
  const sessions = [...new Set(records.map(({ session }) => session))];
  const net = (id: string): number => sumRecords(records.filter(({ session }) => session === id)).net;
  return sessions.reduce((sum, id) => sum + net(id), 0);
}

/**
 * Time as it was recorded, without waiting: at each recorded moment the clock jumps ahead to it and tells the host by a
 * file, which `recorded-tools` reads inside the host. It never goes back.
 */

export interface RecordedClock {
  /** The time as the host sees it, in milliseconds. */
  now(): number;
  /** Jumps ahead to a recorded moment. Without one, or without pauses, does nothing. */
  reach(at: number | undefined): void;
}

/** The clock of a replay without pauses. */
export const steadyClock: RecordedClock = { now: Date.now, reach: () => {} };

/** A clock that begins at the recorded moment `from`; the host reads its offset from `file`. */
export function createRecordedClock(from: number, file: string): RecordedClock {
  let offsetMs = 0;
  const shiftMs = Date.now() - from;
  const now = (): number => Date.now() + offsetMs;
  return {
    now,
    reach(at) {
      if (at === undefined || at + shiftMs <= now()) return;
      offsetMs += at + shiftMs - now();
      writeShift(file, offsetMs);
    },
  };
}
