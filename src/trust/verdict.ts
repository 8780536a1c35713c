/** Whose contents are these? Decided by what the disk and this machine's own records say. Pure. */
import type { NamedContents } from "./record.js";

/** A file as it lies there, about whose contents nothing is decided. */
export interface FoundFile extends NamedContents {
  /** Absolute path. */
  path: string;
  /** When it was last changed in any way, by the clock of the disk. */
  changedMs: number;
  /** When its contents were written, as whoever has put it there says: one that was unpacked keeps the time it had. */
  modifiedMs: number;
}

export interface Ground {
  /** When the files of this shelf were looked at before; `undefined` when they never were. */
  sinceMs: number | undefined;
  /** Have these contents been foreign under any name? */
  isForeign(hash: string): boolean;
  /** Have they been the user's under any name? */
  isKnownOwn(hash: string): boolean;
  /** Was an agent at work then? */
  isInTurn(changedMs: number): boolean;
  /** What is found at the first look: of a project foreign, of the user's own folder his. */
  firstSeen: "own" | "foreign";
}

/** A disk keeps times of files to two seconds at worst. */
const SLACK_MS = 2_000;

export type Verdict = "own" | "found" | "agent" | "unless-brought";

/**
 *     own              it is the user's
 *     found            it came with the repository: it was there at first, or is older than the last look, itself or
 *                      in what it says, as what is unpacked over a project or copied into it
 *     agent            it was changed while an agent was at work, and not by the store
 *     unless-brought   it was changed by hand, unless git has brought it
 */
export function judge(
  file: FoundFile,
  { firstSeen, isForeign, isInTurn, isKnownOwn, sinceMs }: Ground,
): Verdict {
  if (sinceMs === undefined) return firstSeen === "own" ? "own" : "found";
  if (isForeign(file.hash) || file.changedMs < sinceMs) return "found";
  if (file.modifiedMs < sinceMs - SLACK_MS && !isKnownOwn(file.hash)) return "found";
  return isInTurn(file.changedMs) ? "agent" : "unless-brought";
}
