/** Decides whose contents a file has, from the disk and this machine's own records. Pure. */
import type { NamedContents } from "./record.js";

/** A file on disk whose contents are not yet known to be own or foreign. */
export interface FoundFile extends NamedContents {
  /** Absolute path. */
  path: string;
  /** Time of its last change of any kind, by the disk's clock (ctime). */
  changedMs: number;
  /** Time of its last content change (mtime), which archives preserve and programs can set. */
  modifiedMs: number;
}

export interface Ground {
  /** When the files of this collection were last checked; `undefined` if never. */
  sinceMs: number | undefined;
  /** Have these contents been foreign under any name? */
  isForeign(hash: string): boolean;
  /** Have they been the user's under any name? */
  isKnownOwn(hash: string): boolean;
  /** Was an agent working at that time? */
  isInTurn(changedMs: number): boolean;
  /** Verdict at the first look: foreign in a project, own in the user's folder. */
  firstSeen: "own" | "foreign";
}

/** Worst resolution of file times on any disk. */
const SLACK_MS = 2_000;

export type Verdict = "own" | "found" | "agent" | "unless-brought";

/**
 *     own              it is the user's
 *     found            it came with the repository: it was there at the first look, or its ctime or mtime is older than
 *                      the last look, as for files unpacked or copied into a project
 *     agent            it was changed while an agent was working, and not by the store
 *     unless-brought   it was changed by hand, unless git brought it
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
