/**
 * Who holds what, and until when. Pure: a table and a request give the next table and an outcome.
 *
 *     free ──claim──▶ held by a session ──renew──▶ held for longer
 *      ▲                     │
 *      └── release, expiry, end of its instance ┘
 *
 * One session at a time holds an item; holding a path holds everything below it. An unexpired lease of a living instance
 * cannot be taken away by an agent; a person may release any. All instances of a project read the same table.
 */

import { formatPage } from "../../../src/io/state-file.js";
import { findHeld, type Lease, LONGEST_LEASE_MS, PERSON } from "../../../src/project/lease.js";
import { overlaps } from "./items.js";

/** The session that requests a change of the table. */
export interface Asker {
  instance: string;
  session: string;
  nowMs: number;
  /** Ids of the living instances; leases of others do not count. */
  living: ReadonlySet<string>;
}

export type LeaseOutcome =
  | { kind: "held"; lease: Lease; isRenewed: boolean }
  | { kind: "released"; leases: readonly Lease[] }
  /** Another session holds it, or an item that overlaps it. */
  | { kind: "taken"; by: Lease }
  /** Nothing to renew or release. */
  | { kind: "none" };

export interface LeasePlan {
  leases: readonly Lease[];
  outcome: LeaseOutcome;
}

/** Claims the item, or extends the session's lease on it. */
export function planClaim(
  leases: readonly Lease[],
  { item, forMs, why }: { item: string; forMs: number; why?: string },
  asker: Asker,
): LeasePlan {
  const held = findHeld(leases, asker);
  const isMine = (lease: Lease): boolean => lease.session === asker.session;
  const by = held.find((lease) => !isMine(lease) && overlaps(lease.item, item));
  if (by) return { leases: held, outcome: { kind: "taken", by } };
  const own = held.find((lease) => isMine(lease) && lease.item === item);
  const reason = why ?? own?.why;
  const lease: Lease = {
    item,
    instance: asker.instance,
    session: asker.session,
    ...(reason !== undefined && { why: reason }),
    sinceMs: own?.sinceMs ?? asker.nowMs,
    untilMs: asker.nowMs + Math.min(forMs, LONGEST_LEASE_MS),
  };
  const rest = held.filter((other) => other !== own);
  return { leases: [...rest, lease], outcome: { kind: "held", lease, isRenewed: own !== undefined } };
}

/** Extends a lease that the session holds. A lost lease has to be claimed again, and another session may have it. */
export function planRenew(
  leases: readonly Lease[],
  { item, forMs }: { item: string; forMs: number },
  asker: Asker,
): LeasePlan {
  const held = findHeld(leases, asker);
  if (held.some((lease) => lease.item === item && lease.session === asker.session))
    return planClaim(leases, { item, forMs }, asker);
  const by = held.find((lease) => lease.session !== asker.session && overlaps(lease.item, item));
  return { leases: held, outcome: by ? { kind: "taken", by } : { kind: "none" } };
}

/** Releases the item, which any session of the holding instance and a person may do; without an item, all leases of the session. */
export function planRelease(leases: readonly Lease[], item: string | undefined, asker: Asker): LeasePlan {
  const held = findHeld(leases, asker);
  const released = held.filter((lease) =>
    item === undefined
      ? lease.session === asker.session
      : lease.item === item && [lease.instance, PERSON].includes(asker.instance),
  );
  if (released.length > 0)
    return {
      leases: held.filter((lease) => !released.includes(lease)),
      outcome: { kind: "released", leases: released },
    };
  const by = held.find((lease) => lease.item === item);
  return { leases: held, outcome: by ? { kind: "taken", by } : { kind: "none" } };
}

export function formatLeases(leases: readonly Lease[]): string {
  return formatPage({ leases });
}

/** Maximum lengths of what an agent or a person may write, in characters; paths are written in full. */
export const LONGEST_ITEM = 500;
