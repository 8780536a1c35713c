/** The leases of a project, in one file that its instances change under a lock. The rules are in `lease-table.ts`. */

import type { Clock } from "../../../src/io/clock.js";
import type { Files } from "../../../src/io/files.js";
import type { Locks } from "../../../src/io/locks.js";
import { createStateFile } from "../../../src/io/state-file.js";
import type { Instances } from "../../../src/project/instances.js";
import { findHeld, type Lease, parseLeases } from "../../../src/project/lease.js";
import type { Places } from "../edits/places.js";
import { formatTopic, isPath, mayBePath, overlaps } from "./items.js";
import {
  type Asker,
  formatLeases,
  type LeaseOutcome,
  type LeasePlan,
  planClaim,
  planRelease,
  planRenew,
} from "./lease-table.js";

/** All calls reject with the system's error, or with the lock's. */
export interface Leases {
  claim(item: string, options: { session: string; forMs: number; why?: string }): Promise<LeaseOutcome>;
  renew(item: string, options: { session: string; forMs: number }): Promise<LeaseOutcome>;
  /** Without an item, releases all leases of the session. */
  release(item: string | undefined, options: { session: string }): Promise<LeaseOutcome>;
  /** The leases in force. */
  list(): Promise<Lease[]>;
  /** Leases of other instances on one of these paths, or on a folder above it. */
  findOthers(places: readonly string[]): Promise<Lease[]>;
  /** Releases all leases of this instance. */
  releaseAll(): Promise<void>;
}

export interface LeasesOptions {
  clock: Clock;
  files: Files;
  locks: Locks;
  instances: Pick<Instances, "join" | "living" | "onEnd" | "ownID">;
  places: Places;
  path: string;
}

export function createLeases(options: LeasesOptions): Leases {
  const { clock, files, instances, locks, path, places } = options;
  const stored = createStateFile<readonly Lease[]>({
    files,
    parse: parseLeases,
    format: formatLeases,
    fresh: [],
  });
  const read = (): Promise<readonly Lease[]> => stored.read(path);
  /** Has this instance claimed anything? If not, `releaseAll` need not read the file. */
  let hasClaimed = false;
  instances.onEnd(async (ended) => {
    const isTheirs = ({ instance }: Lease): boolean => ended.includes(instance);
    if ((await read()).some(isTheirs)) await drop(isTheirs);
  });

  return {
    async claim(item, { session, ...rest }) {
      const claimed = { item: await spell(places, item), ...rest };
      hasClaimed = true;
      return change(session, (leases, asker) => planClaim(leases, claimed, asker));
    },

    async renew(item, { forMs, session }) {
      const spelled = await spell(places, item);
      return change(session, (leases, asker) => planRenew(leases, { item: spelled, forMs }, asker));
    },

    async release(item, { session }) {
      const spelled = item === undefined ? undefined : await spell(places, item);
      return change(session, (leases, asker) => planRelease(leases, spelled, asker));
    },

    async list() {
      return findHeld(await read(), { living: await listLivingIDs(instances), nowMs: clock.now() });
    },

    async findOthers(wanted) {
      const others = (await read()).filter(
        ({ instance, item }) => instance !== instances.ownID && wanted.some((place) => overlaps(item, place)),
      );
      if (others.length === 0) return [];
      return findHeld(others, { living: await listLivingIDs(instances), nowMs: clock.now() });
    },

    async releaseAll() {
      if (hasClaimed) await drop(({ instance }) => instance === instances.ownID);
    },
  };

  async function change(
    session: string,
    plan: (leases: readonly Lease[], asker: Asker) => LeasePlan,
  ): Promise<LeaseOutcome> {
    await instances.join();
    return locks.withLock(lockPath(), async (lock) => {
      const living = await listLivingIDs(instances);
      const before = await read();
      const planned = plan(before, { instance: instances.ownID, session, nowMs: clock.now(), living });
      await lock.check();
      if (formatLeases(planned.leases) !== formatLeases(before)) await stored.write(path, planned.leases);
      return planned.outcome;
    });
  }

  async function drop(isGone: (lease: Lease) => boolean): Promise<void> {
    await locks.withLock(lockPath(), async (lock) => {
      const leases = await read();
      const left = leases.filter((lease) => !isGone(lease));
      await lock.check();
      if (left.length < leases.length) await stored.write(path, left);
    });
  }

  function lockPath(): string {
    return `${path}.lock`;
  }
}

async function spell(places: Places, item: string): Promise<string> {
  const text = item.trim();
  const isPlace = isPath(text) || (mayBePath(text) && (await places.has(text)));
  return isPlace ? places.spell(text) : formatTopic(text);
}

async function listLivingIDs(instances: Pick<Instances, "living">): Promise<Set<string>> {
  return new Set((await instances.living()).map(({ id }) => id));
}
