/** Lines of ledgers as machines exchange them. */
import { join } from "node:path";
import { parseJson } from "../../../base/records.js";
import type { Files } from "../../../io/files.js";
import { isLedgerFile, LEDGER } from "../../path.js";
import { type LedgerLine, readLedgerLine } from "../ledger-line.js";
import { listItself, readTextWithin } from "../obstacle.js";

/** A line as written in a ledger file. */
export interface SharedLine {
  /** Name of the ledger file. */
  file: string;
  text: string;
  line: LedgerLine;
}

/** Reads one line. `why` completes a sentence that begins with the line's location. Pure. */
export function readSharedLine(
  text: string,
  { file, prefix }: { file: string; prefix: string },
): SharedLine | { why: string } {
  if (!isLedgerFile(file)) return { why: "is in a file that is not a ledger" };
  const reading = readLedgerLine(parseJson(text), prefix);
  return reading.kind === "line" ? { file, text, line: reading.line } : { why: reading.what };
}

/** The complete lines of a text. */
export const splitLines = (text: string): string[] =>
  text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line.trim() !== "");

/** Reads the ledger that git tracks, without invalid lines. Follows no links. */
export async function readSharedLedger(files: Files, folder: string, prefix: string): Promise<SharedLine[]> {
  const all: SharedLine[] = [];
  for (const file of (await listItself(files, join(folder, LEDGER))).filter(isLedgerFile)) {
    const text = (await readTextWithin(files, folder, `${LEDGER}/${file}`)) ?? "";
    for (const line of splitLines(text)) {
      const read = readSharedLine(line, { file, prefix });
      if ("line" in read) all.push(read);
    }
  }
  return all;
}

/** Groups the lines by memory id. */
export function groupShared(lines: readonly SharedLine[]): Map<string, SharedLine[]> {
  const groups = new Map<string, SharedLine[]>();
  for (const one of lines) {
    const group = groups.get(one.line.key);
    if (group) group.push(one);
    else groups.set(one.line.key, [one]);
  }
  return groups;
}

/** Limit the size of a step, since `pending.json` holds all of its lines. */
const KEYS_AT_A_TIME = 250;
const CHARACTERS_AT_A_TIME = 4_000_000;

/** Cuts lines into steps; all lines of a memory are in the same step. */
export function* cutInSteps(lines: readonly SharedLine[]): Generator<SharedLine[]> {
  let step: SharedLine[] = [];
  let [keys, characters] = [0, 0];
  for (const group of groupShared(lines).values()) {
    step = step.concat(group);
    keys++;
    characters += group.reduce((sum, { text }) => sum + text.length, 0);
    if (keys < KEYS_AT_A_TIME && characters < CHARACTERS_AT_A_TIME) continue;
    yield step;
    [step, keys, characters] = [[], 0, 0];
  }
  if (step.length > 0) yield step;
}
