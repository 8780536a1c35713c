/** When a session counts as looked through, so that its layers are not asked about words taken back again. */
import PQueue from "p-queue";
import { expect, it } from "vitest";
import { createTakenBack } from "../../layers/always/taken-back/taken-back.js";
import type { ContextRequest } from "../../src/context/request.js";
import { createDispatcher } from "../../src/kernel/dispatcher.js";
import type { Handler } from "../../src/kernel/hooks.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";

/** A session of which one layer has words; says for each of three requests whether that layer was asked. */
async function askThrice(answerFirst: (undo: () => Promise<void>) => Promise<undefined>): Promise<boolean[]> {
  const clock = createFakeClock();
  const background = new PQueue();
  let isUndone = false;
  const notes = { follow: async () => false, followHost: async () => isUndone, takenBack: async () => [] };
  const config = { sessionMemory: { enabled: true }, autoCompact: {}, autoMemory: {} };
  const host = { readMessages: async () => [] };
  const decisions = { load: async () => {} };
  const log = createFakeLog();
  const context = { background, clock, config, decisions, host, instance: "a", log, memories: {}, notes };
  const ours = createTakenBack({ ...context, explain() {}, onMessages() {} } as never);

  /** The host tells of an undone turn, and it is followed in the background. */
  const undo = async () => {
    isUndone = true;
    const event = { type: "message.removed", properties: { sessionID: "ses_1", messageID: "msg_1" } };
    await dispatcher.ask("event", event, undefined);
    await background.onIdle();
    isUndone = false;
  };
  let asked = 0;
  const takenBack: Handler<"takenBack"> = (_request, withdrawal) =>
    withdrawal && ++asked === 1 ? answerFirst(undo) : undefined;
  const layers = [ours.learns, ours.records, { name: "words", handlers: { takenBack } }];
  const dispatcher = createDispatcher({ clock, layers, log });
  const request = { sessionID: "ses_1", history: { days: [1], messages: [{}, {}] } };
  const wasAsked: boolean[] = [];
  for (let n = 0; n < 3; n++) {
    const before = asked;
    await dispatcher.ask("takenBack", request as unknown as ContextRequest, undefined);
    wasAsked.push(asked > before);
  }
  return wasAsked;
}

it("a session is looked through once while nothing is taken back", async () => {
  expect(await askThrice(async () => undefined)).toEqual([true, false, false]);
});

it("a session is looked through again if a turn was undone while its layers were asked", async () => {
  const asked = await askThrice(async (undo) => {
    await undo();
    return undefined;
  });
  expect(asked).toEqual([true, true, false]);
});

it("a session is looked through again until every layer has answered", async () => {
  const failed = await askThrice(() => Promise.reject(new Error("ENOSPC")));
  expect(failed).toEqual([true, true, false]);
});
