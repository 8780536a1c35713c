/**
 * When an agent was at work on this machine, in this process or another. A file that changed meanwhile and was not
 * written by the store counts as the agent's, in any project, since a shell reaches all of them. On disk it is
 * `turns/<day>.jsonl` in the user's state folder: a line where the first turn of an instance begins, one where the last
 * ends, and one now and then between them, which tell how long a killed instance lived.
 *
 * All times are those of the disk, as it dates its files: a clock that was put forward or is wrong changes nothing.
 */
import { join } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { anyObject, number, object, oneOf, parserOf, string } from "../../base/shape.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import type { ProcessIdentity, RunningProcesses } from "../../io/holders.js";
import { createDayLog, type DayLog } from "../../io/json-lines.js";

export interface Turns {
  /** Never rejects; what cannot be written down counts all the same in this process. */
  begin(sessionID: string): Promise<void>;
  end(sessionID: string): Promise<void>;
  /** The instance ends, and with it all of its turns; its process may go on. Never rejects. */
  endAll(): Promise<void>;
  /** Was an agent at work then, or at some time from then until then? Rejects with the system's error. */
  findWindows(sinceMs: number): Promise<IsInTurn>;
  /** Was our process started within the turn of another, as by its agent's shell? Rejects with the system's error. */
  isWithinTurn(): Promise<boolean>;
  /** Of the disk. */
  nowMs(): Promise<number>;
  /** Resolves when what has begun or ended is written down. */
  onIdle(): Promise<void>;
}

export type IsInTurn = (fromMs: number, toMs?: number) => boolean;

export interface TurnsOptions {
  clock: Clock;
  files: Files;
  processes: RunningProcesses;
  folder: string;
  instance: string;
  onFailure(thrown: unknown): void;
}

/** Disks date files by a clock that ticks every few milliseconds. */
const SLACK_MS = 50;
/** What is older is not known any more. */
export const KEPT_DAYS = 60;

export function createTurns(options: TurnsOptions): Turns {
  const { clock, files, folder, instance, onFailure, processes } = options;
  const days = openTurnLog(files, folder);
  const readOthers = (sinceMs: number) => readOtherTurns(days, { instance, processes, sinceMs });
  const busy = new Set<string>();
  const own: TurnWindow[] = [];
  let writing: Promise<void> = Promise.resolve();
  let stop = (): void => {};

  return {
    async isWithinTurn() {
      const above = await processes.ancestors();
      if (above.length === 0) return false;
      const windows = await readOthers(clock.now());
      return windows.some(({ process }) => process !== undefined && above.includes(process.id));
    },

    nowMs,
    onIdle: () => writing,

    begin(sessionID) {
      const isFirst = busy.size === 0;
      busy.add(sessionID);
      if (!isFirst) return writing;
      // Counts from now on, and exactly once the disk has said when that was.
      const window = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
      own.push(window);
      return inOrder(async () => {
        window.fromMs = await nowMs();
        await write("begin", window.fromMs);
        stayAlive();
        await removeOld(window.fromMs);
      });
    },

    end: (sessionID) => (busy.delete(sessionID) && busy.size === 0 ? close() : writing),

    endAll() {
      if (busy.size === 0) return writing;
      busy.clear();
      return close();
    },

    async findWindows(sinceMs) {
      await writing;
      const windows = [...own, ...(await readOthers(sinceMs))];
      return (fromMs, toMs = fromMs) =>
        windows.some((one) => toMs >= one.fromMs - SLACK_MS && fromMs <= one.toMs + SLACK_MS);
    },
  };

  function close(): Promise<void> {
    stop();
    const window = own.at(-1);
    return inOrder(async () => {
      const atMs = await nowMs();
      if (window) window.toMs = atMs;
      await write("end", atMs);
    });
  }

  function inOrder(work: () => Promise<void>): Promise<void> {
    writing = writing.then(work).catch(onFailure);
    return writing;
  }

  function stayAlive(): void {
    stop();
    if (busy.size === 0) return;
    stop = clock.after(ALIVE_MS, () => {
      void inOrder(async () => write("alive", await nowMs()));
      stayAlive();
    });
  }

  async function nowMs(): Promise<number> {
    const path = join(folder, "now");
    await files.writeWhole(path, "");
    return (await files.statItself(path))?.changedMs ?? clock.now();
  }

  async function write(op: TurnLine["op"], at: number): Promise<void> {
    await days.append(Math.max(0, at), [{ v: 1, instance, process: await processes.own(), op, at }]);
  }

  async function removeOld(atMs: number): Promise<void> {
    if (own.length === 1) await days.removeBefore(Math.max(0, atMs - KEPT_DAYS * DAY_MS));
  }
}

/* When the agents of other instances were at work, read from the lines that these left on disk. */

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
