/**
 * State kept between dreams: `state/dream.json`, machine state. It is separate from the lock, so that taking over a lock
 * loses none of it. After deleting it the next dream starts at once.
 */
import { DAY_MS, formatDay } from "../base/days.js";
import {
  type Check,
  count,
  each,
  finite,
  isRecord,
  isVersion,
  list,
  matching,
  object,
  optional,
  string,
} from "../base/shape.js";
import type { Files } from "../io/files.js";
import { formatPage, readState } from "../io/state-file.js";

/** A file that a dream has put away. Paths are relative to the project, with "/". */
export interface Move {
  run: string;
  /** When the dream began, ISO date-time. */
  at: string;
  from: string;
  to: string;
}

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
  /** Ids of memories that said different things at the last dream, the newer one first. */
  contradictions: readonly (readonly [string, string])[];
  /** Ids of memories that named files which were not there. */
  stale: readonly string[];
  /** Files that dreams have put away, oldest first. */
  moved: readonly Move[];
  /** Memories restored by undoing a dream: dreams leave them alone until they change. */
  spared: readonly string[];
  /** Days with a successful dream, oldest first: usage tracking starts with the first. */
  days: readonly string[];
}

const MOST_SEEN = 2_000;
/** Findings for people. The sidebar checks each again, and a thousand would block the host's thread for half a second. */
const MOST_ASKED = 100;
const MOST_MOVED = 5_000;
const MOST_SPARED = 5_000;
const MOST_DAYS = 400;
const FRESH: DreamState = {
  failures: 0,
  ...{ contradictions: [], days: [], moved: [], seen: [], spared: [], stale: [] },
};
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
  { days, lastModelFailureMs, moved, seen, spared }: DreamState,
  nowMs: number,
  found: { hasModelFailed?: boolean } & Pick<DreamState, "contradictions" | "moved" | "seen" | "stale">,
): DreamState {
  const today = formatDay(nowMs);
  const failureMs = found.hasModelFailed === undefined ? lastModelFailureMs : nowMs;
  return {
    failures: 0,
    days: [...days.filter((day) => day !== today), today].slice(-MOST_DAYS),
    lastSuccessMs: nowMs,
    seen: [...seen, ...found.seen],
    contradictions: found.contradictions,
    stale: found.stale,
    moved: [...moved, ...found.moved],
    spared,
    ...(found.hasModelFailed !== false && failureMs !== undefined && { lastModelFailureMs: failureMs }),
  };
}

/** An invalid file, or a folder in its place, counts as absent. */
export async function readDreamState(files: Files, path: string): Promise<DreamState> {
  const isThere = (await files.stat(path))?.kind === "file";
  return (isThere && (await readState(files, path, parseDreamState))) || FRESH;
}

export async function writeDreamState(files: Files, path: string, state: DreamState): Promise<void> {
  const page = formatPage({
    ...state,
    seen: state.seen.slice(-MOST_SEEN),
    contradictions: state.contradictions.slice(0, MOST_ASKED),
    stale: state.stale.slice(0, MOST_ASKED),
    moved: state.moved.slice(-MOST_MOVED),
    spared: state.spared.slice(-MOST_SPARED),
  });
  await files.writeWhole(path, page);
}

const texts = list(string);
const isPair = (value: unknown): value is [string, string] => texts(value) && value.length === 2;
/** An undo moves these back: no file may name another place. */
const movable = (folders: string): Check<string> =>
  matching(new RegExp(`^\\.opencode/(${folders})/(?!.*\\.\\./)[^\\\\]+$`));
const isMove = object<Move>({
  ...{ run: string, at: string, from: movable("tool-results|session-memory|strata/state") },
  to: movable("session-memory/archive|strata/removed"),
});
const isDreamState = object<DreamState>({
  failures: count,
  ...each(optional(finite), "lastFailureMs", "lastModelFailureMs", "lastSuccessMs"),
  ...each(texts, "days", "seen", "spared", "stale"),
  contradictions: list(isPair),
  moved: list(isMove),
});

function parseDreamState(value: unknown): DreamState | undefined {
  const state = isRecord(value) && isVersion(value.v) ? { ...FRESH, ...value } : undefined;
  return isDreamState(state) ? state : undefined;
}
