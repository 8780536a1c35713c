/**
 * The log of what people ask for about the context, in the user's state folder, where no repository can write. Append-only,
 * one JSON object a line. Two kinds of lines:
 *
 *     {"v":1,"id":"…","time":"…","session":"ses_…","action":"drop","item":"r-3fa2b1c"}     asked by a person
 *     {"v":1,"request":"…","time":"…","session":"ses_…","outcome":"done","text":"…"}       what became of it
 *
 * A request waits until a line says what became of it. A line that cannot be understood is skipped.
 */
import { randomUUID } from "node:crypto";
import { DAY_MS } from "../base/days.js";
import { each, either, isVersion, object, oneOf, parserOf, string } from "../base/shape.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import { readJsonLines } from "../io/json-lines.js";
import { ACTIONS, type ContextRequestLine } from "./context-items.js";

/** What became of a request. */
export interface ContextOutcomeLine {
  v: 1;
  /** `ContextRequestLine.id`. */
  request: string;
  time: string;
  session: string;
  outcome: "done" | "refused";
  /** For people: what was done, or why it was not. */
  text: string;
}

export interface ContextRequests {
  /** Appends a request. Rejects with the system's error. */
  ask(wanted: Pick<ContextRequestLine, "session" | "action" | "item">): Promise<ContextRequestLine>;
  /** Appends what became of one. */
  settle(line: ContextRequestLine, outcome: Pick<ContextOutcomeLine, "outcome" | "text">): Promise<void>;
  /** All requests that wait, and what became of the others, each oldest first. */
  read(): Promise<{ waiting: ContextRequestLine[]; settled: ContextOutcomeLine[] }>;
  /** Changes with every line. A single look at the file's size and time. */
  version(): Promise<string>;
  /** Moves a long log aside, where `read` still looks; nothing that waits is lost. */
  tidy(): Promise<void>;
}

export interface ContextRequestsOptions {
  files: Files;
  clock: Pick<Clock, "now">;
  /** Path of the log: `contextRequests` of `locateRecord`. */
  locate(): Promise<string>;
}

/** Nobody waits longer for a session to go on. */
const WAITING_DAYS = 30;
/** A line has about 200 bytes. */
const LONG_BYTES = 128_000;

type Line = ContextRequestLine | ContextOutcomeLine;

export function createContextRequests({ clock, files, locate }: ContextRequestsOptions): ContextRequests {
  const now = (): string => new Date(clock.now()).toISOString();

  return {
    async ask({ action, item, session }) {
      const line: ContextRequestLine = { v: 1, id: randomUUID(), time: now(), session, action, item };
      await append(line);
      return line;
    },

    settle: ({ id, session }, { outcome, text }) =>
      append({ v: 1, request: id, time: now(), session, outcome, text }),

    read,

    async version() {
      const stat = await files.stat(await locate());
      return stat ? `${stat.bytes} ${stat.modifiedMs}` : "";
    },

    async tidy() {
      const path = await locate();
      if (((await files.stat(path))?.bytes ?? 0) < LONG_BYTES) return;
      const { waiting } = await read();
      const isIn = new Set((await readLines(path)).flatMap((line) => ("action" in line ? line.id : [])));
      const left = waiting.filter(({ id }) => !isIn.has(id));
      // Before the older file is replaced: what waits there goes along.
      if (left.length > 0) await files.appendLine(path, left.map((one) => JSON.stringify(one)).join("\n"));
      await files.rename(path, olderOf(path));
    },
  };

  async function append(line: Line): Promise<void> {
    await files.appendLine(await locate(), JSON.stringify(line));
  }

  async function read(): ReturnType<ContextRequests["read"]> {
    const path = await locate();
    const lines = [...(await readLines(olderOf(path))), ...(await readLines(path))];
    const settled = lines.filter((line) => "outcome" in line);
    const done = new Set(settled.map(({ request }) => request));
    const oldest = new Date(clock.now() - WAITING_DAYS * DAY_MS).toISOString();
    const asked = lines.filter((line) => "action" in line);
    const open = asked.filter(({ id, time }) => !done.has(id) && time >= oldest);
    return { waiting: [...new Map(open.map((line) => [line.id, line])).values()], settled };
  }

  async function readLines(path: string): Promise<Line[]> {
    return (await readJsonLines(files, path, parseLine)).records;
  }
}

/** The log before it was moved aside. */
const olderOf = (path: string): string => path.replace(/\.jsonl$/, ".older.jsonl");

/** `undefined` if the value is no line of the log. */
export const parseLine = parserOf(
  either(
    object<ContextRequestLine>({
      v: isVersion,
      ...each(string, "id", "time", "session", "item"),
      action: oneOf(ACTIONS),
    }),
    object<ContextOutcomeLine>({
      v: isVersion,
      ...each(string, "request", "time", "session", "text"),
      outcome: oneOf(["done", "refused"]),
    }),
  ),
);
