/**
 * What was remembered since the last look, from the ledgers of the project's memories. Looked for when a turn has ended,
 * and only in files that have grown.
 */
import { join } from "node:path";
import { toPrintable } from "../base/printable.js";
import { parseJson } from "../base/records.js";
import { decodeText, type Files } from "../io/files.js";
import { readLedgerLine } from "../memory/store/ledger-line.js";

export interface Remembered {
  /** Titles of memories added since the last look, oldest first; the first look goes back to the beginning. */
  look(project: string): Promise<readonly string[]>;
}

/** More than a turn adds. */
const MOST_BYTES = 256 * 1024;
/** What is stored behind a turn. All else has an answer of its own on the screen. */
const UNASKED = "extract";
const FOLDERS = [
  [".opencode", "memory", "ledger"],
  [".opencode", "memory", "private", "ledger"],
  [".opencode", "strata", "state", "memory", "internal", "ledger"],
];

/** `beganMs`: what was added before is not told. */
export function createRemembered(
  files: Pick<Files, "list" | "statItself" | "readFrom">,
  beganMs: number,
): Remembered {
  const began = new Date(beganMs).toISOString();
  /** Length of each ledger at the last look. */
  const ends = new Map<string, number>();

  return {
    async look(project) {
      const titles: string[] = [];
      for (const folder of FOLDERS.map((parts) => join(project, ...parts)))
        for (const name of await files.list(folder).catch(() => []))
          titles.push(...(await readGrown(join(folder, name))));
      return [...new Set(titles)];
    },
  };

  async function readGrown(path: string): Promise<string[]> {
    const stat = path.endsWith(".jsonl") ? await files.statItself(path) : undefined;
    if (stat?.kind !== "file") return [];
    const from = ends.get(path) ?? Math.max(0, stat.bytes - MOST_BYTES);
    ends.set(path, stat.bytes);
    if (stat.bytes <= from) return [];
    const bytes = await files.readFrom(path, from, { links: "refused", maxBytes: MOST_BYTES });
    return bytes === undefined ? [] : findTitles(decodeText(bytes), began);
  }
}

/** Titles of the memories that these lines of a ledger have added since then. Pure. */
export function findTitles(lines: string, began: string): string[] {
  return lines.split("\n").flatMap((text) => {
    const value = parseJson(text);
    const prefix = readPrefix(value);
    const reading = readLedgerLine(value, prefix);
    if (reading.kind !== "line") return [];
    const { at, before, by, contents, from, key, operation } = reading.line;
    const isAdded = by === "strata" && before === null && from === undefined && contents !== undefined;
    if (!isAdded || operation !== UNASKED || at < began) return [];
    return [toPrintable(findTitle(contents) ?? key.slice(prefix.length))];
  });
}

/** What precedes type and name in the ledger's ids, such as "private/". */
function readPrefix(value: unknown): string {
  const { key, path } = (value ?? {}) as { key?: unknown; path?: unknown };
  if (typeof key !== "string" || typeof path !== "string") return "";
  const own = path.replace(/\.md$/, "");
  return key.endsWith(own) ? key.slice(0, key.length - own.length) : "";
}

const findTitle = (contents: string): string | undefined =>
  /^---\n(?:.*\n)*?title: *(?:"([^"\n]*)"|'([^'\n]*)'|([^\n]*))\n/u
    .exec(contents)
    ?.slice(1)
    .find((one) => one !== undefined)
    ?.trim() || undefined;
