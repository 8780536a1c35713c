/** A departure from the context that is in the savings ledger and was not recorded as decided counts once, when it succeeds. */
import { describe, expect, it } from "vitest";
import { sumFigures } from "../../src/costs/figures.js";
import { recordBefore, type SavingsRecord } from "../../src/costs/savings.js";
import { sumSavings } from "../../src/costs/sums.js";
import { call, lines } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld } from "../support/world.js";

/** A session of which a decision of this outcome cannot be written while the disk is full. */
async function open(outcome: string, options: Record<string, unknown>) {
  const disk = { isFull: true };
  const world = await openWorld({
    options,
    wrap: (inner) => ({
      ...inner,
      appendLine: async (path, line) =>
        disk.isFull && line.includes(`"outcome":"${outcome}"`)
          ? Promise.reject(new Error("ENOSPC"))
          : inner.appendLine(path, line),
    }),
  });
  const session = createSession(world.clock);
  session.user("Port the parser.");
  for (let n = 0; n < 8; n++)
    session.answer([call("bash", lines(120)), call("bash", lines(121 + n))], { sent: 40_000 });
  session.user("go on");
  world.clock.advance(3_600_000);
  return { disk, session, world };
}

describe("the savings ledger", () => {
  for (const [outcome, event, options] of [
    ["cut", "cut", { autoCompact: { threshold: 20_000 }, microCompact: { enabled: false } }],
    ["cleared", "cleared", { microCompact: { floor: 0 } }],
  ] as const) {
    it(`the savings ledger counts ${outcome} context once, however often its decision could not be written`, async () => {
      const { disk, session, world } = await open(outcome, options);
      await world.request(session.messages);
      await world.request(session.messages);
      const failed = world.ledger("ses_1", event);
      expect(failed).toHaveLength(4);
      expect(sumSavings(failed)).toMatchObject({ cleared: 0, tokensFreed: 0, cacheLost: 0, net: 0 });
      disk.isFull = false;
      await world.request(session.messages);
      const records = world.ledger("ses_1", event);
      expect(records).toHaveLength(5);
      expect(sumSavings(records)).toEqual(sumSavings(records.slice(-1)));
      expect(world.decisions().some((one) => one.outcome === outcome)).toBe(true);
    });
  }

  it("the savings ledger marks no request as one with a cut that was not made", () => {
    const line = { v: 1 as const, time: "2026-11-20T10:00:00.000Z", instance: "a", session: "s", layer: "l" };
    const answer: SavingsRecord = { ...line, event: "answer", sent: 10 };
    const cut: SavingsRecord = { ...line, event: "cut", key: "k", tokensFreed: 5 };
    const replacements = (...records: SavingsRecord[]) =>
      sumFigures(new Map([["s", records]])).sessions[0]?.replacements;
    expect(replacements(cut, { ...cut, results: 0, tokensFreed: 0 }, answer)).toEqual([]);
    expect(replacements(cut, { ...cut, results: 0 }, answer, cut, { ...answer })).toEqual([2]);
  });

  it("the savings ledger that cannot be written keeps the deed from being done, and a failed deed is told as it failed", async () => {
    const record = { session: "s", layer: "l", event: "cut", key: "k" };
    let isDone = false;
    const full = { recordNow: () => Promise.reject(new Error("ENOSPC")) };
    const act = async () => {
      isDone = true;
    };
    await expect(recordBefore(full, record, act)).rejects.toThrow("ENOSPC");
    expect(isDone).toBe(false);
    let writes = 0;
    const once = { recordNow: async () => void (writes++ && (await full.recordNow())) };
    await expect(recordBefore(once, record, () => Promise.reject(new Error("EIO")))).rejects.toThrow("EIO");
    expect(writes).toBe(2);
  });
});
