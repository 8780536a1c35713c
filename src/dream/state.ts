/**
 * What is remembered between dreams: `state/dream.json`, machine state, apart from the lock so that a lock that is taken
 * over loses nothing of it. Deleting it lets the next dream come at once.
 */
import { isRecord } from "../records.js";
import type { Files } from "../seams/files.js";

export interface DreamState {
  /** When the last dream has succeeded. */
  lastSuccessMs?: number;
  /** Failures in a row, and when the last one was. */
  failures: number;
  lastFailureMs?: number;
  /** The same of the model's part: a dream goes on without it. */
  modelFailures: number;
  lastModelFailureMs?: number;
  /** Clusters that a model has looked at as they are, and contradictions that were told: not again. */
  seen: readonly string[];
}

const MOST_SEEN = 500;
const FRESH: DreamState = { failures: 0, modelFailures: 0, seen: [] };

/** After a dream that has succeeded. `model`: what came of asking one, if it was asked. Pure. */
export function noteSuccess(
  state: DreamState,
  nowMs: number,
  { model, seen }: { model?: "good" | "bad"; seen: readonly string[] },
): DreamState {
  const { lastModelFailureMs, modelFailures } = state;
  return {
    failures: 0,
    lastSuccessMs: nowMs,
    seen: [...state.seen, ...seen],
    ...(model === "bad"
      ? { modelFailures: modelFailures + 1, lastModelFailureMs: nowMs }
      : { modelFailures: model === "good" ? 0 : modelFailures, ...pick(lastModelFailureMs) }),
  };
}

const pick = (lastModelFailureMs: number | undefined) =>
  lastModelFailureMs === undefined ? {} : { lastModelFailureMs };

/** What cannot be read counts for nothing. */
export async function readDreamState(files: Files, path: string): Promise<DreamState> {
  const bytes = await files.read(path);
  return bytes ? parseDreamState(new TextDecoder().decode(bytes)) : FRESH;
}

export async function writeDreamState(files: Files, path: string, state: DreamState): Promise<void> {
  await files.writeWhole(
    path,
    `${JSON.stringify({ v: 1, ...state, seen: state.seen.slice(-MOST_SEEN) }, null, 2)}\n`,
  );
}

function parseDreamState(text: string): DreamState {
  const value = parseJson(text);
  if (!isRecord(value) || value.v !== 1) return FRESH;
  const { failures, lastFailureMs, lastModelFailureMs, lastSuccessMs, modelFailures, seen } = value;
  return {
    failures: toCount(failures),
    modelFailures: toCount(modelFailures),
    seen: Array.isArray(seen) ? seen.filter((one) => typeof one === "string") : [],
    ...(isTime(lastSuccessMs) && { lastSuccessMs }),
    ...(isTime(lastFailureMs) && { lastFailureMs }),
    ...(isTime(lastModelFailureMs) && { lastModelFailureMs }),
  };
}

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const toCount = (value: unknown): number => (isTime(value) && value > 0 ? Math.floor(value) : 0);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
