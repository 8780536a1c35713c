/**
 * Machine state that a later version of Strata has written is not written over: this one goes on without what it would
 * have noted there, as on a disk that takes nothing. Only what is one document is concerned; to a file of lines nobody
 * does more than append.
 */
import { StrataError } from "../error.js";
import { decodeText, type Files } from "../seams/files.js";
import { VERSION } from "../version.js";
import type { Log } from "./log.js";
import { findLaterVersionIn, formatLater, isLaterRelease } from "./version.js";

/** The folders of machine state of a project and of all projects, that of the notes, and the user's own. */
const STATE = /[\\/](?:strata[\\/]state|session-memory|opencode-strata)[\\/]/;
/** What was read of memories begins with the release that wrote it; the rest may be long. */
const KNOWN = /[\\/]known\.jsonl$/;
const HEAD_BYTES = 200;

/** Files of which those hold. Writing such a file rejects with ELATER; the log says so once for each. */
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
