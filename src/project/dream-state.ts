/**
 * State kept between dreams: `state/dream.json`, machine state. It is separate from the lock, so that taking over a lock
 * loses none of it. After deleting it the next dream starts at once.
 */
import { DAY_MS, formatDay } from "../base/days.js";
import { count, finite, isRecord, isVersion, parseJson, string } from "../base/shape.js";
import type { Files } from "../io/files.js";
import { createStateFile, formatPage, type StateFile } from "../io/state-file.js";

export interface DreamState {
  /** Time of the last successful dream. */
  lastSuccessMs?: number;
  /** Consecutive failures, and the time of the last one. */
  failures: number;
  lastFailureMs?: number;
  /** The same for the model's part; a dream continues without it. */
  modelFailures: number;
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
const FRESH: DreamState = { failures: 0, modelFailures: 0, seen: [], told: [], spared: [], days: [] };
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

/** The state after a successful dream. `model` is the outcome of the model's part, if it took part. Pure. */
export function noteSuccess(
  state: DreamState,
  nowMs: number,
  { model, seen, told }: { model?: "good" | "bad"; seen: readonly string[]; told: readonly string[] },
): DreamState {
  const { lastModelFailureMs, modelFailures } = state;
  const today = formatDay(nowMs);
  return {
    failures: 0,
    days: [...state.days.filter((day) => day !== today), today].slice(-MOST_DAYS),
    lastSuccessMs: nowMs,
    seen: [...state.seen, ...seen],
    told: [...state.told, ...told],
    spared: state.spared,
    ...(model === "bad"
      ? { modelFailures: modelFailures + 1, lastModelFailureMs: nowMs }
      : { modelFailures: model === "good" ? 0 : modelFailures, ...pick(lastModelFailureMs) }),
  };
}

const pick = (lastModelFailureMs: number | undefined) =>
  lastModelFailureMs === undefined ? {} : { lastModelFailureMs };

/** An unreadable or invalid file, or a folder in its place, counts as absent. */
export async function readDreamState(files: Files, path: string): Promise<DreamState> {
  return (await files.stat(path))?.kind === "file" ? openDreamState(files).read(path) : FRESH;
}

export async function writeDreamState(files: Files, path: string, state: DreamState): Promise<void> {
  await openDreamState(files).write(path, state);
}

function openDreamState(files: Files): StateFile<DreamState> {
  return createStateFile<DreamState>({
    files,
    parse: parseDreamState,
    format: formatDreamState,
    fresh: FRESH,
  });
}

function formatDreamState(state: DreamState): string {
  const { seen, spared, told } = state;
  return formatPage({
    ...state,
    seen: seen.slice(-MOST_SEEN),
    told: told.slice(-MOST_TOLD),
    spared: spared.slice(-MOST_SPARED),
  });
}

function parseDreamState(text: string): DreamState {
  const value = parseJson(text);
  if (!isRecord(value) || !isVersion(value.v)) return FRESH;
  const { failures, lastFailureMs, lastModelFailureMs, lastSuccessMs, modelFailures } = value;
  return {
    failures: toCount(failures),
    modelFailures: toCount(modelFailures),
    seen: readTexts(value.seen),
    told: readTexts(value.told),
    spared: readTexts(value.spared),
    days: readTexts(value.days).filter((day) => /^\d{4}-\d\d-\d\d$/.test(day)),
    ...(finite(lastSuccessMs) && { lastSuccessMs }),
    ...(finite(lastFailureMs) && { lastFailureMs }),
    ...(finite(lastModelFailureMs) && { lastModelFailureMs }),
  };
}

const readTexts = (value: unknown): string[] => (Array.isArray(value) ? value.filter(string) : []);
const toCount = (value: unknown): number => (count(value) ? Math.floor(value) : 0);
