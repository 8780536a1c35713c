/**
 * A cache of a memory folder, so that the next start only stats its files instead of reading them: `known.jsonl`, a
 * header line, then lines for its files. Machine state; rebuilt if missing or outdated. Entries with a path that no
 * memory can have are ignored: a repository may have brought the file.
 */

import { isRecord } from "../../base/records.js";
import { VERSION } from "../../base/version.js";
import { type Files, readText } from "../../io/files.js";
import { giveWay } from "../../io/json-lines.js";
import { parsePath } from "../path.js";
import type { Entry } from "./entries.js";
import type { LedgerPosition } from "./ledger.js";
import { isTime } from "./ledger-line.js";

export interface KnownFiles {
  entries: readonly Entry[];
  position: LedgerPosition;
  /** Id of the project it was written for, which no repository can know; absent if trust is not checked. */
  owner?: string | undefined;
}

/** Lines handled at a time, a few milliseconds, before other work gets its turn. */
const LINES_AT_A_TIME = 500;

export async function writeKnown(
  files: Files,
  path: string,
  { entries, owner, position: { known, offsets } }: KnownFiles,
): Promise<void> {
  const lines = [...entries, ...Object.entries(known).map(([of, one]) => ({ of, known: one }))];
  const texts = [JSON.stringify({ version: VERSION, owner, lines: lines.length, offsets })];
  for (let from = 0; from < lines.length; from += LINES_AT_A_TIME) {
    texts.push(...lines.slice(from, from + LINES_AT_A_TIME).map((line) => JSON.stringify(line)));
    await giveWay(files, path);
  }
  await files.writeWhole(path, `${texts.join("\n")}\n`);
}

/** `undefined` if there is no cache that this owner can use. `prefix` is the prefix of its memories' ids. */
export async function readKnown(
  files: Files,
  path: string,
  { owner, prefix }: { prefix: string; owner?: string | "any" | undefined },
): Promise<KnownFiles | undefined> {
  const text = await readText(files, path);
  if (text === undefined) return undefined;
  try {
    const [first = "", ...rest] = text.trimEnd().split("\n");
    const head: unknown = JSON.parse(first);
    if (!isRecord(head) || head.version !== VERSION || head.lines !== rest.length) return undefined;
    if (owner !== "any" && head.owner !== owner) return undefined;
    const position: LedgerPosition = { offsets: readOffsets(head.offsets), known: {} };
    const entries: Entry[] = [];
    for (let from = 0; from < rest.length; from += LINES_AT_A_TIME) {
      for (const line of rest.slice(from, from + LINES_AT_A_TIME)) {
        const one = JSON.parse(line) as Entry | KnownLine;
        if (!("of" in one)) entries.push(...(isOwn(one, prefix) ? [one] : []));
        else if (isPath(one.of) && isTime(one.known.at)) position.known[one.of] = one.known;
      }
      await giveWay(files, path);
    }
    return { entries, position };
  } catch {
    return undefined;
  }
}

interface KnownLine {
  of: string;
  known: LedgerPosition["known"][string];
}

function readOffsets(value: unknown): LedgerPosition["offsets"] {
  const all = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(all.filter((one): one is [string, number] => isOffset(one[1])));
}

/** True if the path is valid here and the memory's id fits it. */
function isOwn({ path, reading }: Entry, prefix: string): boolean {
  const parts = typeof path === "string" ? parsePath(path) : undefined;
  if (!parts) return false;
  return reading.kind === "problem" || reading.memory.id === `${prefix}${parts.type}/${parts.name}`;
}

const isPath = (value: unknown): boolean => typeof value === "string" && parsePath(value) !== undefined;

const isOffset = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
