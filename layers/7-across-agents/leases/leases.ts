/** The leases of a project, in one file that its instances change under a lock, and the tool `lease`. */
import { isAbsolute } from "node:path";
import { formatTime } from "../../../src/base/days.js";
import { StrataError } from "../../../src/base/error.js";
import { readText } from "../../../src/io/files.js";
import { formatPage } from "../../../src/io/state-file.js";
import { defineTool, type Tool } from "../../../src/kernel/layer.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import {
  findHeld,
  type Instances,
  type Lease,
  LONGEST_LEASE_MS,
  PERSON,
  parseLeases,
} from "../../../src/project/instances.js";
import type { leaseArguments } from "./arguments.js";
import type { Places } from "./edits.js";

export type Leases = ReturnType<typeof createLeases>;

interface LeasesOptions extends Pick<LayerContext, "clock" | "files" | "locks"> {
  instances: Pick<Instances, "join" | "living" | "ownID">;
  places: Places;
  path: string;
}

/** All calls reject with the system's error, or with the lock's. */
export function createLeases({ clock, files, instances, locks, path, places }: LeasesOptions) {
  const read = async (): Promise<readonly Lease[]> => parseLeases((await readText(files, path)) ?? "");
  const living = async () => new Set((await instances.living()).map(({ id }) => id));

  return {
    async claim(item: string, { session, ...rest }: { session: string; forMs: number; why?: string }) {
      const claimed = { item: await spell(places, item), ...rest };
      return change(session, (leases, asker) => planClaim(leases, claimed, asker));
    },

    /** Without an item, releases all leases of the session. */
    async release(item: string | undefined, { session }: { session: string }): Promise<LeaseOutcome> {
      const spelled = item === undefined ? undefined : await spell(places, item);
      return change(session, (leases, asker) => planRelease(leases, spelled, asker));
    },

    async list(): Promise<Lease[]> {
      return findHeld(await read(), { living: await living(), nowMs: clock.now() });
    },

    /** Leases of other instances on one of these paths, or on a folder above it. */
    async findOthers(wanted: readonly string[]): Promise<Lease[]> {
      const others = (await read()).filter(
        ({ instance, item }) => instance !== instances.ownID && wanted.some((place) => overlaps(item, place)),
      );
      if (others.length === 0) return [];
      return findHeld(others, { living: await living(), nowMs: clock.now() });
    },
  };

  async function change(session: string, plan: (leases: readonly Lease[], asker: Asker) => LeasePlan) {
    await instances.join();
    return locks.withLock(`${path}.lock`, async (lock) => {
      const asker = { instance: instances.ownID, session, nowMs: clock.now(), living: await living() };
      const before = await read();
      const planned = plan(before, asker);
      await lock.check();
      if (formatLeases(planned.leases) !== formatLeases(before))
        await files.writeWhole(path, formatLeases(planned.leases));
      return planned.outcome;
    });
  }
}

async function spell(places: Places, item: string): Promise<string> {
  const text = item.trim();
  const isPlace = isPath(text) || (mayBePath(text) && (await places.has(text)));
  return isPlace ? places.spell(text) : formatTopic(text);
}

/*
 * Who holds what, and until when. Pure: a table and a request give the next table and an outcome.
 *
 *     free ──claim──▶ held by a session ──claim──▶ held for longer
 *      ▲                     │
 *      └── release, expiry, end of its instance ┘
 *
 * One session at a time holds an item; holding a path holds everything below it. An unexpired lease of a living instance
 * cannot be taken away by an agent; a person may release any. All instances of a project read the same table.
 */

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
  | { kind: "taken"; by: Lease }
  | { kind: "none" };

export interface LeasePlan {
  leases: readonly Lease[];
  outcome: LeaseOutcome;
}

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
  const { instance, session } = asker;
  const lease: Lease = {
    ...{ item, instance, session },
    ...(reason !== undefined && { why: reason }),
    sinceMs: own?.sinceMs ?? asker.nowMs,
    untilMs: asker.nowMs + Math.min(forMs, LONGEST_LEASE_MS),
  };
  const rest = held.filter((other) => other !== own);
  return { leases: [...rest, lease], outcome: { kind: "held", lease, isRenewed: own !== undefined } };
}

