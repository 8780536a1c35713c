/** Sums of the savings ledger, added up piece by piece. */
import { describe, expect, it } from "vitest";
import { createLedgerReader } from "../../layers/always/screen/ledger-reader.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import { addSums, addToDay, NO_SUMS, sumRecords, sumSavings, toSaving } from "../../src/costs/sums.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { createFakeLog } from "../support/fake-log.js";
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

  it("sums of the last day are of its records only, however they arrive", () => {
    fc.assert(
      fc.property(fc.array(someRecord, { minLength: 1, maxLength: 20 }), fc.nat(20), (given, cut) => {
        const records = [...given].sort((a, b) => a.time.localeCompare(b.time));
        const whole = addToDay(undefined, records);
        const pieces = addToDay(addToDay(undefined, records.slice(0, cut)), records.slice(cut));
        expect(pieces?.day).toBe(whole?.day);
        expect(pieces?.net).toBeCloseTo(whole?.net ?? Number.NaN);
      }),
    );
  });
});

describe("the reader of the ledgers", () => {
  const open = (files = createMemoryFiles({})) => {
    const reads: number[] = [];
    const counting = {
      ...files,
      readFrom: async (path: string, offset: number, options?: object) => {
        reads.push(offset);
        return files.readFrom(path, offset, options);
      },
    };
    const clock = createFakeClock();
    const reader = createLedgerReader({ clock, files: counting, folders: FOLDERS, log: createFakeLog() });
    return { files, reader, reads };
  };
  const append = (files: ReturnType<typeof createMemoryFiles>, session: string, net: number) =>
    files.appendLine(pathOf(session), JSON.stringify(record({ session, net, cost: 1_000, sent: 500 })));

  it("the reader reads each ledger once, then only what was appended, by others too", async () => {
    const { files, reader, reads } = open();
    await append(files, "one", 100);
    await append(files, "two", 10);
    await reader.load();
    await reader.load();
    expect(reads).toEqual([0, 0]);
    await append(files, "one", 1);
    await reader.refresh("one");
    expect(reads).toHaveLength(3);
    expect(reads[2]).toBeGreaterThan(100);
    expect(reader.sums("one").session.net).toBe(101);
    await append(files, "two", 5);
    expect(reader.sums("one").project.net).toBe(111);
    await reader.catchUp();
    expect(reader.sums("one").project.net).toBe(116);
  });

  it("the reader starts from what an earlier start has summed up, and keeps titles that another has written", async () => {
    const { files, reader } = open();
    await append(files, "one", 100);
    await reader.load();
    reader.setTitle("one", "Orders");
    await reader.save();
    const again = open(files);
    await again.reader.load();
    expect(again.reads).toEqual([]);
    expect([again.reader.titleOf("one"), again.reader.sums("one").session.net]).toEqual(["Orders", 100]);
    await append(files, "two", 7);
    await again.reader.catchUp();
    again.reader.setTitle("two", "Carts");
    await again.reader.save();
    reader.setTitle("one", "All orders");
    await reader.save();
    const last = open(files);
    await last.reader.load();
    expect(last.reader.titleOf("one")).toBe("All orders");
  });

  it("the reader begins again with a ledger that was replaced by a shorter one, and drops one that is gone", async () => {
    const { files, reader } = open();
    for (const net of [1, 2, 3]) await append(files, "one", net);
    await append(files, "two", 50);
    await reader.load();
    files.contents.delete(pathOf("one"));
    await append(files, "one", 9);
    await reader.catchUp();
    expect(reader.sums("one").session.net).toBe(9);
    files.contents.delete(pathOf("two"));
    await reader.catchUp();
    expect(reader.sums("one").project.net).toBe(9);
  });

  it("the reader leaves an incomplete last line for the next time", async () => {
    const { files, reader } = open();
    await append(files, "one", 1);
    const text = files.text(pathOf("one")) ?? "";
    files.contents.set(pathOf("one"), Buffer.from(text + text.slice(0, 30)));
    await reader.load();
    expect(reader.sums("one").session.net).toBe(1);
    files.contents.set(pathOf("one"), Buffer.from(text + text));
    await reader.refresh("one");
    expect(reader.sums("one").session.net).toBe(2);
  });
});
