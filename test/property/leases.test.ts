/** The table of leases against what must always hold of it, whoever asks what of it when. */
import { expect, it } from "vitest";
import {
  type Asker,
  formatLeases,
  type LeasePlan,
  overlaps,
  planClaim,
  planRelease,
} from "../../layers/7-across-agents/leases/leases.js";
import { findHeld, type Lease, LONGEST_LEASE_MS, parseLeases } from "../../src/project/instances.js";
import { MORNING } from "../support/fake-clock.js";
import { fc } from "../support/property.js";

const ITEMS = ["!12", "the login", "src", "src/a.ts", "src/api/b.ts", "srcs", "."];
const MINUTE = 60_000;

const step = fc.record({
  op: fc.constantFrom("claim", "claim", "release", "release all", "die", "wait", "jump back"),
  item: fc.constantFrom(...ITEMS),
  session: fc.integer({ min: 0, max: 3 }),
  minutes: fc.integer({ min: 1, max: 600 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Sessions 0 and 1 are of instance 0, 2 and 3 of instance 1. */
const askerOf = (session: number, nowMs: number, living: ReadonlySet<string>): Asker => ({
  instance: `i${session >> 1}`,
  session: `ses_${session}`,
  nowMs,
  living,
});

function plan({ item, minutes, op }: Step, leases: readonly Lease[], asker: Asker): LeasePlan {
  const forMs = minutes * MINUTE;
  if (op === "claim") return planClaim(leases, { item, forMs }, asker);
  return planRelease(leases, op === "release" ? item : undefined, asker);
}

it("an item is never held twice or taken from its holder, and every answer agrees with the table", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let leases: readonly Lease[] = [];
      let nowMs = MORNING;
      const living = new Set(["i0", "i1"]);
      for (const one of steps) {
        if (one.op === "wait") nowMs += one.minutes * MINUTE;
        if (one.op === "jump back") nowMs -= one.minutes * MINUTE;
        if (one.op === "die") living.delete(`i${one.session >> 1}`);
        if (["wait", "jump back", "die"].includes(one.op)) continue;
        living.add(`i${one.session >> 1}`);
        const asker = askerOf(one.session, nowMs, living);
        const before = findHeld(leases, asker);
        const { leases: after, outcome } = plan(one, leases, asker);
        expect(parseLeases(formatLeases(after))).toEqual(after);
        const kept = before.filter(({ instance }) => instance !== asker.instance);
        expect(after).toEqual(expect.arrayContaining(kept));
        for (const [index, lease] of after.entries())
          for (const other of after.slice(index + 1))
            expect(lease.session !== other.session && overlaps(lease.item, other.item)).toBe(false);
        if (outcome.kind === "taken") expect(before).toContainEqual(outcome.by);
        if (outcome.kind === "taken" || outcome.kind === "none") expect(after).toEqual(before);
        if (outcome.kind === "held") {
          expect(after).toContainEqual(outcome.lease);
          expect(outcome.lease.untilMs - nowMs).toBe(Math.min(one.minutes * MINUTE, LONGEST_LEASE_MS));
        }
        leases = after;
      }
    }),
  );
});

it("a claim succeeds exactly if no other living session holds an overlapping item", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ITEMS),
      fc.constantFrom(...ITEMS),
      fc.integer({ min: 0, max: 40 }),
      (one, other, later) => {
        const living = new Set(["i0", "i1"]);
        const forMs = 20 * MINUTE;
        const first = planClaim([], { item: one, forMs }, askerOf(0, MORNING, living));
        const asker = askerOf(2, MORNING + later * MINUTE, living);
        const { outcome } = planClaim(first.leases, { item: other, forMs }, asker);
        const isFree = later >= 20 || !overlaps(one, other);
        expect(outcome.kind).toBe(isFree ? "held" : "taken");
        const alone = { ...asker, living: new Set(["i1"]) };
        expect(planClaim(first.leases, { item: other, forMs }, alone).outcome.kind).toBe("held");
      },
    ),
  );
});

it("a clock that is set back extends no lease beyond the maximum", () => {
  const living = new Set(["i0", "i1"]);
  const claimed = planClaim([], { item: "!1", forMs: LONGEST_LEASE_MS }, askerOf(0, MORNING, living));
  const heldAt = (nowMs: number) => findHeld(claimed.leases, { living, nowMs }).length;
  expect([heldAt(MORNING), heldAt(MORNING + LONGEST_LEASE_MS)]).toEqual([1, 0]);
  expect(heldAt(MORNING - 365 * 86_400_000)).toBe(0);
});