/** Releases the item, which any session of the holding instance and a person may do; without an item, all leases of the session. */
export function planRelease(leases: readonly Lease[], item: string | undefined, asker: Asker): LeasePlan {
  const held = findHeld(leases, asker);
  const released = held.filter((lease) =>
    item === undefined
      ? lease.session === asker.session
      : lease.item === item && [lease.instance, PERSON].includes(asker.instance),
  );
  const left = held.filter((lease) => !released.includes(lease));
  if (released.length > 0) return { leases: left, outcome: { kind: "released", leases: released } };
  const by = held.find((lease) => lease.item === item);
  return { leases: held, outcome: by ? { kind: "taken", by } : { kind: "none" } };
}

export const formatLeases = (leases: readonly Lease[]): string => formatPage({ leases });

/* Items of leases: `!12`, `#34`, `&5`, a path or a topic, each with one spelling. */

const REFERENCE = /^[!#&]\d+$/;
/** A text with a slash, or a file name. */
const PATH = /[/\\]|^\.|\.\w{1,8}$/;

/** Could it be a path, if such a file exists? */
const mayBePath = (text: string): boolean => !REFERENCE.test(text);

/** Is it meant as a path, even if no such file exists? A topic of several words is not. */
export const isPath = (text: string): boolean => mayBePath(text) && !/\s/.test(text) && PATH.test(text);

/** The canonical spelling of a reference or topic; `Places.spell` does paths. */
export const formatTopic = (text: string): string =>
  text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toLowerCase();

/** Are the items equal, or is one inside the other? */
export function overlaps(one: string, other: string): boolean {
  return one === other || isBelow(one, other) || isBelow(other, one);
}

function isBelow(path: string, folder: string): boolean {
  if (folder === ".") return isPath(path) && !isAbsolute(path);
  return path.startsWith(`${folder}/`);
}

/* The tool: claims work items and lists who holds them. */

const USUAL_MINUTES = 30;
const MINUTE_MS = 60_000;

export function createLeaseTool(leases: Leases): Tool {
  return defineTool<typeof leaseArguments>({
    name: "lease",
    description: "Claim #34, a path or topic before you work on it. Also: op (release, list), minutes, why.",
    parameters: { properties: { item: { type: "string" } } },
    loadCheck: async () => (await import("./arguments.js")).leaseArguments,
    async execute({ item, minutes = USUAL_MINUTES, op = "claim", why }, { sessionID: session }) {
      if (op === "list") return formatList(await leases.list(), session);
      if (op === "release") return answerOutcome(await leases.release(item, { session }), item ?? "anything");
      if (item === undefined)
        throw new StrataError("EINVAL", `lease ${op} needs an item, such as "#34" or "src/a.ts"`);
      const wanted = { session, forMs: minutes * MINUTE_MS, ...(why !== undefined && { why }) };
      return answerOutcome(await leases.claim(item, wanted), item);
    },
  });
}

/** For the model that asked. @throws StrataError if it was refused */
export function answerOutcome(outcome: LeaseOutcome, item: string): string {
  switch (outcome.kind) {
    case "held": {
      const { lease, isRenewed } = outcome;
      return `${isRenewed ? "Renewed" : "Claimed"}: ${lease.item} is yours until ${formatTime(lease.untilMs)}.`;
    }
    case "released":
      return `Released: ${outcome.leases.map((lease) => lease.item).join(", ")}.`;
    case "taken": {
      const { by } = outcome;
      const holder = by.instance === PERSON ? "the user" : by.session;
      throw new StrataError(
        "ETAKEN",
        `${item} is not yours: ${formatLease(by)}. Work on something else, wait, or ask ${holder}.`,
      );
    }
    case "none":
      throw new StrataError("ENONE", `You do not hold ${item}; it is free, or has expired.`);
  }
}

function formatList(leases: readonly Lease[], session: string): string {
  if (leases.length === 0) return "Nothing is held by anybody.";
  const isOwn = (lease: Lease): boolean => lease.session === session;
  return leases.map((lease) => `- ${formatLease(lease)}${isOwn(lease) ? " (you)" : ""}`).join("\n");
}

export function formatLease({ instance, item, session, untilMs, why }: Lease): string {
  const reason = why === undefined ? "" : `, for ${JSON.stringify(why)}`;
  return `${item} is held by ${formatHolder({ instance, session })} until ${formatTime(untilMs)}${reason}`;
}

export const formatHolder = ({ instance, session }: Pick<Lease, "instance" | "session">): string =>
  instance === PERSON ? "the user" : `${session} (instance ${instance})`;
