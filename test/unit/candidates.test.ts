import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Candidate,
  planDraft,
  readLatest,
  type WaitingCandidate,
} from "../../src/memory/candidates/candidate.js";
import { planCandidates } from "../../src/memory/candidates/plan-candidates.js";

const candidate = (text: string, session = "ses_1", given: Partial<Candidate> = {}): Candidate => ({
  type: "knowledge",
  when: [],
  worth: 0.4,
  said: [{ session, message: `msg_${session}`, saidMs: 0, title: text, text }],
  ...given,
});
const plan = (known: readonly WaitingCandidate[], found: readonly Candidate[], nowMs = 0) =>
  planCandidates(known, found, nowMs);
const textsOf = (all: readonly Candidate[]) => all.map((one) => readLatest(one)?.text);

const said = candidate("The storage is SQLite, because it needs no server.");

const again = (session: string) => candidate("The storage is SQLite because it needs no server", session);
const inSessions = (count: number): WaitingCandidate[] => {
  let known: readonly WaitingCandidate[] = plan([], [said]).waiting;
  for (let n = 2; n <= count; n++) known = Object.values(plan(known, [again(`ses_${n}`)])).flat();
  return [...known];
};

it("a candidate waits until the user has said the same in five sessions, and then takes the latest wording and its count", () => {
  expect(textsOf(plan(inSessions(4), []).waiting)).toEqual(textsOf([again("ses_4")]));
  const fifth = plan(inSessions(4), [again("ses_5")]);
  expect([textsOf(fifth.waiting), textsOf(fifth.agreed)]).toEqual([[], textsOf([again("ses_5")])]);
  expect(planDraft(fifth.agreed[0] as Candidate, { how: "repeated", type: "directive" })).toMatchObject({
    type: "directive",
    content: "The storage is SQLite because it needs no server",
    provenance: {
      ...{ by: "user", how: "repeated", session: "ses_5", message: "msg_ses_5" },
      why: "said in 5 sessions",
    },
    extra: { sessions: expect.arrayContaining(["ses_5"]) },
  });
});

it("a candidate that only clients repeat is never the user's rule, and keeps the user's wording", () => {
  let known = plan([], [said]).waiting;
  for (let n = 2; n <= 6; n++) {
    const client = again(`client_${n}`).said.map((one) => ({ ...one, isHandedOver: true as const }));
    const { agreed, waiting } = plan(known, [{ ...said, said: client }]);
    expect([agreed, textsOf(waiting)]).toEqual([[], textsOf([said])]);
    known = waiting;
  }
  const mixed = { ...said, said: [...said.said, ...(inSessions(5)[0]?.said.slice(1) ?? [])] };
  const handed = mixed.said.map((one, n) => (n === 0 ? one : { ...one, isHandedOver: true as const }));
  expect(plan([], [{ ...mixed, said: handed }]).agreed).toEqual([]);
});

it("a candidate that was said in three sessions stands before all that are worth more, and is judged again", () => {
  const likely = plan(inSessions(2), [candidate("The queue is Redis.", "ses_9", { worth: 0.9 })]).waiting;
  expect(textsOf(likely)[0]).toBe("The queue is Redis.");
  const judged = likely.map((one) => ({ ...one, isJudged: true as const }));
  const { waiting } = plan(judged, [again("ses_3")]);
  expect(textsOf(waiting)).toEqual([...textsOf([again("ses_3")]), "The queue is Redis."]);
  expect(waiting.map(({ isJudged }) => isJudged)).toEqual([undefined, true]);
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
    session: fc.constantFrom("ses_1", "ses_2", "ses_3", "ses_4", "ses_5"),
    message: fc.nat(4),
    isTakenBack: fc.boolean(),
  });
  const toCandidate = (given: { text: string; session: string; message: number; isTakenBack: boolean }) => {
    const { isTakenBack, message, session, text } = given;
    const one = { session, message: `msg_${message}`, saidMs: message, title: text, text };
    return candidate(text, session, { said: [{ ...one, ...(isTakenBack && { isTakenBack }) }] });
  };

  it("ids are unique, five sessions make a candidate a rule, nothing is lost, and planning again changes nothing", () => {
    fc.assert(
      fc.property(fc.array(saying, { maxLength: 40 }), (given) => {
        let known: readonly WaitingCandidate[] = [];
        for (const one of given) {
          const { agreed, waiting } = plan(known, [toCandidate(one)]);
          known = [...agreed, ...waiting];
        }
        const { agreed, waiting } = plan(known, []);
        expect([...agreed, ...waiting]).toEqual(known);
        expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
        const sessions = (one: Candidate) => new Set(one.said.map(({ session }) => session)).size;
        expect(agreed.every((one) => sessions(one) >= 5)).toBe(true);
        expect(waiting.every((one) => sessions(one) < 5)).toBe(true);
        expect(known.length > 0).toBe(given.some(({ isTakenBack }) => !isTakenBack));
      }),
    );
  });
});
