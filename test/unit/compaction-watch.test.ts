import { beforeEach, describe, expect, it } from "vitest";
import { NO_TOKENS } from "../support/session.js";
import { openWorld, type World } from "../support/world.js";

let world: World;
beforeEach(async () => {
  world = await openWorld({ options: { autoCompact: { retryLimit: 2 } } });
});

const begin = () => world.strata.dispatcher.ask("compacting", { sessionID: "ses_1" }, undefined);
async function hear(type: string, properties: object): Promise<void> {
  await world.strata.dispatcher.ask(
    "event",
    { type, properties: { sessionID: "ses_1", ...properties } },
    undefined,
  );
  await world.strata.idle();
}
const failures = () =>
  JSON.parse(world.files.text("/project/.opencode/strata/state/breakers/ses_1.json") ?? '{"failures":0}')
    .failures;
const retry = (attempt: number) =>
  hear("session.status", { status: { type: "retry", attempt, message: "overloaded" } });

describe("a compaction of the host's", () => {
  it("a compaction of the host's that gives no summary within three minutes is broken off, and the user is told", async () => {
    await begin();
    world.clock.advance(179_999);
    expect(world.host.aborted).toEqual([]);
    world.clock.advance(1);
    await new Promise(setImmediate);
    await world.strata.idle();
    expect(world.host.aborted).toEqual(["ses_1"]);
    expect(world.host.toasts[0]).toContain("could not be compacted (no summary after 3 minutes)");
    expect(failures()).toBe(1);
  });

  it("a compaction of the host's that the provider keeps refusing is broken off at the limit, once", async () => {
    await begin();
    await retry(1);
    expect(world.host.aborted).toEqual([]);
    await retry(2);
    await retry(3);
    expect(world.host.aborted).toEqual(["ses_1"]);
    expect(world.host.toasts[0]).toContain(
      "attempts at a summary in a row failed, the last with: overloaded",
    );
  });

  it("a compaction of the host's that fails counts as a failure, and one that the user has ended does not", async () => {
    await begin();
    await hear("session.error", { error: { name: "APIError", data: { message: "no" } } });
    expect(failures()).toBe(1);
    await begin();
    await hear("session.error", { error: { name: "MessageAbortedError", data: {} } });
    expect(failures()).toBe(1);
  });

  for (const end of ["session.compacted", "session.deleted", "session.idle"]) {
    it(`is over with ${end}: nothing that comes later is broken off or counted`, async () => {
      await begin();
      await hear(end, {});
      await retry(9);
      await hear("session.error", { error: { name: "APIError" } });
      world.clock.advance(200_000);
      await world.strata.idle();
      expect([world.host.aborted, failures()]).toEqual([[], 0]);
    });
  }

  it("a compaction of the host's is not watched when the plugin has ended", async () => {
    await begin();
    await world.strata.dispose();
    world.clock.advance(200_000);
    await new Promise(setImmediate);
    expect(world.host.aborted).toEqual([]);
  });

  it("a compaction of the host's is what errors and retries are heard for, and an answer of the session's is none of it", async () => {
    await hear("session.error", { error: { name: "APIError" } });
    await retry(9);
    expect([world.host.aborted, failures()]).toEqual([[], 0]);
  });
});

it("an answer that fits closes a breaker that a window too small had opened", async () => {
  const path = "/project/.opencode/strata/state/breakers/ses_1.json";
  const state = { failures: 0, poor: 0, refills: 0, open: "too small", isFloor: true };
  world.files.contents.set(path, Buffer.from(JSON.stringify(state)));
  const model = { providerID: "acme", modelID: "large" };
  const window = { contextTokens: 100_000, outputTokens: 10_000 };
  await world.strata.dispatcher.ask("modelWindow", { sessionID: "ses_1", model, window }, undefined);
  const answer = (input: number, extra: object = {}) =>
    hear("message.updated", {
      info: {
        sessionID: "ses_1",
        role: "assistant",
        time: { created: 1, completed: 2 },
        tokens: { ...NO_TOKENS, input },
        ...extra,
      },
    });
  await answer(95_000);
  await answer(1_000, { time: { created: 1 } });
  await answer(1_000, { summary: true });
  expect(JSON.parse(world.files.text(path) ?? "")).toMatchObject({ open: "too small" });
  await answer(1_000);
  expect(JSON.parse(world.files.text(path) ?? "")).toEqual({ v: 1, failures: 0, poor: 0, refills: 0 });
  expect(world.host.toasts).toEqual(["Strata: automatic summaries are on again for this session."]);
});
