/** Chooses memories by type, age and words, for commands that change many at once. */
import { DAY_MS } from "../base/days.js";
import { StrataError } from "../base/error.js";
import type { Memory, MemoryType } from "../memory/memory.js";
import {
  type CliContext,
  MOST_DAYS,
  type OptionValues,
  readType,
  readWhole,
  WRONG_ARGUMENT,
} from "./command.js";

export interface Selection {
  type?: MemoryType;
  olderThanDays?: number;
  /** In lower case. */
  words: readonly string[];
}

/** The selection in the options; `undefined` without any. Throws if words are given as well, or neither. */
export function readSelection(
  { match, olderThan, type: given }: OptionValues,
  args: readonly string[],
): Selection | undefined {
  const type = readType(given);
  const olderThanDays =
    olderThan === undefined
      ? undefined
      : readWhole("--older-than", olderThan, { least: 1, most: MOST_DAYS, usual: 1 });
  const words = typeof match === "string" ? match.toLowerCase().split(/\s+/).filter(Boolean) : [];
  const isGiven = type !== undefined || olderThanDays !== undefined || words.length > 0;
  if (isGiven === args.length > 0)
    throw new StrataError(
      WRONG_ARGUMENT,
      isGiven
        ? "name one memory, or select many by options, not both"
        : "name a memory, or select by options",
    );
  if (!isGiven) return undefined;
  return {
    words,
    ...(type !== undefined && { type }),
    ...(olderThanDays !== undefined && { olderThanDays }),
  };
}

/** The selected memories, by id. The age counts from the last change. Pure. */
export function selectMemories(
  memories: readonly Memory[],
  { olderThanDays, type, words }: Selection,
  nowMs: number,
): Memory[] {
  const latestMs = olderThanDays === undefined ? Number.POSITIVE_INFINITY : nowMs - olderThanDays * DAY_MS;
  const isOld = ({ updated }: Memory): boolean =>
    olderThanDays === undefined || Date.parse(updated) <= latestMs;
  const hasWords = ({ content, id, tags, title }: Memory): boolean => {
    const text = [id, title, ...tags, content].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return memories
    .filter((memory) => (type === undefined || memory.type === type) && isOld(memory) && hasWords(memory))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

const MOST_LISTED = 50;

/** Lists the memories that a command changes or would change. */
export function listSelected({ say }: CliContext, memories: readonly Memory[]): void {
  for (const { id, title } of memories.slice(0, MOST_LISTED)) say(`${id}  ${title}`);
  if (memories.length > MOST_LISTED) say(`and ${memories.length - MOST_LISTED} more`);
}
