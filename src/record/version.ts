/**
 * The version of a state file or line, in `v` or `version`. Files of a newer Strata occur after a downgrade, or if both
 * versions run in one project. A line of a newer version is used if it has all fields known here. A file of a newer
 * version is read the same way and never overwritten (later-state.ts).
 */
import { isRecord, parseJson } from "../records.js";

const KNOWN = 1;

/** A known version or a newer one. */
export const isVersion = (v: unknown): v is typeof KNOWN => Number.isInteger(v) && Number(v) >= KNOWN;

/** Version of a value written by a newer Strata; `undefined` if the version is known or absent. */
export function findLaterVersion(value: unknown): number | undefined {
  if (!isRecord(value)) return undefined;
  const version = value.v ?? value.version;
  return isVersion(version) && version !== KNOWN ? Number(version) : undefined;
}

/** The same for the text of a JSON file. */
export function findLaterVersionIn(text: string): number | undefined {
  // Avoids parsing, since most files have the current version and some are long.
  if (!/"v(ersion)?"\s*:\s*([2-9]|1\d)/.test(text)) return undefined;
  return findLaterVersion(parseJson(text));
}

/** Is the first release, such as "1.10.2", newer than the second? */
export function isLaterRelease(first: string, second: string): boolean {
  const [ours, theirs] = [first, second].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (const [index, part] of (ours ?? []).entries()) {
    const difference = part - (theirs?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** A sentence about a file written by a newer Strata. */
export function formatLater(path: string, version: number | string): string {
  return `${path} is of version ${version}, written by a newer Strata: it stays unchanged. Update Strata, or delete the file to start over`;
}
