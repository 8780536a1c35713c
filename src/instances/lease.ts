/**
 * Leases: what a session or person has claimed for itself, and until when. Layer 7 changes them; a session that begins is
 * told of them. Pure.
 */
import { isRecord, parseJson } from "../records.js";
import { anyList, each, finite, object, optional, string } from "../shape.js";
import { isName } from "./instance.js";

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

export const LONGEST_LEASE_MS = 8 * 3_600_000;

/** Instance and session of leases that a person holds through the command line. They live until they expire. */
export const PERSON = "person";

/** The leases in force: not expired, and of a living instance. */
export function findHeld(
  leases: readonly Lease[],
  { living, nowMs }: { living: ReadonlySet<string>; nowMs: number },
): Lease[] {
  return leases.filter(
    ({ instance, untilMs }) => (instance === PERSON || living.has(instance)) && !hasExpired(untilMs, nowMs),
  );
}

/** Parses the table in a file; entries that are not leases are ignored. */
export function parseLeases(text: string): Lease[] {
  const value = parseJson(text);
  return isRecord(value) && anyList(value.leases) ? value.leases.filter(isLease) : [];
}

/** A lease that ends later than the longest possible counts as expired, so that a clock set back keeps none for ever. */
function hasExpired(untilMs: number, nowMs: number): boolean {
  return nowMs >= untilMs || untilMs - nowMs > LONGEST_LEASE_MS;
}

/** Maximum length of a purpose, in characters. */
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
