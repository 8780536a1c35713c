/** Sums of the savings ledger, added up piece by piece. */
import { describe, expect, it } from "vitest";
import { addUpPaid, createLedgerSums, sumPaid } from "../../src/costs/figures.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { addSums, NO_SUMS, sumRecords, sumSavings, toSaving } from "../../src/costs/sums.js";
import { planFolders } from "../../src/project/folders.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc } from "../support/property.js";

const FOLDERS = planFolders(PROJECT);
const pathOf = (session: string): string => `${FOLDERS.savings}/${session}.jsonl`;

const record = (fields: Partial<SavingsRecord>): SavingsRecord => ({
  v: 1,
  time: "2026-11-21T09:00:00.000Z",
  instance: "i",
  session: "s",
  layer: "view",
  event: "answer",
  ...fields,
});

const tokens = fc.integer({ min: -50_000, max: 500_000 });
const someRecord = fc
  .record({
    event: fc.constantFrom("answer", "summary", "background", "cut"),
    sent: fc.nat(200_000),
    cached: fc.nat(100_000),
    net: tokens,
    cost: fc.option(fc.nat(500_000), { nil: undefined }),
    money: fc.option(fc.integer({ min: -90, max: 900 }), { nil: undefined }),
    hours: fc.nat(60),
  })
  .map(({ cost, hours, money, ...fields }) =>
    record({
      ...fields,
      time: new Date(Date.UTC(2026, 10, 20) + hours * 3_600_000).toISOString(),
      ...(cost !== undefined && { cost }),
      ...(money !== undefined && { money: money / 100 }),
    }),
  );

describe("sums of a ledger", () => {
  it("sums of pieces are those of the whole, and what sumSavings says", () => {
    fc.assert(
      fc.property(fc.array(someRecord, { maxLength: 20 }), fc.nat(20), (records, cut) => {
        const pieces = addSums(sumRecords(records.slice(0, cut)), sumRecords(records.slice(cut)));
        const whole = sumRecords(records);
        const totals = sumSavings(records);
        for (const name of Object.keys(NO_SUMS) as (keyof typeof NO_SUMS)[])
          expect(pieces[name]).toBeCloseTo(whole[name]);
        expect(toSaving(pieces).tokens).toBe(totals.net);
        expect(toSaving(pieces).dollars ?? 0).toBeCloseTo(totals.money ?? 0);
        expect(toSaving(pieces).share === undefined).toBe(pieces.paid === 0 || totals.cost + totals.net <= 0);
      }),
    );
  });
});

describe("the sums of all ledgers", () => {
  it("ledgers are read again only when they have changed, one that was replaced too, and one that is gone counts no more", async () => {
    const files = createMemoryFiles({});
    let reads = 0;
    const read = async (path: string) => {
      reads++;
      return files.read(path);
    };
    const append = (session: string, net: number, time = "2026-11-21T09:00:00.000Z") =>
      files.appendLine(pathOf(session), JSON.stringify(record({ session, net, time })));
    const ledgers = createLedgerSums({ ...files, read }, FOLDERS.savings, sumPaid);
    const nets = () => {
      const { project, today } = addUpPaid(ledgers.all().values(), "2026-11-21");
      return [project.net, today.net];
    };
    await append("one", 100, "2026-11-20T09:00:00.000Z");
    await append("two", 10);
    await ledgers.refreshAll();
    await ledgers.refreshAll();
    expect([reads, ...nets()]).toEqual([2, 110, 10]);
    await append("one", 1);
    await ledgers.refresh("one");
    expect([reads, ...nets()]).toEqual([3, 111, 11]);
    files.contents.set(pathOf("one"), Buffer.from(JSON.stringify(record({ net: 5 }))));
    files.contents.delete(pathOf("two"));
    await ledgers.refreshAll();
    expect([reads, ...nets()]).toEqual([4, 5, 5]);
  });
});
