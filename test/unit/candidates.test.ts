import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Candidate,
  planDraft,
  readLatest,
  type WaitingCandidate,
} from "../../src/candidates/candidate.js";
import { planCandidates, planDropped, withoutDropped } from "../../src/candidates/plan-candidates.js";
import { DAY_MS } from "../../src/days.js";
import { atOnce } from "../../src/slices.js";

const candidate = (text: string, session = "ses_1", given: Partial<Candidate> = {}): Candidate => ({
  type: "knowledge",
  when: [],
  chance: 0.4,
  said: [{ session, message: `msg_${session}`, saidMs: 0, title: text, text }],
  ...given,
});
const plan = (known: readonly WaitingCandidate[], found: readonly Candidate[], nowMs = 0) =>
  atOnce(planCandidates(known, found, nowMs));
const textsOf = (all: readonly Candidate[]) => all.map((one) => readLatest(one)?.text);

describe("a candidate", () => {
  const said = candidate("The storage is SQLite, because it needs no server.");

  it("a candidate waits until the user says the same in another session, and then takes the latest wording", () => {
    const again = candidate("The storage is SQLite because it needs no server", "ses_2");
    const first = plan([], [said]);
    expect([textsOf(first.waiting), textsOf(first.agreed)]).toEqual([textsOf([said]), []]);
    const second = plan(first.waiting, [again]);
    expect([textsOf(second.waiting), textsOf(second.agreed)]).toEqual([[], textsOf([again])]);
    expect(planDraft(second.agreed[0] as Candidate)).toMatchObject({
      content: "The storage is SQLite because it needs no server",
      provenance: { by: "user", how: "signal", session: "ses_2", message: "msg_ses_2" },
      extra: { sessions: ["ses_1", "ses_2"] },
    });
  });

  it("a candidate that could not be stored as a memory is returned again the next time", () => {
    const { agreed } = plan(plan([], [said]).waiting, [
      { ...said, said: candidate(textsOf([said])[0] ?? "", "ses_2").said },
    ]);
    expect(agreed).toHaveLength(1);
    expect(plan(agreed, [candidate("The queue is Redis.", "ses_3")]).agreed).toEqual(agreed);
  });

  it("a candidate that is repeated in its own session keeps waiting, and each message counts once", () => {
    const { agreed, waiting } = plan(plan([], [said]).waiting, [said, said]);
    expect(agreed).toEqual([]);
    expect(waiting.map((one) => one.said.length)).toEqual([1]);
  });

  it("a candidate is kept apart from one that says something else", () => {
    expect(plan(plan([], [said]).waiting, [candidate("The queue is Redis.", "ses_2")]).waiting).toHaveLength(
      2,
    );
  });

  it("a candidate expires a month after it was last said", () => {
    const { waiting } = plan([], [said]);
    expect(plan(waiting, [], 29 * DAY_MS).waiting).toHaveLength(1);
    expect(plan(waiting, [], 31 * DAY_MS).waiting).toEqual([]);
  });

  it("a candidate of an old conversation waits a month from when it was found", () => {
    const { waiting } = plan([], [said], 400 * DAY_MS);
    expect(plan(waiting, [], 429 * DAY_MS).waiting).toHaveLength(1);
    expect(plan(waiting, [], 431 * DAY_MS).waiting).toEqual([]);
  });

  it("a candidate waits only among the two hundred most probable", () => {
    const words = (n: number) => `thing${n} keeps number${n} beside value${n}`;
    const many = Array.from({ length: 250 }, (_, n) => candidate(words(n), `ses_${n}`, { chance: n / 250 }));
    const { waiting } = plan([], many);
    expect(waiting).toHaveLength(200);
    expect(waiting[0]?.chance).toBeGreaterThan(0.99);
  });

  it("a candidate that was dropped comes back neither with the same words nor with the same message", () => {
    const dropped = planDropped([], [said], 0);
    const words = candidate("the storage is sqlite because it needs **no server**", "ses_2");
    const message = candidate("Storage: SQLite.", "ses_1");
    const other = candidate("The queue is Redis.", "ses_2");
    expect(withoutDropped([said, words, message, other], dropped)).toEqual([other]);
    expect(JSON.stringify(dropped)).not.toMatch(/sqlite|ses_1/i);
  });
});

describe("whatever is said in whatever order", () => {
  const texts = [
    "The storage is SQLite",
    "The queue is Redis",
    "Tests need port 9000",
    "The storage is SQLite.",
  ];
  const saying = fc.record({
    text: fc.constantFrom(...texts),
    session: fc.constantFrom("ses_1", "ses_2", "ses_3"),
    message: fc.nat(4),
    isTakenBack: fc.boolean(),
  });
  const toCandidate = (given: { text: string; session: string; message: number; isTakenBack: boolean }) => {
    const { isTakenBack, message, session, text } = given;
    const one = { session, message: `msg_${message}`, saidMs: message, title: text, text };
    return candidate(text, session, { said: [{ ...one, ...(isTakenBack && { isTakenBack }) }] });
  };

  it("ids are unique, two sessions make a candidate sure, nothing is lost, and planning again changes nothing", () => {
    fc.assert(
      fc.property(fc.array(saying, { maxLength: 20 }), (given) => {
        let known: readonly WaitingCandidate[] = [];
        for (const one of given) {
          const { agreed, waiting } = plan(known, [toCandidate(one)]);
          known = [...agreed, ...waiting];
        }
        const { agreed, waiting } = plan(known, []);
        expect([...agreed, ...waiting]).toEqual(known);
        expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
        const sessions = (one: Candidate) => new Set(one.said.map(({ session }) => session)).size;
        expect(agreed.every((one) => sessions(one) >= 2)).toBe(true);
        expect(waiting.every((one) => sessions(one) < 2)).toBe(true);
        const standing = given.filter(({ isTakenBack }) => !isTakenBack);
        expect(known.length > 0).toBe(standing.length > 0);
      }),
    );
  });
});
