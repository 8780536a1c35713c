/** The savings ledger added up: what counts, by whom it is read again, and in words. */
import { describe, expect, it } from "vitest";
import { formatTokens } from "../../src/base/format.js";
import { recordBefore, type SavingsRecord } from "../../src/costs/savings.js";
import {
  addTotals,
  createLedgerSums,
  NOTHING,
  sumFigures,
  sumRecords,
  toSaving,
} from "../../src/costs/sums.js";
import { planFolders } from "../../src/project/folders.js";
import { formatHeadline, formatSaving } from "../../src/status/format-figures.js";
import { PROJECT } from "../support/fake-host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { call, lines } from "../support/messages.js";
import { fc } from "../support/property.js";
import { createSession } from "../support/session.js";
import { openWorld } from "../support/world.js";

const record = (fields: Partial<SavingsRecord> = {}): SavingsRecord => ({
  ...{ v: 1, time: "2026-11-21T09:00:00.000Z", instance: "i", session: "s", layer: "view", event: "answer" },
  ...fields,
});
const savingOf = (...records: SavingsRecord[]) => toSaving(sumRecords(records));

describe("sums of a ledger", () => {
  it("are those of its pieces, and the share is of what the bare host would have paid", () => {
    const someRecord = fc
      .record({
        event: fc.constantFrom("answer", "summary", "background", "cut"),
        ...{ sent: fc.nat(200_000), cached: fc.nat(100_000), cost: fc.nat(500_000) },
        net: fc.integer({ min: -50_000, max: 500_000 }),
        money: fc.option(fc.integer({ min: -90, max: 900 }), { nil: undefined }),
      })
      .map(({ money, ...fields }) =>
        record({ ...fields, ...(money !== undefined && { money: money / 100 }) }),
      );
    fc.assert(
      fc.property(fc.array(someRecord, { maxLength: 20 }), fc.nat(20), (records, cut) => {
        const pieces = addTotals(sumRecords(records.slice(0, cut)), sumRecords(records.slice(cut)));
        const whole = sumRecords(records);
        for (const name of Object.keys(whole) as (keyof typeof whole)[])
          expect(pieces[name]).toBeCloseTo(whole[name] ?? Number.NaN);
        const { share } = toSaving(whole);
        const bare = whole.cost + whole.net;
        if (whole.paid === 0 || bare <= 0) expect(share).toBeUndefined();
        else expect(share).toBeCloseTo(whole.net / bare);
      }),
    );
  });

  it("count Strata's own calls and the host's summaries as cost, and money only where prices are known", () => {
    const records = [
      record({ cost: 60_000, net: 50_000, money: 3 }),
      record({ event: "background", net: -10_000 }),
      record({ event: "summary", cost: 20_000, net: -20_000, money: -0.5 }),
    ];
    expect(sumRecords(records)).toMatchObject({ cost: 90_000, net: 20_000, money: 2.5, unpriced: -10_000 });
    expect(sumRecords([record({ net: 1 })]).money).toBeUndefined();
  });

  it("of all sessions read a ledger again only when it has changed, one that was replaced too, and forget one that is gone", async () => {
    const { savings } = planFolders(PROJECT);
    const files = createMemoryFiles({});
    let reads = 0;
    const read = async (path: string) => {
      reads++;
      return files.read(path);
    };
    const pathOf = (session: string): string => `${savings}/${session}.jsonl`;
    const append = (session: string, net: number, time = "2026-11-21T09:00:00.000Z") =>
      files.appendLine(pathOf(session), JSON.stringify(record({ session, net, time })));
    const ledgers = createLedgerSums({ ...files, read }, savings);
    const nets = () => {
      const { project, sessions, today } = ledgers.addUp("2026-11-21");
      return [sessions, project.net, today.net];
    };
    await append("one", 100, "2026-11-20T09:00:00.000Z");
    await append("two", 10);
    await ledgers.refreshAll();
    await ledgers.refreshAll();
    expect([reads, ...nets()]).toEqual([2, 2, 110, 10]);
    await append("one", 1);
    await ledgers.refresh("one");
    expect([reads, ...nets()]).toEqual([3, 2, 111, 11]);
    expect([ledgers.find("one").net, ledgers.find("none")]).toEqual([101, NOTHING]);
    files.contents.set(pathOf("one"), Buffer.from(JSON.stringify(record({ net: 5 }))));
    files.contents.delete(pathOf("two"));
    await ledgers.refreshAll();
    expect([reads, ...nets()]).toEqual([4, 1, 5, 5]);
  });
});

