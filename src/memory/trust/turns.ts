/**
 * When agents worked on this machine, in this process or another. A file that changed meanwhile, and that the store did
 * not write, counts as the agent's, in any project: a shell reaches all of them. On disk it is `turns/<day>.jsonl` in the
 * user's state folder: a line where an instance's first turn begins, one where its last ends, and one every half minute
 * between them, which tell how long a killed instance lived. Times are those by which the disk dates files.
 */
import { join } from "node:path";
import { DAY_MS } from "../../base/days.js";
import { anyObject, number, object, oneOf, parserOf, string } from "../../base/shape.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { createDayLog } from "../../io/json-lines.js";
import type { ProcessIdentity, RunningProcesses } from "../../io/running-processes.js";

export type Turns = ReturnType<typeof createTurns>;
export type IsInTurn = (fromMs: number, toMs?: number) => boolean;

export interface TurnsOptions {
  clock: Clock;
  files: Files;
  processes: RunningProcesses;
  folder: string;
  instance: string;
  onFailure(thrown: unknown): void;
}

interface TurnWindow {
  fromMs: number;
  toMs: number;
  /** Whose it is, as long as it goes on. */
  process?: ProcessIdentity;
}

interface TurnLine {
  v: 1;
  instance: string;
  process: ProcessIdentity;
  op: "begin" | "alive" | "end";
  at: number;
}

/** What is older is not known any more. */
export const KEPT_DAYS = 60;
const ALIVE_MS = 30_000;

/** What cannot be written down counts all the same in this process. */
export function createTurns(options: TurnsOptions) {
  const { clock, onFailure, processes } = options;
  const { nowMs, readOthers, removeBefore, write } = openTurnLog(options);
  const busy = new Set<string>();
  const own: TurnWindow[] = [];
  let writing: Promise<void> = Promise.resolve();
  let stop = (): void => {};

  return {
    nowMs,
    /** Resolves when what has begun or ended is written down. */
    onIdle: () => writing,

    /** Was our process started within the turn of another, as by its agent's shell? Rejects with the system's error. */
    async isWithinTurn(): Promise<boolean> {
      const above = await processes.ancestors();
      if (above.length === 0) return false;
      const windows = await readOthers(clock.now());
      return windows.some(({ process }) => process !== undefined && above.includes(process.id));
    },

    /** Never rejects. */
    begin(sessionID: string): Promise<void> {
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
        if (own.length === 1) await removeBefore(Math.max(0, window.fromMs - KEPT_DAYS * DAY_MS));
      });
    },

    /** Never rejects. */
    end: (sessionID: string): Promise<void> =>
      busy.delete(sessionID) && busy.size === 0 ? close() : writing,

    /** The instance ends, and with it all of its turns; its process may go on. Never rejects. */
    endAll(): Promise<void> {
      if (busy.size === 0) return writing;
      busy.clear();
      return close();
    },

    /** Did an agent work then, or at some time from then until then? Rejects with the system's error. */
    async findWindows(sinceMs: number): Promise<IsInTurn> {
      await writing;
      const windows = [...own, ...(await readOthers(sinceMs))];
      return (fromMs, toMs = fromMs) => windows.some((one) => toMs >= one.fromMs && fromMs <= one.toMs);
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
}

/** What is on disk. Its calls reject with the system's error. */
function openTurnLog({ clock, files, folder, instance, processes }: TurnsOptions) {
  const days = createDayLog({ files, folder, parse: parseTurn });
  return { nowMs, readOthers, removeBefore: days.removeBefore, write };

  /** The disk's time. */
  async function nowMs(): Promise<number> {
    const path = join(folder, "now");
    await files.writeWhole(path, "");
    return (await files.statItself(path))?.changedMs ?? clock.now();
  }

  async function write(op: TurnLine["op"], at: number): Promise<void> {
    await days.append(Math.max(0, at), [{ v: 1, instance, process: await processes.own(), op, at }]);
  }

  /** Turns of all instances but this one, since about then. */
  async function readOthers(sinceMs: number): Promise<TurnWindow[]> {
    const others = new Map<string, TurnLine[]>();
    for (const dayMs of await days.days()) {
      // A turn may have begun the day before.
      if (dayMs + 2 * DAY_MS <= sinceMs) continue;
      for (const line of (await days.read(dayMs)).records)
        if (line.instance !== instance)
          others.set(line.instance, [...(others.get(line.instance) ?? []), line]);
    }
    const windows = await Promise.all([...others.values()].map((lines) => readWindows(lines, processes)));
    return windows.flat();
  }
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
