/**
 * What is remembered between dreams: `state/dream.json`, machine state, apart from the lock so that a lock that is taken
 * over loses nothing of it. Deleting it lets the next dream come at once.
 */

import { DAY_MS, formatDay } from "../days.js";
import { isRecord, parseJson } from "../records.js";
import type { Files } from "../seams/files.js";
import { count, finite, string } from "../shape.js";
import { createStateFile, formatPage, type StateFile } from "./state-file.js";
import { isVersion } from "./version.js";

export interface DreamState {
  /** When the last dream has succeeded. */
  lastSuccessMs?: number;
  /** Failures in a row, and when the last one was. */
  failures: number;
  lastFailureMs?: number;
  /** The same of the model's part: a dream goes on without it. */
  modelFailures: number;
  lastModelFailureMs?: number;
  /** Clusters that a model has looked at as they are: not again. */
  seen: readonly string[];
  /** Findings that were told, by what they say: not again. */
  told: readonly string[];
  /** Memories as they are since somebody took back a dream: they stay so until they say something else. */
  spared: readonly string[];
  /** On which days dreams have succeeded, the first one first: so long is it noted here what is used. */
  days: readonly string[];
  /** Why there is no dream, where a later Strata has written it: one that cannot be noted would come again and again. */
  later?: string;
}

const MOST_SEEN = 2_000;
const MOST_TOLD = 5_000;
const MOST_SPARED = 5_000;
const MOST_DAYS = 400;
const FRESH: DreamState = { failures: 0, modelFailures: 0, seen: [], told: [], spared: [], days: [] };
/** What nobody has needed on so many days of work, over so many months, may be forgotten. */
const WATCHED_DAYS = 10;
const WATCHED_MS = 90 * DAY_MS;

/**
 * Was it noted here for long enough what is used, since then? In a fresh clone it was not, nor where machine state was
 * deleted; and months in which nobody worked here, or that a clock has jumped over, do not count. Pure.
 */
export function isWatched({ days }: Pick<DreamState, "days">, sinceMs: number, nowMs: number): boolean {
  const times = days.map((day) => Date.parse(day)).filter((dayMs) => dayMs <= nowMs);
  const firstMs = Math.min(...times);
  return firstMs <= nowMs - WATCHED_MS && times.filter((dayMs) => dayMs > sinceMs).length >= WATCHED_DAYS;
}

/** After a dream that has succeeded. `model`: what came of asking one, if it was asked. Pure. */
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

/** What cannot be read counts for nothing; nor does a folder in its place. */
export async function readDreamState(files: Files, path: string): Promise<DreamState> {
  return (await files.stat(path))?.kind === "file" ? openDreamState(files).read(path) : FRESH;
}

export async function writeDreamState(files: Files, path: string, state: DreamState): Promise<void> {
  await openDreamState(files).write(path, state);
}

function openDreamState(files: Files): StateFile<DreamState> {
  const later = (state: DreamState, why: string): DreamState => ({ ...state, later: why });
  return createStateFile<DreamState>({
    files,
    parse: parseDreamState,
    format: formatDreamState,
    fresh: FRESH,
    later,
  });
}

function formatDreamState({ later: _, ...state }: DreamState): string {
  const { seen, spared, told } = state;
  return formatPage({
    ...state,
    seen: seen.slice(-MOST_SEEN),
    told: told.slice(-MOST_TOLD),
    spared: spared.slice(-MOST_SPARED),
  });
}

/**
 * Of a state that anybody may have written what can do no harm: what is not to be asked, told or done again. That there
 * were dreams, on which what may be forgotten hangs, is not believed.
 */
export function keepHarmless(text: string): string {
  const { seen, spared, told } = parseDreamState(text);
  return formatPage({ ...FRESH, seen, told, spared });
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
