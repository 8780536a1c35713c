/** Whatever people ask for, about whatever history: requests stay valid, words untouched, and the bytes the same. */
import { expect, it } from "vitest";
import { estimateTokens } from "../../src/context/context-size.js";
import { isToolPart, type Message, readResultText, type ToolPart } from "../../src/io/message.js";
import { readOwnTexts } from "../../src/messages/call.js";
import { ACTIONS, type Action, type ContextItem } from "../../src/status/context-items.js";
import { createFakeClock } from "../support/fake-clock.js";
import { countAnswer, placeStep, planTimes, type Step, session } from "../support/histories.js";
import { fork } from "../support/messages.js";
import { patiently } from "../support/patience.js";
import { fc } from "../support/property.js";
import { sizeOf } from "../support/sizes.js";
import { ask, readItems, readOutcomes } from "../support/steering.js";
import { bytesOf } from "../support/view-check.js";
import { openWorld, type World } from "../support/world.js";

const RUNS = sizeOf({
  usual: 25,
  long: 600,
  of: "steered histories in property/context-steering.test.ts",
  because: "the property is the same",
});
const FIXED_TOKENS = 4_000;

/** After these requests somebody asks for something about the item at this place of the list. */
const wishes = fc.array(
  fc.record({
    after: fc.nat(20),
    place: fc.nat(12),
    action: fc.constantFrom<Action>(...ACTIONS, "drop", "drop", "expand", "pin"),
  }),
  { minLength: 1, maxLength: 10 },
);
const options = fc.record({
  toolResults: fc.record({ threshold: fc.integer({ min: 4_096, max: 9_000 }) }),
  microCompact: fc.record({ floor: fc.nat(300), keepRecent: fc.nat(3), enabled: fc.boolean() }),
  autoCompact: fc.record({ threshold: fc.integer({ min: 12_000, max: 60_000 }) }),
});

const callsOf = ({ parts }: Message): ToolPart[] => parts.filter(isToolPart);

function expectValid(view: readonly Message[], history: readonly Message[]): void {
  const byTime = new Map(history.map((message) => [message.info, message]));
  for (const message of view) {
    const original = byTime.get(message.info);
    if (message.info.role === "user") {
      const words = original ? readOwnTexts(original.parts) : [];
      expect(readOwnTexts(message.parts)).toEqual(words);
      continue;
    }
    const [calls, before] = [callsOf(message), callsOf(original ?? message)];
    // All calls of an answer stay, or go together with what they returned.
    expect([0, before.length]).toContain(calls.length);
    for (const [index, one] of calls.entries()) {
      expect([one.tool, one.callID]).toEqual([before[index]?.tool, before[index]?.callID]);
      expect(readResultText(one) === undefined).toBe(readResultText(before[index] as ToolPart) === undefined);
    }
    const isEmptied = message.parts.length === 0 && (original?.parts.length ?? 0) > 0;
    if (isEmptied) expect(message.info.role).toBe("assistant");
  }
}

/** What was pinned stays as it was, or stands whole in the notes that replace it. */
function expectPins(
  view: readonly Message[],
  pinned: Map<string, ContextItem["state"]>,
  items: readonly ContextItem[],
): void {
  const now = new Map(items.filter(({ isPinned }) => isPinned).map(({ id, state }) => [id, state]));
  for (const [id, state] of pinned)
    expect([id, state, "cut", "expanded"]).toContain(now.get(id) ?? "unpinned");
  const isCut = [...now.values()].includes("cut");
  if (isCut) expect(JSON.stringify(view[0]?.parts)).toContain("## Pinned by the user");
  for (const [id, state] of now) pinned.set(id, state);
}

/** Plays the steps; between them, what people ask for. Returns the last world and history. */
async function play(world: World, steps: readonly Step[], wanted: readonly Wish[]) {
  const times = planTimes(steps);
  const messages: Message[] = [];
  const pinned = new Map<string, ContextItem["state"]>();
  let requests = 0;
  for (const [index, step] of steps.entries()) {
    world.clock.advance(Math.max(0, (times[index] ?? 0) - world.clock.now()));
    let promptTokens = 0;
    if (step.role === "assistant" && messages.length > 0) {
      const untouched = structuredClone(messages);
      const view = await world.request([...messages]);
      expect(messages).toEqual(untouched);
      expectValid(view, messages);
      const { items } = await readItems(world);
      expectPins(view, pinned, items);
      await wish(world, items, { pinned, wanted: wanted.filter(({ after }) => after === requests) });
      requests++;
      promptTokens = FIXED_TOKENS + estimateTokens(view);
    }
    messages.push(countAnswer(placeStep(step, index, times[index]), step, promptTokens));
  }
  return messages;
}

/** What layers have taken out of the context. */
const countDepartures = (world: World, sessionID = "ses_1"): number =>
  world.ledger(sessionID, "cleared", "cut", "compacted").length;

type Wish = { after: number; place: number; action: Action };

async function wish(
  world: World,
  items: readonly ContextItem[],
  { pinned, wanted }: { pinned: Map<string, ContextItem["state"]>; wanted: readonly Wish[] },
): Promise<void> {
  for (const { action, place } of wanted) {
    // Mostly what is possible, and sometimes anything.
    const possible = items.filter(({ actions }) => actions[action] !== undefined);
    const among = place % 4 > 0 && possible.length > 0 ? possible : items;
    const item = among[place % Math.max(1, among.length)];
    if (!item) continue;
    await ask(world, action, item.id);
    if (action === "unpin") pinned.delete(item.id);
  }
}

it(
  "whatever people ask for, requests stay valid, words untouched, and the bytes the same after a restart and in a fork",
  async () => {
    const done = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(session, options, wishes, async (steps, given, wanted) => {
        const clock = createFakeClock(planTimes(steps)[0] ?? 0);
        const world = await openWorld({ options: given, clock });
        const messages = await play(world, steps, wanted);
        const last = [...messages];
        await world.request(last);
        const sent = bytesOf(await world.request([...messages]));
        const departures = countDepartures(world);
        // A layer may decide anew, once, and then only with a record.
        const expectSame = (view: readonly Message[], when: string): void => {
          if (countDepartures(world) === departures) expect(bytesOf(view), when).toEqual(sent);
        };
        expectSame(await world.request([...messages]), "asked again");
        const again = await world.restart();
        expectSame(await again.request([...messages]), "after a restart");
        const forked = await again.request(fork(messages, "ses_fork"));
        if (countDepartures(again, "ses_fork") === 0) expectSame(forked, "in a fork");
        for (const { outcome, text } of await readOutcomes(again)) {
          const name = outcome === "done" ? (text.split(" ")[0] ?? "") : outcome;
          done.set(name, (done.get(name) ?? 0) + 1);
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    for (const name of ["dropped", "pinned", "brought", "refused"])
      expect([name, done.get(name)]).not.toEqual([name, undefined]);
  },
  patiently(180_000),
);
