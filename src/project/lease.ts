/**
 * Leases: what a session or person has claimed, and until when. Layer 7 changes them; a new session is
 * told of them. Pure.
 */
import { isRecord, parseJson } from "../base/records.js";
import { anyList, each, finite, object, optional, string } from "../base/shape.js";
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

/** Instance and session of leases that a person took on the command line. They last until they expire. */
export const PERSON = "person";

/** The leases in force: not expired, and from a running instance. */
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

/** A lease beyond the maximum duration counts as expired, so that after a clock change none lasts forever. */
function hasExpired(untilMs: number, nowMs: number): boolean {
  return nowMs >= untilMs || untilMs - nowMs > LONGEST_LEASE_MS;
}

/** Maximum length of a purpose, in characters. */
export const LONGEST_WHY = 200;
const LONGEST_PATH = 4_096;

/** On one line, because agents and people are shown text from the file. */
const isItem = (value: unknown): value is string =>
  string(value) && value.length <= LONGEST_PATH && !/[\p{Cc}\u2028\u2029]/u.test(value);
const isWhy = (value: unknown): value is string => string(value) && value.length <= LONGEST_WHY;

const isLease = object<Lease>({
  item: isItem,
  ...each(isName, "instance", "session"),
  why: optional(isWhy),
  ...each(finite, "sinceMs", "untilMs"),
});
