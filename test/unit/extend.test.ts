import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import { type Addition, extend, noteExtended } from "../../src/context/additions.js";
import { createDecisions } from "../../src/context/decisions.js";
import { createSavings } from "../../src/costs/savings.js";
import { createFakeClock } from "../support/fake-clock.js";
import { createFakeLog } from "../support/fake-log.js";
import { createMemoryFiles } from "../support/memory-files.js";

const DAY = 20_000;
const additions: Addition[] = [
  { behind: { day: DAY, key: "result 1" }, text: "First." },
  { behind: { day: DAY, key: "result 2" }, text: "Second." },
];

/** What was done to the disk, in order: which folder was written to. */
function open(isFull = false) {
  const clock = createFakeClock();
  const disk = createMemoryFiles();
  const written: string[] = [];
  const files = {
    ...disk,
    async appendLine(path: string, line: string) {
      if (isFull && path.startsWith("/decisions")) throw new Error("no space left");
      await disk.appendLine(path, line);
      written.push(`${path.split("/")[1]} ${line}`);
    },
  };
  const writes = new PQueue({ concurrency: 1 });
  const log = createFakeLog();
  const decisions = createDecisions({ clock, files, log, folder: "/decisions", resultsFolder: "/results" });
  const savings = createSavings({ clock, files, log, writes, folder: "/savings", instance: "i1" });
  return { decisions, savings, writes, written, controller: new AbortController() };
}

const call = { sessionID: "ses_1", layer: "toy" };

describe("an addition to the newest message or result", () => {
  it("an addition is a decision on disk, then known, then one line in the savings ledger", async () => {
    const world = open();
    const { controller, decisions, writes, written } = world;
    await decisions.load([DAY]);
    expect(await extend(world, { ...call, additions, signal: controller.signal })).toBe(true);
    await writes.onIdle();
    expect(written.map((line) => line.split(" ")[0])).toEqual(["decisions", "savings"]);
    expect(JSON.parse(written[1]?.slice("savings ".length) ?? "")).toMatchObject({
      session: "ses_1",
      layer: "toy",
      event: "extended",
      results: 2,
    });
    for (const { behind, text } of additions)
      expect(decisions.find(behind.key, "ses_1")?.extended).toMatchObject([{ layer: "toy", text }]);
  });

  it.each(["no space left", "the request has gone"])(
    "an addition is neither shown nor in the ledger, and never counts, because: %s",
    async (why) => {
      const world = open(why === "no space left");
      await world.decisions.load([DAY]);
      if (why !== "no space left") world.controller.abort(new Error(why));
      const extended = extend(world, { ...call, additions, signal: world.controller.signal });
      await expect(extended).rejects.toThrow(why);
      await world.writes.onIdle();
      expect(world.written.filter((line) => line.startsWith("savings"))).toEqual([]);
      expect(world.decisions.find("result 1", "ses_1")?.extended).toBeUndefined();
    },
  );

  it("additions of several layers are one line in the ledger", async () => {
    const world = open();
    noteExtended(world.savings, { ...call, count: 3 });
    await world.writes.onIdle();
    expect(world.written).toHaveLength(1);
    expect(world.written[0]).toContain('"results":3');
  });
});
