import { describe, expect, it } from "vitest";
import type { Files } from "../../src/io/files.js";
import { createFakeClock, measure } from "../support/fake-clock.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { answer, call, lines, outputs, user } from "../support/messages.js";
import { openWorld } from "../support/world.js";

const large = lines(2_000);

describe("a disk that is slow or fails for a while", () => {
  const first = [user("go"), answer([call("bash", large)])];
  const second = [...first, answer([call("bash", lines(3_000))])];
  const never = () => new Promise<never>(() => {});

  it("a disk that is slow or fails for a while costs a turn two seconds at most, what was decided before is shown all the same, and what stays, stays", async () => {
    const files = createMemoryFiles();
    const before = await openWorld({ files });
    const shown = outputs(await before.request(first));
    let isStuck = true;
    const wrap = (inner: Files): Files => ({
      ...inner,
      writeWhole: (path, contents) =>
        isStuck && path.includes("/tool-results/") ? never() : inner.writeWhole(path, contents),
    });
    const world = await openWorld({ files, wrap });
    const asked = world.request(second);
    await new Promise(setImmediate);
    world.clock.advance(2_000);
    expect(outputs(await asked)).toEqual([...shown, lines(3_000)]);
    expect(await world.log()).toContain("layer tool-results at hook context did not answer in time");
    isStuck = false;
    expect(outputs(await world.request(second))).toEqual([...shown, lines(3_000)]);
  });

  it("a disk that is slow or fails for a while that takes down a decision only when its request has gone leaves it out for good, here and after a restart", async () => {
    const files = createMemoryFiles();
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const wrap = (inner: Files): Files => ({
      ...inner,
      async appendLine(path, line) {
        if (path.includes("/decisions/") && line.includes("replaced")) await gate;
        await inner.appendLine(path, line);
      },
    });
    const world = await openWorld({ files, wrap });
    const asked = world.request(first);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    world.clock.advance(2_000);
    expect(outputs(await asked)).toEqual([large]);
    release();
    await world.strata.idle();
    const outcomes = () => world.decisions().map(({ outcome }) => outcome);
    expect(outcomes()).toContain("replaced");
    expect(outputs(await world.request(first))).toEqual([large]);
    expect(outputs(await (await world.restart()).request(second)).slice(0, 1)).toEqual([large]);
  });

  it("that gives the records only after seconds delays the request, which never goes out raw", async () => {
    const files = createMemoryFiles();
    const shown = outputs(await (await openWorld({ files })).request(first));
    const clock = createFakeClock();
    const wrap = (inner: Files): Files => ({
      ...inner,
      read: (path) =>
        path.includes("decisions")
          ? new Promise((resolve) => void clock.after(8_000, () => resolve(inner.read(path))))
          : inner.read(path),
    });
    const world = await openWorld({ files, wrap, clock });
    const asked = world.request(first);
    const { tookMs } = await measure(clock, asked);
    expect(outputs(await asked)).toEqual(shown);
    expect(tookMs).toBeLessThanOrEqual(8_250);
    expect(await world.log()).not.toContain("cannot read what was decided");
  });

  it("that answers nothing but reads of what was decided costs a turn three seconds in all", async () => {
    const files = createMemoryFiles();
    const before = await openWorld({ files });
    const shown = outputs(await before.request(first));
    const clock = createFakeClock();
    let isStuck = false;
    const stuck =
      <A extends unknown[], T>(inner: (path: string, ...rest: A) => Promise<T>) =>
      (path: string, ...rest: A): Promise<T> =>
        isStuck && !path.includes("/decisions") ? never() : inner(path, ...rest);
    const wrap = (inner: Files): Files => ({
      ...inner,
      read: stuck(inner.read),
      stat: stuck(inner.stat),
      list: stuck(inner.list),
      writeWhole: stuck(inner.writeWhole),
      appendLine: stuck(inner.appendLine),
    });
    const world = await openWorld({ files, wrap, clock });
    isStuck = true;
    const asked = world.request(second);
    const { tookMs } = await measure(clock, asked);
    expect(outputs(await asked)).toEqual([...shown, lines(3_000)]);
    expect(tookMs).toBeLessThanOrEqual(3_000);
  });
});
