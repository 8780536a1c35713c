/**
 * The version that a file or a line of state carries, `v` or `version`. An older Strata may meet what a later one has
 * written: after a downgrade, or because both run in one project. A line of a later version counts where it has all
 * that is known of its kind; a file of a later version is read the same way and never written over (later-state.ts).
 */
import { isRecord, parseJson } from "../records.js";

const KNOWN = 1;

/** Is it a version that is known, or a later one? */
export const isVersion = (v: unknown): v is typeof KNOWN => Number.isInteger(v) && Number(v) >= KNOWN;

/** The version of what a later Strata has written; `undefined` for what is known or carries none. */
export function findLaterVersion(value: unknown): number | undefined {
  if (!isRecord(value)) return undefined;
  const version = value.v ?? value.version;
  return isVersion(version) && version !== KNOWN ? Number(version) : undefined;
}

/** The same of a file of JSON. */
export function findLaterVersionIn(text: string): number | undefined {
  // Most are of today, and some are long.
  if (!/"v(ersion)?"\s*:\s*([2-9]|1\d)/.test(text)) return undefined;
  return findLaterVersion(parseJson(text));
}

/** Is the first release, as in "1.10.2", after the second? */
export function isLaterRelease(first: string, second: string): boolean {
  const [ours, theirs] = [first, second].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [index, part] of (ours ?? []).entries()) {
    const difference = part - (theirs?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** A sentence about what a later Strata has written. */
export function formatLater(path: string, version: number | string): string {
  return `${path} is of version ${version}, which a later Strata has written: it stays as it is; update this one, or delete the file to begin anew`;
}
