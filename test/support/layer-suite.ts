import { expect, it } from "vitest";
import { measure } from "./fake-clock.js";
import { type HostDay, openDay } from "./host-day.js";
import { type Alone, deadlineOf, type LayerUnderTest, listOffSwitches, openAlone } from "./layer-alone.js";
import { expectLawful, expectToldOnce, expectWhole, listPaths, snapshot } from "./layer-checks.js";
import { fork } from "./messages.js";
import { tellNonsense } from "./nonsense.js";
import { bytesOf } from "./view-check.js";
import type { World } from "./world.js";
// Loaded beforehand: the fake clock goes on while a module is being read.
import "../../layers/4-full-compact/cut.js";
import "../../layers/4-full-compact/restore.js";
import "../../layers/4-full-compact/summary.js";
import "../../layers/always/steering/act.js";
import "../../src/notes/stored.js";

/** Number of a day's operations to test, from the first to the last. */
const FAULTS = 8;
const HANGS = 3;
/** Two seconds for the layers, and one for what is still being written. */
const MOST_DISPOSE_MS = 3_000;
const HOUR_MS = 3_600_000;

/** Tests that every layer must pass. */
export function describeLayer(layer: LayerUnderTest): void {
  const { name } = layer;
  const switches = listOffSwitches(layer);
  let operations: Promise<number> | undefined;

  /** Number of file operations in a day. */
  function count(): Promise<number> {
    operations ??= openAlone(layer).then(async ({ disk, world }) => {
      await openDay(world).play();
      return disk.count;
    });
    return operations;
  }

  it(`${name} sends valid requests, does not delay the host and leaves whole files`, async () => {
    // A day before that one loads the layer's lazy imports, so that they are compiled first.
    await count();
    const { world } = await openAlone(layer);
    const day = openDay(world);
    await day.play();
    expectLawful(world, day.sent);
    expect([...day.waitedMs.values()].every((ms) => ms === 0)).toBe(true);
    expect(await world.log()).not.toContain(" ERROR ");
    expect(world.strata.calls.record().layers[name]?.failed ?? 0).toBe(0);
    expectWhole(world);
  });

  it(`${name} loses only its own work when a file operation fails, and logs it once`, async () => {
    for (const [round, at] of spread(await count(), FAULTS).entries()) {
      const { disk, world } = await openAlone(layer);
      const day = openDay(world);
      disk.fail(at, round % 3 === 2);
      await day.play();
      disk.release();
      expectLawful(world, day.sent, `operation ${at}`);
      await expectToldOnce(world, name);
      await day.turn("Is it back?");
      expectLawful(world, day.sent, `after operation ${at}`);
      expectWhole(world);
    }
  });

  it(`${name} keeps to its time limits while files never answer, and recovers when they do`, async () => {
    const { waitedMs: withoutIt } = await hang(await openAlone({}), 1);
    for (const at of spread(await count(), HANGS)) {
      const alone = await openAlone(layer);
      const day = await hang(alone, at);
      const { disk, replayMs, world } = alone;
      expectLawful(world, day.sent, `operation ${at}`);
      for (const [hook, ms] of day.waitedMs) {
        const others = at === 1 ? (withoutIt.get(hook) ?? 0) : replayMs(hook);
        expect(ms, `${hook}, operation ${at}`).toBeLessThanOrEqual(others + deadlineOf(hook));
      }
      disk.release();
      await measure(world.clock, world.strata.idle());
      await expectToldOnce(world, name);
      await day.turn("Is it back?");
      expectLawful(world, day.sent, `after operation ${at}`);
      expectWhole(world);
    }
  });

  it(`${name} ignores nonsense from the host and handles what follows`, async () => {
    const { world } = await openAlone(layer);
    const day = openDay(world);
    await day.turn("Port the parser.");
    await tellNonsense(world, day);
    await day.play();
    expectLawful(world, day.sent);
    await expectToldOnce(world, name);
    expectWhole(world);
  });

  if (switches.length > 0)
    it(`${name} does, writes and offers nothing while disabled`, async () => {
      for (const off of switches) {
        const [{ world }, { world: bare }] = [await openAlone(layer, { off }), await openAlone({}, { off })];
        const [day, bareDay] = [openDay(world), openDay(bare)];
        await day.play();
        await bareDay.play();
        expect(day.sent.map(({ view }) => bytesOf(view))).toEqual(
          bareDay.sent.map(({ view }) => bytesOf(view)),
        );
        expect(listPaths(world)).toEqual(listPaths(bare));
        expect(world.strata.dispatcher.tools).toEqual([]);
        expect([world.host.generated, world.host.forked, world.host.aborted]).toEqual([[], [], []]);
      }
    });

  it(`${name} shows a fork the same bytes as its parent, also after a restart`, async () => {
    const { world } = await openAlone(layer);
    const day = openDay(world);
    await day.play();
    const history = [...day.session.messages];
    const shown = bytesOf(await world.request(history));
    expect(bytesOf(await world.request(fork(history, "ses_fork")))).toEqual(shown);
    const { world: again } = await openAlone(layer, world);
    expect(bytesOf(await again.request(fork(history, "ses_other")))).toEqual(shown);
  });

  it(`${name} stops when disposed: nothing runs or is written afterwards, and a second disposal is harmless`, async () => {
    for (const isHanging of [false, true]) {
      const { disk, world } = await openAlone(layer);
      await openDay(world).play();
      if (isHanging) disk.hang(1);
      await openDay(world, "ses_late").turn("One more thing.");
      const { tookMs } = await measure(world.clock, world.strata.dispose());
      expect(tookMs).toBeLessThanOrEqual(MOST_DISPOSE_MS);
      if (isHanging) continue;
      const before = snapshot(world);
      for (let hour = 0; hour < 24; hour++) await measure(world.clock, pass(world, HOUR_MS));
      await measure(world.clock, world.strata.dispose());
      expect(snapshot(world)).toEqual(before);
    }
  });
}

/** A day on a disk that stops answering at this operation. */
async function hang({ disk, world }: Alone, from: number): Promise<HostDay> {
  const day = openDay(world);
  disk.hang(from);
  await day.play({ rests: false });
  return day;
}

/** `count` evenly spaced numbers from 1 to `last`. */
function spread(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => 1 + Math.round((index * (last - 1)) / (count - 1)));
}

async function pass({ clock }: World, ms: number): Promise<void> {
  clock.advance(ms);
}
