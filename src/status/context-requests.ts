/**
 * The log of what people ask for about the context, in the user's state folder, where no repository can write. Append-only,
 * one JSON object a line. Two kinds of lines:
 *
 *     {"v":1,"id":"RUN-…","time":"…","session":"ses_…","action":"drop","item":"r-3fa2b1c"}  asked by a person
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
  outcome: "done" | "refused" | "withdrawn";
  /** For people: what was done, or why it was not. */
  text: string;
}

interface ContextRequestsOptions {
  files: Files;
  clock: Pick<Clock, "now">;
  /** Path of the log: `contextRequests` of `locateRecord`. */
  locate(): Promise<string>;
}

/** Nobody waits longer for a session to go on. */
const WAITING_DAYS = 30;
type Line = ContextRequestLine | ContextOutcomeLine;

export type ContextRequests = ReturnType<typeof createContextRequests>;

/** Every call rejects with the system's error. */
export function createContextRequests({ clock, files, locate }: ContextRequestsOptions) {
  const now = (): string => new Date(clock.now()).toISOString();
  const append = async (line: Line): Promise<void> => files.appendLine(await locate(), JSON.stringify(line));

  return {
    /** `run` takes back all that was asked for under its name. */
    async ask(given: Pick<ContextRequestLine, "session" | "action" | "item">, run: string = randomUUID()) {
      const line: ContextRequestLine = { v: 1, id: `${run}-${given.item}`, time: now(), ...given };
      await append(line);
      return line;
    },

    /** Appends what became of a request. */
    settle: (
      { id, session }: ContextRequestLine,
      { outcome, text }: Pick<ContextOutcomeLine, "outcome" | "text">,
    ): Promise<void> => append({ v: 1, request: id, time: now(), session, outcome, text }),

    /** All requests that wait, and what became of the others, each oldest first. */
    async read(): Promise<{ waiting: ContextRequestLine[]; settled: ContextOutcomeLine[] }> {
      const lines = (await readJsonLines(files, await locate(), parseLine)).records;
      const settled = lines.filter((line) => "outcome" in line);
      const done = new Set(settled.map(({ request }) => request));
      const oldest = new Date(clock.now() - WAITING_DAYS * DAY_MS).toISOString();
      const asked = lines.filter((line) => "action" in line);
      return { waiting: asked.filter(({ id, time }) => !done.has(id) && time >= oldest), settled };
    },
  };
}

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
      outcome: oneOf(["done", "refused", "withdrawn"]),
    }),
  ),
);
