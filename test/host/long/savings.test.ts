/** The savings ledger adds up: what it says is what the model counted. */

import { expect, test } from "vitest";
import { formatCount } from "../../../src/base/format.js";
import { PRICE, type SavingsRecord } from "../../../src/costs/savings.js";
import { findCounted, sumSavings } from "../../../src/costs/sums.js";
import { patiently } from "../../support/patience.js";
import { createWorkedSessions } from "../coding/sessions.js";
import { createWork, createWorkFiles } from "../coding/work.js";
import { repository } from "../repository.js";
import { readRecords } from "../stage/break-reasons.js";
import { whenFits } from "../stage/files.js";
import { isSummarizing, type ModelRequest, tokensOfBytes } from "../stage/model-request.js";
import { openStage, type Stage, type StageOptions } from "../stage/stage.js";
import { say } from "../stage/steps.js";

/** The plugin takes four characters for a token; the model four bytes of JSON, in which a line break is two. */
const TOLERANCE = 0.15;
const TOLERANCE_OF_ONE = 0.25;
const SEED = 3;
/** Seconds on a machine that has nothing else to do. */
const PLAY_MS = patiently(300_000);
const LEDGER = ".opencode/strata/savings";

interface Play {
  requests: readonly ModelRequest[];
  records: readonly SavingsRecord[];
}

/** The same work in every run. */
async function play(options: Partial<StageOptions>, count: number): Promise<Play> {
  await using stage: Stage = await openStage({ plugin: [], mcp: true, files: createWorkFiles(), ...options });
  const sessions = createWorkedSessions(stage, ({ body }) =>
    body.model === "m2" ? say("Notes.") : undefined,
  );
  const work = createWork(SEED, stage.project);
  const { id } = await stage.newSession("ledger");
  for (let turn = 0; turn < count; turn++) {
    const { answers, user } = work.nextTurn();
    await sessions.turn(id, user, answers);
    // Half-way as well: a call of the plugin's own that takes longer than all turns would be the only one.
    if (turn === Math.floor(count / 2)) await settle();
  }
  // Awaited here: the stage closes when this returns.
  return await settle();

  /** All that was asked, and the record of each: taken at once, since the plugin may have more to ask later. */
  async function settle(): Promise<Play> {
    let settled: Play = { requests: [...stage.model.requests], records: [] };
    if (!options.plugin) return settled;
    const isSettled = () => {
      settled = {
        requests: [...stage.model.requests],
        records: readRecords(stage.project.file(LEDGER)),
      };
      return countEnded(settled.records) === settled.requests.length;
    };
    await whenFits(stage.project.file(`${LEDGER}/${id}.jsonl`), isSettled, "a record of each request");
    return settled;
  }
}

/** Requests of which the ledger tells that they have been answered. */
function countEnded(records: readonly SavingsRecord[]): number {
  return records.filter(({ event }) => event === "answer" || event === "background").length;
}

test(
  "what a batch or a cut freed, and what it lost of the cache, is what the model counted",
  async () => {
    const window = { context: 34_000, output: 4_000 };
    const run = await play(
      {
        plugin: repository,
        options: { microCompact: { floor: 1_000 }, toolResults: { threshold: 16_000 } },
        config: { provider: { mock: { models: { m1: { limit: window } } } } },
      },
      60,
    );
    const measured = measureDepartures(run);
    expect(new Set(measured.map(({ record }) => record.event))).toEqual(new Set(["cleared", "cut"]));
    for (const { freed, lost, record } of measured) {
      const { cacheLost = 0, event, reason, tokensFreed = 0 } = record;
      const what = `${event}, ${reason}: freed ${tokensFreed} (${freed} counted), cache lost ${cacheLost} (${lost} counted)`;
      process.stdout.write(`${what}\n`);
      expect(differ(tokensFreed, freed), what).toBeLessThanOrEqual(TOLERANCE_OF_ONE);
      expect(differ(cacheLost, lost), what).toBeLessThanOrEqual(TOLERANCE_OF_ONE);
    }
    const sum = (pick: (one: Departure) => number) => measured.reduce((total, one) => total + pick(one), 0);
    const freed = differ(
      sum(({ record }) => record.tokensFreed ?? 0),
      sum((one) => one.freed),
    );
    const lost = differ(
      sum(({ record }) => record.cacheLost ?? 0),
      sum((one) => one.lost),
    );
    process.stdout.write(
      `all together: freed differs by ${formatPercent(freed)}, lost by ${formatPercent(lost)}\n`,
    );
    expect(freed).toBeLessThanOrEqual(TOLERANCE);
    expect(lost).toBeLessThanOrEqual(TOLERANCE);
  },
  PLAY_MS,
);

