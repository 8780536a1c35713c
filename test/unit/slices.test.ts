import { describe, expect, it } from "vitest";
import { inSlices, type Sliced } from "../../src/slices.js";

/** A clock of which each look takes 4 ms, and which notes when others had their turn. */
function createWorld() {
  let nowMs = 0;
  const events: string[] = [];
  const clock = {
    now: () => (nowMs += 4),
    pause: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      events.push("pause");
    },
  };
  function* work(name: string, steps: number): Sliced<string> {
    for (let step = 0; step < steps; step++) {
      events.push(name);
      yield;
    }
    return name;
  }
  return { clock, events, work };
}

describe("long work in slices", () => {
  it("lets others on after each slice, and two works take turns", async () => {
    const { clock, events, work } = createWorld();
    const [one, other] = [inSlices(clock, work("a", 5)), inSlices(clock, work("b", 5))];
    expect(await Promise.all([one, other])).toEqual(["a", "b"]);
    const slices = events
      .join(" ")
      .split(" pause")
      .map((slice) => slice.trim());
    // What is done leaves the rest of its slice to the next.
    expect(slices).toEqual(["a a a", "b b b", "a a b b"]);
  });

  it("goes on when a work before it has failed", async () => {
    const { clock, work } = createWorld();
    function* failing(): Sliced<never> {
      yield;
      throw new Error("broken");
    }
    const [failed, done] = await Promise.allSettled([
      inSlices(clock, failing()),
      inSlices(clock, work("a", 9)),
    ]);
    expect(failed.status).toBe("rejected");
    expect(done).toEqual({ status: "fulfilled", value: "a" });
  });
});
