/**
 * Who holds what, and until when. Pure: a table and a request give the next table and an outcome.
 *
 *     free ──claim──▶ held by a session ──renew──▶ held for longer
 *      ▲                     │
 *      └── release, expiry, end of its instance ┘
 *
 * One session at a time holds an item; holding a path holds everything below it. An unexpired lease of a living instance
 * is never taken away by an agent; a person may release any. All instances of a project read the same table.
 */

import { isName } from "../../../src/instances/instance.js";
import { formatPage } from "../../../src/record/state-file.js";
import { isRecord, parseJson } from "../../../src/records.js";
import { anyList, each, finite, object, optional, string } from "../../../src/shape.js";
import { overlaps } from "./items.js";

export interface Lease {
  item: string;
  instance: string;
  session: string;
  /** Purpose, in a few words. */
  why?: string;
  /** Milliseconds since 1970. */
  sinceMs: number;
  untilMs: number;
}

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

export const LONGEST_LEASE_MS = 8 * 3_600_000;

/** Instance and session of leases that a person holds through the command line. They live until they expire. */
export const PERSON = "person";

/** The leases in force: not expired, and of a living instance. */
export function findHeld(
  leases: readonly Lease[],
  { living, nowMs }: Pick<Asker, "living" | "nowMs">,
): Lease[] {
  return leases.filter(
    ({ instance, untilMs }) => (instance === PERSON || living.has(instance)) && !hasExpired(untilMs, nowMs),
  );
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

/** Parses the table in a file; entries that are not leases are ignored. */
export function parseLeases(text: string): Lease[] {
  const value = parseJson(text);
  return isRecord(value) && anyList(value.leases) ? value.leases.filter(isLease) : [];
}

export function formatLeases(leases: readonly Lease[]): string {
  return formatPage({ leases });
}

/** A lease that ends later than the longest possible counts as expired, so that a clock set back keeps none for ever. */
function hasExpired(untilMs: number, nowMs: number): boolean {
  return nowMs >= untilMs || untilMs - nowMs > LONGEST_LEASE_MS;
}

/** Bounds of what an agent or a person may write, in characters; a path is written in full. */
export const LONGEST_ITEM = 500;
export const LONGEST_WHY = 200;
const LONGEST_PATH = 4_096;

/** One line: what is read from the file is shown to agents and people. */
const isItem = (value: unknown): value is string =>
  string(value) && value.length <= LONGEST_PATH && !/[\p{Cc}\u2028\u2029]/u.test(value);
const isWhy = (value: unknown): value is string => string(value) && value.length <= LONGEST_WHY;

const isLease = object<Lease>({
  item: isItem,
  ...each(isName, "instance", "session"),
  why: optional(isWhy),
  ...each(finite, "sinceMs", "untilMs"),
});
