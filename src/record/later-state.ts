/**
 * Machine state written by a newer Strata is never overwritten: this version continues without saving, as on a full
 * disk. Applies to files that are one document; files of lines are only appended to.
 */
import { formatError, StrataError } from "../error.js";
import { decodeText, type FileStat, type Files } from "../seams/files.js";
import { VERSION } from "../version.js";
import type { Log } from "./log.js";
import { findLaterVersionIn, formatLater, isLaterRelease } from "./version.js";

/** Folders of machine state: a project's, the global one, the notes', and the user's state folder. */
const STATE = /[\\/](?:strata[\\/]state|session-memory|opencode-strata)[\\/]/;
/** This file begins with the release that wrote it; the rest may be long. */
const KNOWN = /[\\/]known\.jsonl$/;
const HEAD_BYTES = 200;
/** Number of files that are kept in mind. */
const MOST_OWN = 100;

/** Wraps `files`: overwriting such a file rejects with ELATER, logged once per file. */
export function keepLaterState(files: Files, log: Pick<Log, "warn">): Files {
  const told = new Set<string>();
  /** Files as this version has written them: they need not be read again. */
  const own = new Map<string, FileStat>();
  return {
    ...files,
    async writeWhole(path, contents, options) {
      if (!isState(path)) return files.writeWhole(path, contents, options);
      const version = await findLater(path);
      if (version === undefined) {
        await files.writeWhole(path, contents, options);
        return keepInMind(path, Buffer.byteLength(contents));
      }
      const why = formatLater(path, version);
      if (!told.has(path)) log.warn("state", why);
      told.add(path);
      throw new StrataError("ELATER", why);
    },
  };

  async function keepInMind(path: string, bytes: number): Promise<void> {
    const stat = await files
      .statItself(path)
      .catch((thrown) => void log.warn("state", `cannot stat ${path}, just written: ${formatError(thrown)}`));
    own.delete(path);
    if (stat?.bytes === bytes) own.set(path, stat);
    const [oldest] = own.keys();
    if (own.size > MOST_OWN && oldest !== undefined) own.delete(oldest);
  }

  async function findLater(path: string): Promise<string | number | undefined> {
    const stat = await files.statItself(path);
    if (stat?.kind !== "file" || isSame(stat, own.get(path))) return undefined;
    const isKnown = KNOWN.test(path);
    const bytes = (await files.read(path)) ?? new Uint8Array();
    if (!isKnown) return findLaterVersionIn(decodeText(bytes));
    const head = decodeText(bytes.subarray(0, HEAD_BYTES));
    const release = /^\{"version":"(\d+\.\d+\.\d+)/.exec(head)?.[1];
    return release !== undefined && isLaterRelease(release, VERSION) ? release : undefined;
  }
}

const isState = (path: string): boolean => STATE.test(path) && (KNOWN.test(path) || path.endsWith(".json"));

const isSame = (one: FileStat, other: FileStat | undefined): boolean =>
  one.bytes === other?.bytes && one.modifiedMs === other.modifiedMs && one.changedMs === other.changedMs;
