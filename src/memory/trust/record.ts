/** What this machine knows, as lines in the user's state folder: whose the memories of a project are, and when agents worked. */

import { join } from "node:path";
import { DAY_MS } from "../../base/days.js";
import {
  anyObject,
  either,
  isRecord,
  isVersion,
  list,
  number,
  object,
  oneOf,
  optional,
  parseJson,
  parserOf,
  string,
  unchecked,
} from "../../base/shape.js";
import type { Clock } from "../../io/clock.js";
import type { Files } from "../../io/files.js";
import { createDayLog, takeNewLines } from "../../io/json-lines.js";
import type { ProcessIdentity, RunningProcesses } from "../../io/running-processes.js";

/** Contents under a name: `private/archive/directive/tone.md`, or `global/…` for global memories. */
export interface NamedContents {
  name: string;
  /** Hash of the contents, as in the ledger. It alone decides whose they are. */
  hash: string;
  /** Of the user's team, as git has it. */
  author?: string;
}

/** Origin of memories that are not the user's. */
export type ForeignCause = "repository" | "agent";

export type RecordLine =
  | { op: "root"; root: string; log?: string }
  | { op: "look"; root: string; collection: string; at: number }
  | { op: "own"; files: readonly NamedContents[] }
  | { op: "foreign"; files: readonly NamedContents[]; why: ForeignCause }
  | { op: "accept"; run: string; at: string; files: readonly NamedContents[]; why: string }
  | { op: "revoke"; run: string }
  /** Whether the people of the remote at this address are the user's team, and what they have written. */
  | { op: "team"; remote: string; answer: "yes" | "no"; at: string }
  | { op: "came"; remote: string; files: readonly NamedContents[] };

export type Acceptance = Omit<RecordLine & { op: "accept" }, "op">;

export type TrustRecord = ReturnType<typeof createTrustRecord>;

export function createTrustRecord(files: Files, path: string) {
  const own = new Set<string>();
  const foreign = new Map<string, ForeignCause>();
  const roots = new Map<string, string | undefined>();
  const looks = new Map<string, number>();
  const teams = new Map<string, boolean>();
  const authors = new Map<string, string | undefined>();
  let accepted: readonly Acceptance[] = [];
  let acceptedHashes: ReadonlySet<string> = new Set();
  let offset = 0;
  let version = 0;

  return {
    /** Applies the line in memory only. Idempotent, because lines added by this process are read again. */
    take,

    /** Reads lines added since, by any process. Rejects with the system's error. */
    async readOn(): Promise<void> {
      const lines: RecordLine[] = [];
      const end = await takeNewLines(files, path, offset, (text) => {
        const line = parseLine(text);
        if (line) lines.push(line);
      });
      // Apply all at once, so that no acceptance is seen without its revocation.
      for (const line of lines) take(line);
      offset = Math.max(offset, end);
    },

    async add(line: RecordLine): Promise<void> {
      await files.appendLine(path, JSON.stringify({ v: 1, ...line }));
      take(line);
    },

    isOwn: (hash: string) => own.has(hash) || acceptedHashes.has(hash),
    /** Why these contents are foreign; `undefined` if they are not known to be so. */
    causeOf: (hash: string) => foreign.get(hash),
    hasRoot: (root: string) => roots.has(root),
    /** Digest of the last line of git's log when the project was first seen here; `undefined` if there was no log. */
    logOf: (root: string) => roots.get(root),
    /** When the files of a collection there were checked last. */
    lookedMs: (root: string, collection: string) => looks.get(`${root}\n${collection}`),
    /** Acceptances in force, oldest first. */
    acceptances: () => accepted,
    /** Are the people of this remote the user's team? `undefined` if the user has not said. */
    answerOf: (remote: string) => teams.get(remote),
    /** Who wrote these contents on this remote, if its people are the user's team. */
    authorOf: (hash: string, remote: string) =>
      teams.get(remote) ? authors.get(`${remote}\n${hash}`) : undefined,
    /** Changes whenever the answers of `isOwn` and `authorOf` may change. */
    version: () => version,
    /** Does the record have any line? */
    isBegun: () => offset > 0,
  };

  function take(line: RecordLine): void {
    if (line.op === "root" && !roots.has(line.root)) roots.set(line.root, line.log);
    else if (line.op === "look") looks.set(`${line.root}\n${line.collection}`, line.at);
    else if (line.op === "foreign") for (const { hash } of line.files) foreign.set(hash, line.why);
    else if (line.op === "own")
      for (const { hash } of line.files.filter((file) => !own.has(file.hash))) {
        own.add(hash);
        version++;
      }
    else if (line.op === "team" || line.op === "came") {
      if (line.op === "team") teams.set(line.remote, line.answer === "yes");
      else for (const { author, hash } of line.files) authors.set(`${line.remote}\n${hash}`, author);
      version++;
    } else if (line.op !== "root") {
      accepted = accepted.filter(({ run }) => run !== line.run);
      if (line.op === "accept") accepted = [...accepted, line];
      acceptedHashes = new Set(accepted.flatMap((one) => one.files.map(({ hash }) => hash)));
      version++;
    }
  }
}

type Line<Op> = Extract<RecordLine, { op: Op }>;
const files = list(object<NamedContents>({ name: string, hash: string, author: optional(string) }));
const isLine = either(
  object<Line<"root">>({ op: oneOf(["root"]), root: string }),
  object<Line<"look">>({ op: oneOf(["look"]), root: string, collection: string, at: number }),
  object<Line<"own">>({ op: oneOf(["own"]), files }),
  object<Line<"accept">>({ op: oneOf(["accept"]), run: string, at: unchecked, files, why: unchecked }),
  object<Line<"foreign">>({ op: oneOf(["foreign"]), files, why: unchecked }),
  object<Line<"revoke">>({ op: oneOf(["revoke"]), run: string }),
  object<Line<"team">>({ op: oneOf(["team"]), remote: string, answer: oneOf(["yes", "no"]), at: unchecked }),
  object<Line<"came">>({ op: oneOf(["came"]), remote: string, files }),
);

/** `undefined` for an incomplete line. */
function parseLine(text: string): RecordLine | undefined {
  const value = parseJson(text);
  return isRecord(value) && isVersion(value.v) && isLine(value) ? value : undefined;
}

/*
 * When agents worked on this machine, in this process or another. A file that changed meanwhile, and that the store did
 * not write, counts as the agent's, in any project: a shell reaches all of them. On disk it is `turns/<day>.jsonl` in the
 * user's state folder: a line where an instance's first turn begins, one where its last ends, and one every half minute
 * between them, which tell how long a killed instance lived. Times are those by which the disk dates files.
 */

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
