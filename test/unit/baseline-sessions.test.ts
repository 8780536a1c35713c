/** The ledger's comparison with the bare host survives restarts, forks and reverts. */
import { describe, expect, it } from "vitest";
import { countCharacters } from "../../src/context/context-size.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import type { Message } from "../../src/io/message.js";
import { call, fork, lines } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

/** System prompt and tools, as the provider counts them. */
const FIXED = 9_000;
const TOOLS_ESTIMATE = 1_000;

/** Sends a request with these messages, and has it answered with a call that has this result. */
async function answerNext(
  world: World,
  session: ReturnType<typeof createSession>,
  result: string,
): Promise<void> {
  const shown = await world.request([...session.messages]);
  const sent = FIXED + Math.round(countCharacters(shown) / 4);
  const [sessionID = ""] = session.messages.map(({ info }) => info.sessionID);
  const answer = session.answer([call("bash", result, { startMs: world.clock.now() })], {
    sent,
    cached: FIXED,
  });
  await tell(world, { ...answer, info: { ...answer.info, sessionID } });
}

async function tell(world: World, { info }: Message): Promise<void> {
  await world.strata.dispatcher.ask("event", { type: "message.updated", properties: { info } }, undefined);
  await world.strata.idle();
}

const answers = (world: World, sessionID = "ses_1"): SavingsRecord[] => world.ledger(sessionID, "answer");
const sizes = (world: World, sessionID?: string): number[] =>
  answers(world, sessionID).map(({ bare }) => bare?.sent ?? Number.NaN);

/** Every second result is so large that it is moved to a file. */
const resultOf = (step: number): string => lines(step % 2 === 0 ? 1_500 : 60);

async function play(restartAt = -1) {
  let world = await openWorld();
  const session = createSession(world.clock);
  session.user("go");
  for (let step = 0; step < 8; step++) {
    if (step === restartAt) world = await world.restart();
    await answerNext(world, session, resultOf(step));
  }
  return { world, session };
}

describe("the comparison with the bare host", () => {
  it("the comparison with the bare host counts what Strata kept out in every later request, and its own tools against it", async () => {
    const { session, world } = await play();
    const records = answers(world);
    const whole = FIXED + countCharacters(session.messages.slice(0, -1)) / 4;
    expect(records).toHaveLength(8);
    expect(Math.abs((sizes(world).at(-1) ?? 0) - whole)).toBeLessThan(TOOLS_ESTIMATE + whole * 0.01);
    expect(records[0]?.net).toBeLessThan(0);
    expect(records.at(-1)?.net).toBeGreaterThan(0);
    for (const { bare, keptOut, sent } of records) expect(keptOut).toBe((bare?.sent ?? 0) - (sent ?? 0));
  });

  it("the comparison with the bare host is estimated from the history in a fork, and after the ledger was deleted", async () => {
    const { session, world } = await play();
    const expected = (sizes(world).at(-1) ?? 0) + countCharacters(session.messages.slice(-1)) / 4;
    const forked = createSession(world.clock, "ses_2");
    forked.messages.push(...fork(session.messages, "ses_2"));
    await answerNext(world, forked, resultOf(1));
    expect(Math.abs((sizes(world, "ses_2")[0] ?? 0) - expected)).toBeLessThan(expected * 0.03);
    world.files.contents.delete(
      [...world.files.contents.keys()].find((path) => path.endsWith("savings/ses_1.jsonl")) ?? "",
    );
    const restarted = await world.restart();
    await answerNext(restarted, session, resultOf(1));
    expect(Math.abs((sizes(restarted)[0] ?? 0) - expected)).toBeLessThan(expected * 0.03);
  });
});
