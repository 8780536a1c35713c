/** When the agents of other instances were at work, read from the lines that these left on disk. */
import { DAY_MS } from "../../base/days.js";
import { anyObject, number, object, oneOf, parserOf, string } from "../../base/shape.js";
import type { Files } from "../../io/files.js";
import { createDayLog, type DayLog } from "../../io/json-lines.js";
import type { ProcessIdentity, RunningProcesses } from "../../io/processes.js";

export interface TurnLine {
  v: 1;
  instance: string;
  process: ProcessIdentity;
  op: "begin" | "alive" | "end";
  at: number;
}

export interface TurnWindow {
  fromMs: number;
  toMs: number;
  /** Whose it is, as long as it goes on. */
  process?: ProcessIdentity;
}

export const ALIVE_MS = 30_000;

export function openTurnLog(files: Files, folder: string): DayLog<TurnLine> {
  return createDayLog({ files, folder, parse: parseTurn });
}

/** Of all instances but this one, since about then. Rejects with the system's error. */
export async function readOtherTurns(
  days: DayLog<TurnLine>,
  { instance, processes, sinceMs }: { instance: string; processes: RunningProcesses; sinceMs: number },
): Promise<TurnWindow[]> {
  const lines: TurnLine[] = [];
  // A turn may have begun the day before.
  const firstMs = sinceMs - DAY_MS;
  for (const dayMs of await days.days())
    if (dayMs + DAY_MS > firstMs) lines.push(...(await days.read(dayMs)).records);
  const others = new Map<string, TurnLine[]>();
  for (const line of lines)
    if (line.instance !== instance) others.set(line.instance, [...(others.get(line.instance) ?? []), line]);
  const windows = await Promise.all([...others.values()].map((one) => readWindows(one, processes)));
  return windows.flat();
}

async function readWindows(
  lines: readonly TurnLine[],
  processes: Pick<RunningProcesses, "isRunning">,
): Promise<TurnWindow[]> {
  const windows: TurnWindow[] = [];
  for (const { at, op } of lines) {
    // A turn of days has its beginning in a file that was not read.
    if (windows.length === 0 && op !== "begin") windows.push({ fromMs: Number.NEGATIVE_INFINITY, toMs: at });
    const last = windows.at(-1);
    if (op === "begin") windows.push({ fromMs: at, toMs: at + 2 * ALIVE_MS });
    else if (last) last.toMs = op === "end" ? at : at + 2 * ALIVE_MS;
  }
  const last = lines.at(-1);
  const open = windows.at(-1);
  if (last && open && last.op !== "end" && (await processes.isRunning(last.process))) {
    open.toMs = Number.POSITIVE_INFINITY;
    open.process = last.process;
  }
  return windows;
}

const parseTurn = parserOf(
  object<TurnLine>({
    v: oneOf([1]),
    instance: string,
    process: anyObject,
    op: oneOf(["begin", "alive", "end"]),
    at: number,
  }),
);
