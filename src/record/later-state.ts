/**
 * Machine state written by a newer Strata is never overwritten: this version continues without saving, as on a full
 * disk. Applies to files that are one document; files of lines are only appended to.
 */
import { StrataError } from "../error.js";
import { decodeText, type Files } from "../seams/files.js";
import { VERSION } from "../version.js";
import type { Log } from "./log.js";
import { findLaterVersionIn, formatLater, isLaterRelease } from "./version.js";

/** Folders of machine state: a project's, the global one, the notes', and the user's state folder. */
const STATE = /[\\/](?:strata[\\/]state|session-memory|opencode-strata)[\\/]/;
/** This file begins with the release that wrote it; the rest may be long. */
const KNOWN = /[\\/]known\.jsonl$/;
const HEAD_BYTES = 200;

/** Wraps `files`: overwriting such a file rejects with ELATER, logged once per file. */
export function keepLaterState(files: Files, log: Pick<Log, "warn">): Files {
  const told = new Set<string>();
  return {
    ...files,
    async writeWhole(path, contents, options) {
      const version = await findLater(path);
      if (version === undefined) return files.writeWhole(path, contents, options);
      const why = formatLater(path, version);
      if (!told.has(path)) log.warn("state", why);
      told.add(path);
      throw new StrataError("ELATER", why);
    },
  };

  async function findLater(path: string): Promise<string | number | undefined> {
    const isKnown = KNOWN.test(path);
    if (!STATE.test(path) || !(isKnown || path.endsWith(".json"))) return undefined;
    if ((await files.statItself(path))?.kind !== "file") return undefined;
    const bytes = (await files.read(path)) ?? new Uint8Array();
    if (!isKnown) return findLaterVersionIn(decodeText(bytes));
    const head = decodeText(bytes.subarray(0, HEAD_BYTES));
    const release = /^\{"version":"(\d+\.\d+\.\d+)/.exec(head)?.[1];
    return release !== undefined && isLaterRelease(release, VERSION) ? release : undefined;
  }
}
