import { describe, expect, it } from "vitest";
import { type Candidate, planCandidates } from "../../layers/5-auto-memory/extraction/candidates.js";
import { atOnce } from "../../src/slices.js";

const DAY_MS = 24 * 60 * 60 * 1_000;

const candidate = (text: string, session = "ses_1", given: Partial<Candidate> = {}): Candidate => ({
  type: "knowledge",
  text,
  when: [],
  chance: 0.4,
  said: [{ session, message: `msg_${session}`, saidMs: 0 }],
  ...given,
});
const plan = (known: readonly Candidate[], found: readonly Candidate[], nowMs = DAY_MS) =>
  atOnce(planCandidates(known, found, nowMs));

describe("a candidate", () => {
  const said = candidate("The storage is SQLite, because it needs no server.");

  it("waits until the same is said in another session, and is then agreed to as it was said last", () => {
    const again = candidate("The storage is SQLite because it needs no server", "ses_2");
    expect(plan([], [said])).toMatchObject({ waiting: [{ text: said.text }], agreed: [] });
    expect(plan([said], [again])).toMatchObject({ waiting: [], agreed: [{ text: again.text }] });
  });

  it("goes on waiting when it is said again in its own session, once however often it is read", () => {
    const { agreed, waiting } = plan([said], [said, said]);
    expect(agreed).toEqual([]);
    expect(waiting.map((one) => one.said.length)).toEqual([1]);
  });

  it("stands beside one that says something else", () => {
    expect(plan([said], [candidate("The queue is Redis.", "ses_2")]).waiting).toHaveLength(2);
  });

  it("fades a month after it was last said", () => {
    expect(plan([said], [], 29 * DAY_MS).waiting).toHaveLength(1);
    expect(plan([said], [], 31 * DAY_MS).waiting).toEqual([]);
  });

  it("is among the two hundred likeliest, or does not wait", () => {
    const words = (n: number) => `thing${n} keeps number${n} beside value${n}`;
    const many = Array.from({ length: 250 }, (_, n) => candidate(words(n), `ses_${n}`, { chance: n / 250 }));
    const { waiting } = plan([], many);
    expect(waiting).toHaveLength(200);
    expect(waiting[0]?.chance).toBeGreaterThan(0.99);
  });
});
