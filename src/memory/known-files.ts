/**
 * What was read of a folder of memories, kept so that the next start has to look at its files only and not to read
 * them: `known.jsonl`, a line for the ledger and one for each file. Machine state; made anew when it is gone or does not fit.
 */
import { isRecord } from "../records.js";
import type { Files } from "../seams/files.js";
import { VERSION } from "../version.js";
import type { Entry } from "./entries.js";
import type { LedgerPosition } from "./ledger.js";

export interface KnownFiles {
  entries: Entry[];
  position: LedgerPosition;
}

/** Lines that are read in one go, a few milliseconds, before others get their turn. */
const LINES_AT_A_TIME = 500;

export async function writeKnown(
  files: Files,
  path: string,
  entries: readonly Entry[],
  position: LedgerPosition,
): Promise<void> {
  const head = { version: VERSION, files: entries.length, position };
  await files.writeWhole(path, [head, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** `undefined` when there is nothing that can be used. */
export async function readKnown(files: Files, path: string): Promise<KnownFiles | undefined> {
  const bytes = await files.read(path);
  if (!bytes) return undefined;
  try {
    const [first = "", ...rest] = new TextDecoder().decode(bytes).trimEnd().split("\n");
    const head: unknown = JSON.parse(first);
    if (!isRecord(head) || head.version !== VERSION || head.files !== rest.length) return undefined;
    const entries: Entry[] = [];
    for (let from = 0; from < rest.length; from += LINES_AT_A_TIME) {
      for (const line of rest.slice(from, from + LINES_AT_A_TIME)) entries.push(JSON.parse(line) as Entry);
      // A look at the disk lets others have their turn.
      await files.stat(path);
    }
    return { entries, position: head.position as LedgerPosition };
  } catch {
    return undefined;
  }
}
