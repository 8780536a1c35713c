/**
 * Whatever happens in a session, what it would be without Strata never gets smaller: only the host's own summary and an
 * undo make a history shorter, and neither is played here.
 */
import { expect, it } from "vitest";
import { countCall } from "../../src/context/context-size.js";
import type { Message } from "../../src/io/message.js";
import { isToolPart, readResultText } from "../../src/io/message.js";
import { createFakeClock, MORNING } from "../support/fake-clock.js";
import { call, lines } from "../support/messages.js";
import { patiently } from "../support/patience.js";
import { fc, runs } from "../support/property.js";
import { createSession, MODEL, type Session } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

const RUNS = runs(25, 250, "sessions in property/without-strata.test.ts");
const TIMEOUT_MS = patiently(120_000);
const FIXED_TOKENS = 9_000;
const MINUTE_MS = 60_000;

const turn = fc.record({
  words: fc.nat(6_000),
  /** Lines of each result; the long ones are moved to files. */
  results: fc.array(fc.constantFrom(5, 60, 400, 1_500), { maxLength: 4 }),
  /** The tool of the results: a file read again supersedes the reading before. */
  isSameFile: fc.boolean(),
  pauseMinutes: fc.constantFrom(0, 0, 0, 10, 90),
  isCut: fc.boolean(),
  isRestarted: fc.boolean(),
  isInterrupted: fc.boolean(),
  model: fc.constantFrom(MODEL.modelID, MODEL.modelID, MODEL.modelID, "other"),
});

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

/** Characters a token, as this provider counts words and results. */
const provider = fc.record({
  words: fc.constantFrom(3, 4, 5),
  results: fc.constantFrom(1.5, 2.5, 4),
});

type Provider = typeof provider extends fc.Arbitrary<infer T> ? T : never;

const countPrompt = (shown: readonly Message[], { results, words }: Provider, model: string): number => {
  let tokens = FIXED_TOKENS;
  for (const part of shown.flatMap((message) => message.parts))
    if (isToolPart(part)) tokens += countCall(part) / words + (readResultText(part)?.length ?? 0) / results;
    else if (!part.ignored) tokens += (part.text?.length ?? 0) / words;
  return Math.round(model === "other" ? tokens * 0.8 : tokens);
};

async function tell(world: World, { info }: Message): Promise<void> {
  await world.strata.dispatcher.ask("event", { type: "message.updated", properties: { info } }, undefined);
}

/** Sends a request and has it answered, with these calls or words. */
async function answerNext(
  world: World,
  session: Session,
  given: { calls?: Parameters<Session["answer"]>[0]; text?: string; model: string; provider: Provider },
): Promise<void> {
  const shown = await world.request([...session.messages]);
  const sent = countPrompt(shown, given.provider, given.model);
  const answer = session.answer(given.calls ?? [], {
    sent,
    info: { modelID: given.model },
    ...(given.text !== undefined && { text: given.text }),
  });
  await tell(world, answer);
}

async function playTurn(
  world: World,
  session: Session,
  { provider: counting, ...given }: Turn & { provider: Provider },
): Promise<void> {
  const { isCut, isInterrupted, isSameFile, model, pauseMinutes, results, words } = given;
  world.clock.advance(pauseMinutes * MINUTE_MS);
  session.user("please look ".repeat(1 + Math.ceil(words / 12)), { model: { ...MODEL, modelID: model } });
  if (isCut) world.strata.requests.wantCut("ses_1");
  for (const [index, count] of results.entries()) {
    const filePath = isSameFile ? "/project/a.ts" : `/project/${session.messages.length}.ts`;
    const read = call(index % 2 === 0 ? "read" : "bash", lines(count), {
      startMs: world.clock.now() + 1,
      state: { input: index % 2 === 0 ? { filePath } : { command: `make ${index}` } },
    });
    await answerNext(world, session, { calls: [read], model, provider: counting });
  }
  if (!isInterrupted)
    return answerNext(world, session, { text: "All is done. ".repeat(20), model, provider: counting });
  // The user stops the answer: the provider has counted it, but the host does not say that it ended.
  await world.request([...session.messages]);
  session.answer([], { sent: 20_000, text: "Half", info: { modelID: model } });
}

it(
  "what a session would be without Strata never falls, whatever is spilled, cleared, cut, restarted or interrupted",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 8 }), provider, async (turns, counting) => {
        let world = await openWorld({ clock: createFakeClock(MORNING) });
        const session = createSession(world.clock);
        for (const given of turns) {
          if (given.isRestarted) {
            await world.strata.idle();
            world = await world.restart();
          }
          await playTurn(world, session, { ...given, provider: counting });
        }
        await world.strata.idle();
        const sizes = world.ledger("ses_1", "answer").map(({ bare }) => bare?.sent ?? Number.NaN);
        const falls = sizes.filter((size, index) => !(size >= (sizes[index - 1] ?? 0)));
        expect(falls, sizes.join(" ")).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  },
  TIMEOUT_MS,
);