test(
  "the sum over the session is what it cost less than without the plugin",
  async () => {
    const bare = await play({}, 40);
    const strata = await play({ plugin: repository }, 40);
    expect(bare.requests.filter(isSummarizing)).toEqual([]);
    const saved = price(bare.requests) - price(strata.requests);
    const { net } = sumSavings(strata.records);
    const difference = differ(net, saved);
    process.stdout.write(
      `the ledger says ${formatCount(net)}, the model ${formatCount(saved)} of ${formatCount(price(bare.requests))}: ` +
        `${formatPercent(difference)} apart\n`,
    );
    expect(difference).toBeLessThanOrEqual(TOLERANCE);
  },
  PLAY_MS,
);

interface Departure {
  record: SavingsRecord;
  freed: number;
  lost: number;
}

/** What each event freed and lost, by the requests before and after it. */
function measureDepartures({ records, requests }: Play): Departure[] {
  const departures = findCounted(records).filter(
    ({ event, tokensFreed = 0 }) => (event === "cleared" || event === "cut") && tokensFreed > 0,
  );
  return departures.map((record) => {
    const own = requests.filter(({ sessionID }) => sessionID === record.session);
    const index = own.findIndex(({ at }) => at >= Date.parse(record.time));
    const [earlier, later] = [own[index - 1], own[index]];
    if (!earlier || !later) throw new Error(`no request after ${record.time}`);
    const freed = earlier.promptTokens + countFresh(earlier, later) - later.promptTokens;
    return { record, freed, lost: earlier.promptTokens - freed - later.cachedTokens };
  });
}

/** Tokens of what came since. */
function countFresh(earlier: ModelRequest, later: ModelRequest): number {
  const last = later.messageBytes.lastIndexOf(earlier.messageBytes.at(-1) ?? "");
  const fresh = last === -1 ? findAfterCut(earlier, later) : later.messageBytes.slice(last + 1);
  return tokensOfBytes(fresh.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
}

/** A cut may leave nothing of the request before: then notes stand before what came since, or in the same message. */
function findAfterCut(earlier: ModelRequest, later: ModelRequest): string[] {
  const known = new Set(earlier.messageBytes);
  return later.messages
    .filter(({ role }) => role !== "system")
    .flatMap(({ content, ...message }) => {
      if (!JSON.stringify(content ?? "").includes(NOTES)) return [{ ...message, content }];
      if (!Array.isArray(content)) return [];
      const own = content.filter(({ text = "" }) => !text.includes(NOTES));
      return [{ ...message, content: own.length === 1 ? own[0]?.text : own }];
    })
    .map((message) => JSON.stringify(message))
    .filter((bytes) => !known.has(bytes));
}

const NOTES = "too long for the context";

function price(requests: readonly ModelRequest[]): number {
  const prices = requests.map(
    ({ cachedTokens, outputTokens, promptTokens }) =>
      (promptTokens - cachedTokens) * PRICE.written +
      cachedTokens * PRICE.cached +
      outputTokens * PRICE.answered,
  );
  return prices.reduce((sum, one) => sum + one, 0);
}

const differ = (said: number, counted: number): number => Math.abs(said - counted) / Math.max(1, counted);
const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;