describe("what was not done", () => {
  it.each([
    ["cut", { autoCompact: { threshold: 20_000 }, microCompact: { enabled: false } }],
    ["cleared", { microCompact: { floor: 0 }, autoCompact: { coldThreshold: false } }],
  ] as const)(
    "%s context counts once, however often its decision could not be written",
    async (event, options) => {
      let isFull = true;
      const world = await openWorld({
        options,
        wrap: (inner) => ({
          ...inner,
          appendLine: async (path, line) =>
            isFull && line.includes(`"outcome":"${event}"`)
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
      await world.request(session.messages);
      await world.request(session.messages);
      const failed = world.ledger("ses_1", event);
      expect(failed).toHaveLength(4);
      expect(sumRecords(failed)).toMatchObject({ cleared: 0, tokensFreed: 0, cacheLost: 0, net: 0 });
      isFull = false;
      await world.request(session.messages);
      const records = world.ledger("ses_1", event);
      expect(sumRecords(records)).toEqual(sumRecords(records.slice(-1)));
      expect(world.decisions().some(({ outcome }) => outcome === event)).toBe(true);
    },
  );

  it("marks no request as one with a cut", () => {
    const answer = record({ sent: 10 });
    const cut = record({ event: "cut", key: "k", tokensFreed: 5 });
    const replacements = (...records: SavingsRecord[]) =>
      sumFigures(new Map([["s", records]])).sessions[0]?.replacements;
    expect(replacements(cut, { ...cut, results: 0, tokensFreed: 0 }, answer)).toEqual([]);
    expect(replacements(cut, { ...cut, results: 0 }, answer, cut, { ...answer })).toEqual([2]);
  });

  it("a ledger that cannot be written keeps the deed from being done, and a failed deed is told as it failed", async () => {
    const planned = { session: "s", layer: "l", event: "cut", key: "k" };
    let isDone = false;
    const full = { recordNow: () => Promise.reject(new Error("ENOSPC")) };
    const act = async () => {
      isDone = true;
    };
    await expect(recordBefore(full, planned, act)).rejects.toThrow("ENOSPC");
    expect(isDone).toBe(false);
    let writes = 0;
    const once = { recordNow: async () => void (writes++ && (await full.recordNow())) };
    await expect(recordBefore(once, planned, () => Promise.reject(new Error("EIO")))).rejects.toThrow("EIO");
    expect(writes).toBe(2);
  });
});

describe("what was saved, in words", () => {
  it.each<[says: string, ...records: Partial<SavingsRecord>[]]>([
    ["saved $0.48 (29 %)", { cost: 400_000, net: 160_000, money: 0.48 }],
    ["not paid back yet: $0.012 spent so far", { cost: 104_000, net: -4_000, money: -0.012 }],
    ["not paid back yet: 4K tokens of input spent so far", { cost: 104_000, net: -4_000 }],
    ["saved 29 % of tokens (160K)", { cost: 400_000, net: 160_000 }],
    [
      "saved $0.48 and 40K tokens of input where no price is known (29 %)",
      { cost: 300_000, net: 120_000, money: 0.48 },
      { cost: 100_000, net: 40_000 },
    ],
    ["nothing saved yet", { cost: 1, net: 0 }],
    ["nothing saved yet"],
  ])("is %s", (says, ...records) => {
    expect(formatSaving(savingOf(...records.map(record)))).toBe(says);
  });

  it("the headline has percent and money first", () => {
    const headline = (today: Partial<SavingsRecord>): string => {
      const context = { now: 13_342, without: 25_600, threshold: 1, kinds: {} as never };
      const saved = { session: savingOf(), project: savingOf(), today: savingOf(record(today)) };
      return formatHeadline({ context, saved });
    };
    const context = "context 13.3K instead of 25.6K (−48 %)";
    expect(headline({ cost: 1, net: 9, money: 0.42 })).toBe(`${context} · saved $0.42 today`);
    expect(headline({ cost: 300, net: 100 })).toBe(`${context} · saved 25 % of tokens today`);
  });

  it("sizes have at most three digits", () => {
    const sizes = [
      0, 812, 999.4, 1_000, 13_342, 99_949, 99_960, 128_000, 999_499, 999_600, 1_250_000, -4_200,
    ];
    const texts = ["0", "812", "999", "1K", "13.3K", "99.9K", "100K", "128K", "999K", "1M", "1.3M", "−4.2K"];
    expect(sizes.map(formatTokens)).toEqual(texts);
  });
});
