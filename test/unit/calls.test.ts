import type { Hooks } from "@opencode-ai/plugin";
import { expect, it } from "vitest";
import { parseCallRecord } from "../../src/kernel/calls.js";
import { MORNING } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { bindTestHooks } from "../support/hooks.js";
import { openWorld, type World } from "../support/world.js";

const FOLDER = `${PROJECT}/.opencode/strata/state/calls`;

const bind = (world: World): Hooks => bindTestHooks(world.strata).hooks;

const answered = (finish: string, completed = MORNING + 1) =>
  ({
    event: {
      type: "message.updated",
      properties: {
        info: { id: "m", sessionID: "ses_1", role: "assistant", finish, time: { created: 1, completed } },
      },
    },
  }) as unknown as Parameters<NonNullable<Hooks["event"]>>[0];

const callRecords = (world: World) =>
  [...world.files.contents.keys()]
    .filter((path) => path.startsWith(FOLDER))
    .map((path) => parseCallRecord(JSON.parse(world.files.text(path) ?? "")));

it("each call of the host is counted; the counts are written soon after the first, then at most once a minute", async () => {
  const world = await openWorld();
  const hooks = bind(world);
  await hooks.config?.({});
  await world.strata.idle();
  expect(callRecords(world)).toEqual([]);
  world.clock.advance(2_000);
  await world.strata.idle();
  for (let n = 0; n < 3; n++)
    await hooks["chat.message"]?.({ sessionID: "ses_1" }, { message: { role: "user" }, parts: [] } as never);
  world.clock.advance(59_000);
  await world.strata.idle();
  expect(callRecords(world)).toEqual([
    expect.objectContaining({ hooks: { config: { count: 1, lastMs: MORNING } } }),
  ]);
  world.clock.advance(1_000);
  await world.strata.idle();
  const [calls] = callRecords(world);
  expect(calls?.hooks.turn?.count).toBe(3);
  expect(calls?.layers["full-compact"]).toMatchObject({ asked: 3, answered: 0, failed: 0 });
  expect(calls?.hasEnded).toBe(false);
  await hooks.dispose?.();
  expect(callRecords(world)[0]?.hasEnded).toBe(true);
});

it("a hook that the host should have called by now is logged once", async () => {
  const world = await openWorld();
  const hooks = bind(world);
  await hooks.config?.({});
  await hooks.event?.(answered("stop", MORNING - 1));
  expect(world.strata.calls.silent()).toEqual([]);
  await hooks["chat.message"]?.({ sessionID: "ses_1" }, { message: { role: "user" }, parts: [] } as never);
  for (let n = 0; n < 3; n++) await hooks.event?.(answered("stop"));
  expect(world.strata.calls.silent().map((sentence) => /hook (\w+)/.exec(sentence)?.[1])).toEqual([
    "context",
    "modelWindow",
  ]);
  const log = await world.log();
  expect(
    log.match(/ERROR calls .*hook context although it should have by now: nothing can be moved/g),
  ).toHaveLength(1);
});

it("a layer that fails is counted with its reason; the counts are on disk", async () => {
  const throwing = () => ({
    name: "throws",
    handlers: {
      turn: () => {
        throw new Error("out of ink");
      },
    },
  });
  const world = await openWorld({ layers: [throwing] });
  await bind(world)["chat.message"]?.({ sessionID: "ses_1" }, {
    message: { role: "user" },
    parts: [],
  } as never);
  world.clock.advance(2_000);
  await world.strata.idle();
  expect(callRecords(world)).toHaveLength(1);
  expect(callRecords(world)[0]?.layers.throws).toMatchObject({
    asked: 1,
    failed: 1,
    lastFailure: "at hook turn: failed: out of ink",
  });
});
