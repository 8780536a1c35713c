/**
 * Which instance edits which file, append-only, `<state>/edits/YYYY-MM-DD.jsonl`.
 *
 *     edit   somebody is about to; written before the call runs
 *     void   it came to nothing: the call was refused or has failed
 *
 * Lines are appended in one call each, so that the file puts the edits of all instances in one order: of two that edit
 * at the same time the later one finds the line of the earlier one before its own.
 */
import { DAY_MS } from "../../../src/days.js";
import { isName } from "../../../src/instances/instance.js";
import { createDayLog } from "../../../src/record/line-log.js";
import { isVersion } from "../../../src/record/version.js";
import type { Clock } from "../../../src/seams/clock.js";
import type { Files } from "../../../src/seams/files.js";
import { each, either, number, object, oneOf, optional, parserOf, string } from "../../../src/shape.js";

export interface EditLine {
  v: 1;
  kind: "edit" | "void";
  /** Of the call; a line for each file that it changes. */
  id: string;
  /** As `Places` spells it; absent where the whole call is void. */
  path?: string;
  at: number;
  instance: string;
  session: string;
}

/** What somebody else has done with a file. */
export interface EditConflict {
  path: string;
  by: Pick<EditLine, "instance" | "session" | "at">;
}

/** How long another's edit is worth a word. */
const RECENT_MS = 10 * 60_000;

export interface Edits {
  /** Says that a call is about to change these places; its id. Rejects with the system's error. */
  begin(places: readonly string[], session: string): Promise<string>;
  /** Says that the call has changed nothing. Rejects with the system's error. */
  cancel(id: string, session: string): Promise<void>;
  /** What these instances have done with the call's places shortly before it. Rejects with the system's error. */
  findConflicts(id: string, others: ReadonlySet<string>): Promise<EditConflict[]>;
}

export interface EditsOptions {
  clock: Clock;
  files: Files;
  folder: string;
  /** The own id. */
  instance: string;
}

export function createEdits({ clock, files, folder, instance }: EditsOptions): Edits {
  const days = createDayLog({ files, folder, parse: parserOf(isEditLine) });
  let count = 0;
  return {
    async begin(places, session) {
      const id = `${instance}-${++count}`;
      for (const path of places)
        await append({ v: 1, kind: "edit", id, path, at: clock.now(), instance, session });
      return id;
    },

    cancel: (id, session) => append({ v: 1, kind: "void", id, at: clock.now(), instance, session }),

    async findConflicts(id, others) {
      const nowMs = clock.now();
      const starts = new Set([nowMs - RECENT_MS, nowMs].map((timeMs) => timeMs - (timeMs % DAY_MS)));
      const read = await Promise.all([...starts].map(days.read));
      return findConflicts(
        read.flatMap(({ records }) => records),
        id,
        others,
      );
    },
  };

  async function append(line: EditLine): Promise<void> {
    await days.append(clock.now(), [line]);
  }
}

/**
 * What others have done with the places of a call shortly before it, the last of each. What stands before the same
 * session's own last edit of the place it has been told already. Pure.
 */
export function findConflicts(
  lines: readonly EditLine[],
  id: string,
  others: ReadonlySet<string>,
): EditConflict[] {
  const voided = new Set(lines.filter(({ kind }) => kind === "void").map((line) => line.id));
  const edits = lines.filter((line) => line.kind === "edit" && (line.id === id || !voided.has(line.id)));
  return edits
    .filter((line) => line.id === id)
    .flatMap((own) => {
      const before = edits.slice(0, edits.indexOf(own)).filter(({ path }) => path === own.path);
      const last = before.findLastIndex(({ session }) => session === own.session);
      const recent = before
        .slice(last + 1)
        .filter((line) => others.has(line.instance) && own.at - line.at <= RECENT_MS);
      const lastOfEach = new Map(recent.map((line) => [line.instance, line]));
      return [...lastOfEach.values()].map((by) => ({ path: own.path ?? "", by }));
    });
}

const fields = { v: isVersion, id: string, at: number, ...each(isName, "instance", "session") };
const isEditLine = either(
  object<EditLine>({ ...fields, kind: oneOf(["edit"]), path: string }),
  object<EditLine>({ ...fields, kind: oneOf(["void"]), path: optional(string) }),
);
