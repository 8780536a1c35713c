/** Whatever a history looks like, and however it grows, the view of it is one that a model can be sent. */

import { expect, it } from "vitest";
import { estimateTextTokens, estimateTokens } from "../../src/context/context-size.js";
import type { Message } from "../../src/io/message.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { countAnswer, disorder, placeStep, planTimes, type Step, session } from "../support/histories.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, fork, user } from "../support/messages.js";
import { patiently } from "../support/patience.js";
import { fc } from "../support/property.js";
import { isLong, sizeOf } from "../support/sizes.js";
import { bytesOf, expectView } from "../support/view-check.js";
import { openWorld, type World } from "../support/world.js";

const because = "the properties are the same";
const of = "histories in property/view.test.ts";
const GROWING_RUNS = sizeOf({ usual: 80, long: 700, of: `growing ${of}`, because });
const DISORDERLY_RUNS = sizeOf({ usual: 150, long: 1_300, of: `disorderly ${of}`, because });
const TIMEOUT_MS = patiently(180_000);
const HOST_FILE = "/data/tool-output/tool_1";
const FIXED_TOKENS = 4_000;
const DEPARTURES = ["cleared", "cut", "compacted"];

const options = fc.record({
  toolResults: fc.record({ threshold: fc.integer({ min: 4_096, max: 9_000 }) }),
  microCompact: fc.record({
    keepRecent: fc.nat(3),
    floor: fc.nat(300),
    horizon: fc.integer({ min: 1, max: 40 }),
    idleMinutes: fc.constantFrom(1, 5, 60),
  }),
  sessionMemory: fc.record({
    goalRefresh: fc.integer({ min: 2, max: 6 }),
    goalDistance: fc.constantFrom(0, 200),
  }),
  autoCompact: fc.record({ threshold: fc.integer({ min: 10_000, max: 24_000 }) }),
});

/** A disk on which an earlier session has left something open, and the host the whole of what it has cut. */
async function planDisk(): Promise<Record<string, Uint8Array>> {
  const earlier = await openWorld();
  await earlier.request([user("Finish the port.", "ses_0"), answer([call("bash", "half done")], "ses_0")]);
  await earlier.strata.idle();
  return { ...Object.fromEntries(earlier.files.contents), [HOST_FILE]: Buffer.from("whole\n".repeat(900)) };
}
const disk = await planDisk();

async function open(given: Record<string, unknown>, startMs: number): Promise<World> {
  const clock = createFakeClock(startMs);
  return openWorld({ options: given, clock, files: createMemoryFiles(disk, clock.now) });
}

/** Which kinds of decisions were made in how many runs. Chance has more weight in fewer runs. */
function createTally() {
  const runs = new Map<string, number>();
  return {
    add(kinds: Iterable<string>): void {
      for (const kind of new Set(kinds)) runs.set(kind, (runs.get(kind) ?? 0) + 1);
    },
    expectShare(kind: string, share: number, of: number): void {
      const least = isLong ? share : share / 2;
      expect((runs.get(kind) ?? 0) / of, `${kind} in ${runs.get(kind)} of ${of} runs`).toBeGreaterThan(least);
    },
  };
}

/** After these, what was sent may have changed. */
const countDepartures = (world: World, sessionID = "ses_1"): number =>
  world.ledger(sessionID, ...DEPARTURES).length;

/** Tokens that layer 3 has put behind results and messages. */
function countAdded(world: World): number {
  const added = world.decisions().filter(({ outcome }) => outcome === "extended");
  return added.reduce((sum, { text = "" }) => sum + estimateTextTokens(text) + 1, 0);
}

/** Asked again, in another process and in a fork: the same, as far as nothing new was decided and written down. */
async function expectSame(world: World, messages: readonly Message[]): Promise<World> {
  await settle(world, messages);
  const view = await world.request(messages);
  const sent = bytesOf(view);
  const departures = countDepartures(world);
  const again = await world.restart();
  const restarted = bytesOf(await again.request(messages));
  if (countDepartures(world) === departures) expect(restarted, "after a restart").toEqual(sent);
  const forked = bytesOf(await again.request(fork(messages, "ses_fork")));
  if (countDepartures(world, "ses_fork") === 0) expect(forked, "in a fork").toEqual(restarted);
  return again;
}

