import type { SavingsRecord } from "../../src/costs/savings.js";

const answer = (sent: number, keptOut: number, net: number) => ({ event: "answer", sent, keptOut, net });

/** A small ledger: one session with every kind of line, and a short one the next day. */
export function readLedgerExample(): Map<string, SavingsRecord[]> {
  const of = (session: string, day: string, ...records: object[]): SavingsRecord[] =>
    records.map((record, n) => ({
      v: 1,
      time: `${day}T10:00:0${n}.000Z`,
      instance: "a",
      session,
      layer: "view",
      event: "",
      ...record,
    }));
  return new Map([
    [
      "ses_1",
      of(
        "ses_1",
        "2026-11-20",
        answer(9_000, 0, 0),
        { event: "spilled", key: "one", tokensFreed: 30_000 },
        { event: "spilled", key: "one", tokensFreed: 25_000 },
        answer(30_000, 20_000, 2_000),
        { event: "cut", tokensFreed: 40_000, cacheLost: 9_000, net: -10_350 },
        answer(12_000, 45_000, 4_500),
      ),
    ],
    ["ses_2", of("ses_2", "2026-11-21", answer(7_000, 0, 0))],
  ]);
}
