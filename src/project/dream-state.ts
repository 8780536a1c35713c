/**
 * State kept between dreams: `state/dream.json`, machine state. It is separate from the lock, so that taking over a lock
 * loses none of it. After deleting it the next dream starts at once.
 */
import { DAY_MS, formatDay } from "../base/days.js";
import {
  count,
  finite,
  isRecord,
  isVersion,
  list,
  object,
  optional,
  parseJson,
  string,
} from "../base/shape.js";
import type { Files } from "../io/files.js";
import { createStateFile, formatPage } from "../io/state-file.js";

export interface DreamState {
  /** Time of the last successful dream. */
  lastSuccessMs?: number;
  /** Consecutive failures, and the time of the last one. */
  failures: number;
  lastFailureMs?: number;
  /** When the model's part failed last; a dream continues without it. */
  lastModelFailureMs?: number;
  /** Clusters that a model has already judged in their current form. */
  seen: readonly string[];
  /** Findings that were already reported, by their text. */
  told: readonly string[];
  /** Memories restored by undoing a dream: dreams leave them alone until they change. */
  spared: readonly string[];
  /** Days with a successful dream, oldest first: usage tracking starts with the first. */
  days: readonly string[];
}

const MOST_SEEN = 2_000;
const MOST_TOLD = 5_000;
const MOST_SPARED = 5_000;
const MOST_DAYS = 400;
const FRESH: DreamState = { failures: 0, seen: [], told: [], spared: [], days: [] };
/** A memory may be forgotten if unused on this many days with dreams, over at least `WATCHED_MS`. */
const WATCHED_DAYS = 10;
const WATCHED_MS = 90 * DAY_MS;

/**
 * Was usage tracked for long enough since this time? False in a fresh clone and after machine state was deleted. Months
 * without work here, or that a clock jumped over, do not count. Pure.
 */
export function isWatched({ days }: Pick<DreamState, "days">, sinceMs: number, nowMs: number): boolean {
  const times = days.map((day) => Date.parse(day)).filter((dayMs) => dayMs <= nowMs);
  const firstMs = Math.min(...times);
  return firstMs <= nowMs - WATCHED_MS && times.filter((dayMs) => dayMs > sinceMs).length >= WATCHED_DAYS;
}

/** The state after a successful dream. `hasModelFailed` is absent if the model took no part. Pure. */
export function noteSuccess(
  { days, lastModelFailureMs, seen, spared, told }: DreamState,
  nowMs: number,
  found: { hasModelFailed?: boolean; seen: readonly string[]; told: readonly string[] },
): DreamState {
  const today = formatDay(nowMs);
  const failureMs = found.hasModelFailed === undefined ? lastModelFailureMs : nowMs;
  return {
    failures: 0,
    days: [...days.filter((day) => day !== today), today].slice(-MOST_DAYS),
    lastSuccessMs: nowMs,
    seen: [...seen, ...found.seen],
    told: [...told, ...found.told],
    spared,
    ...(found.hasModelFailed !== false && failureMs !== undefined && { lastModelFailureMs: failureMs }),
  };
}

/** An invalid file, or a folder in its place, counts as absent. */
export async function readDreamState(files: Files, path: string): Promise<DreamState> {
  return (await files.stat(path))?.kind === "file" ? openDreamState(files).read(path) : FRESH;
}

export async function writeDreamState(files: Files, path: string, state: DreamState): Promise<void> {
  await openDreamState(files).write(path, state);
}

const openDreamState = (files: Files) =>
  createStateFile<DreamState>({
    files,
    parse: parseDreamState,
    format: ({ seen, spared, told, ...state }) =>
      formatPage({
        ...state,
        seen: seen.slice(-MOST_SEEN),
        told: told.slice(-MOST_TOLD),
        spared: spared.slice(-MOST_SPARED),
      }),
    fresh: FRESH,
  });

const texts = list(string);
const isDreamState = object<DreamState>({
  failures: count,
  lastFailureMs: optional(finite),
  lastModelFailureMs: optional(finite),
  lastSuccessMs: optional(finite),
  ...{ days: texts, seen: texts, spared: texts, told: texts },
});

function parseDreamState(text: string): DreamState | undefined {
  const value = parseJson(text);
  const state = isRecord(value) && isVersion(value.v) ? { ...FRESH, ...value } : undefined;
  return isDreamState(state) ? state : undefined;
}
