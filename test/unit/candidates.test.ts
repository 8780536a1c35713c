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

  it("a candidate waits until the user says the same in another session, and then takes the latest wording", () => {
    const again = candidate("The storage is SQLite because it needs no server", "ses_2");
    expect(plan([], [said])).toMatchObject({ waiting: [{ text: said.text }], agreed: [] });
    expect(plan([said], [again])).toMatchObject({ waiting: [], agreed: [{ text: again.text }] });
  });

  it("a candidate that is repeated in its own session keeps waiting, and each message counts once", () => {
    const { agreed, waiting } = plan([said], [said, said]);
    expect(agreed).toEqual([]);
    expect(waiting.map((one) => one.said.length)).toEqual([1]);
  });

  it("a candidate is kept apart from one that says something else", () => {
    expect(plan([said], [candidate("The queue is Redis.", "ses_2")]).waiting).toHaveLength(2);
  });

  it("a candidate expires a month after it was last said", () => {
    expect(plan([said], [], 29 * DAY_MS).waiting).toHaveLength(1);
    expect(plan([said], [], 31 * DAY_MS).waiting).toEqual([]);
  });

  it("a candidate waits only among the two hundred most probable", () => {
    const words = (n: number) => `thing${n} keeps number${n} beside value${n}`;
    const many = Array.from({ length: 250 }, (_, n) => candidate(words(n), `ses_${n}`, { chance: n / 250 }));
    const { waiting } = plan([], many);
    expect(waiting).toHaveLength(200);
    expect(waiting[0]?.chance).toBeGreaterThan(0.99);
  });
});