/** A request that is made again may be decided about anew, once, and then only with a record. */
async function settle(world: World, messages: readonly Message[]): Promise<void> {
  const before = countDepartures(world);
  const sent = bytesOf(await world.request(messages));
  const now = bytesOf(await world.request(messages));
  if (countDepartures(world) === before) expect(now, "asked again").toEqual(sent);
}

/** The history at its end, and the process that served it last. */
async function grow(
  world: World,
  steps: readonly Step[],
  restartAt: number,
): Promise<{ last: World; messages: Message[] }> {
  const times = planTimes(steps);
  const messages: Message[] = [];
  let current = world;
  let sent: string[] = [];
  for (const [index, step] of steps.entries()) {
    const created = times[index] ?? 0;
    world.clock.advance(created - world.clock.now());
    let promptTokens = 0;
    if (step.role === "assistant" && messages.length > 0) {
      if (index === restartAt) current = await current.restart();
      const departures = countDepartures(world);
      const untouched = structuredClone(messages);
      const view = await current.request(messages);
      expect(messages).toEqual(untouched);
      expectView(view, messages, countAdded(world));
      const bytes = bytesOf(view);
      if (countDepartures(world) === departures) expect(bytes.slice(0, sent.length)).toEqual(sent);
      sent = bytes;
      promptTokens = FIXED_TOKENS + estimateTokens(view);
    }
    messages.push(countAnswer(placeStep(step, index, created), step, promptTokens));
  }
  world.clock.advance(5_000);
  return { last: current, messages };
}

it("a history that grows never changes what was sent of it but with a record, over restarts as well", {
  timeout: TIMEOUT_MS,
}, async () => {
  const tally = createTally();
  await fc.assert(
    fc.asyncProperty(session, options, fc.nat(20), async (steps, given, restartAt) => {
      const world = await open(given, MORNING);
      const { last, messages } = await grow(world, steps, restartAt);
      await expectSame(last, messages);
      tally.add(world.decisions().map(({ layer, outcome }) => `${layer} ${outcome}`));
      tally.add(world.decisions().flatMap(({ key }) => (/ input \d+$/.test(key) ? ["input cleared"] : [])));
      await last.strata.idle();
    }),
    { numRuns: GROWING_RUNS },
  );
  tally.expectShare("tool-results replaced", 0.7, GROWING_RUNS);
  tally.expectShare("micro-compact cleared", 0.6, GROWING_RUNS);
  tally.expectShare("input cleared", 0.4, GROWING_RUNS);
  tally.expectShare("session-memory extended", 0.7, GROWING_RUNS);
  tally.expectShare("full-compact cut", 0.08, GROWING_RUNS);
});

it("a history of any order, with or without times, keeps its calls, results, texts and order, and grows by bounded blocks only", {
  timeout: TIMEOUT_MS,
}, async () => {
  const tally = createTally();
  await fc.assert(
    fc.asyncProperty(
      disorder,
      options,
      fc.boolean(),
      fc.nat(40_000),
      async (steps, given, isTimed, tokens) => {
        const times = planTimes(steps);
        const messages = steps.map((step, index) =>
          countAnswer(placeStep(step, index, isTimed ? times[index] : undefined), step, tokens),
        );
        const world = await open(given, (times.at(-1) ?? MORNING) + 5_000);
        const view = await world.request(messages);
        expectView(view, messages, countAdded(world));
        await expectSame(world, messages);
        tally.add(world.decisions().map(({ layer, outcome }) => `${layer} ${outcome}`));
        await world.strata.idle();
      },
    ),
    { numRuns: DISORDERLY_RUNS },
  );
  tally.expectShare("tool-results replaced", 0.15, DISORDERLY_RUNS);
  tally.expectShare("micro-compact cleared", 0.05, DISORDERLY_RUNS);
  tally.expectShare("full-compact rewritten", 0.12, DISORDERLY_RUNS);
  tally.expectShare("full-compact cut", 0.06, DISORDERLY_RUNS);
});
