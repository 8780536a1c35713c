/**
 * Log of which instance edits which file, append-only, `<state>/edits/YYYY-MM-DD.jsonl`.
 *
 *     edit   an instance is about to edit; written before the call runs
 *     void   the edit did not happen: the call was refused or failed
 *
 * Each line is appended with one call, so that the file orders the edits of all instances: of two simultaneous edits, the
 * later one finds the earlier one's line before its own.
 */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { DAY_MS } from "../../../src/base/days.js";
import {
  each,
  either,
  isVersion,
  number,
  object,
  oneOf,
  optional,
  parserOf,
  string,
} from "../../../src/base/shape.js";
import type { Clock } from "../../../src/io/clock.js";
import type { Files } from "../../../src/io/files.js";
import { createDayLog } from "../../../src/io/json-lines.js";
import { readText } from "../../../src/messages/call.js";
import { isName } from "../../../src/project/other-instances.js";

export interface EditLine {
  v: 1;
  kind: "edit" | "void";
  /** Id of the call, which has a line for each file that it changes. */
  id: string;
  /** As `Places` spells it; absent if the whole call is void. */
  path?: string;
  at: number;
  instance: string;
  session: string;
}

/** Another instance's recent edit of a file. */
export interface EditConflict {
  path: string;
  by: Pick<EditLine, "instance" | "session" | "at">;
}

/** How long another instance's edit is worth a warning. */
const RECENT_MS = 10 * 60_000;

export interface Edits {
  /** Logs that a call is about to change these files and returns the call's id. Rejects with the system's error. */
  begin(places: readonly string[], session: string): Promise<string>;
  /** Logs that the call has changed nothing. Rejects with the system's error. */
  cancel(id: string, session: string): Promise<void>;
  /** Recent edits of the call's files by these instances. Rejects with the system's error. */
  findConflicts(id: string, others: ReadonlySet<string>): Promise<EditConflict[]>;
}

export interface EditsOptions {
  clock: Clock;
  files: Files;
  folder: string;
  /** Id of this instance. */
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
 * The last recent edit of the call's files by each other instance. Edits before the session's own last edit of the same
 * file are left out, since the session has been warned of them. Pure.
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

/* Gives each file one spelling: links resolved, relative to the project. */

export interface Places {
  /** The canonical spelling of a path: inside the project relative, with slashes; elsewhere absolute. */
  spell(path: string): Promise<string>;
  /** Does the path exist? */
  has(path: string): Promise<boolean>;
}

export interface PlacesOptions {
  files: Files;
  /** Absolute. */
  project: string;
  /** Absolute; base of relative paths. */
  directory: string;
}

export function createPlaces({ directory, files, project }: PlacesOptions): Places {
  let root: string | undefined;
  return {
    has: async (path) => (await files.realPath(resolve(directory, path))) !== undefined,

    async spell(path) {
      root ??= await follow(resolve(project));
      const place = await follow(resolve(directory, path));
      const inside = relative(root, place);
      if (inside === "") return ".";
      if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return place;
      return inside.split(sep).join("/");
    },
  };

  /** Resolves the links of a path; for a missing file, those of its existing parents. */
  async function follow(path: string): Promise<string> {
    const real = await files.realPath(path);
    if (real !== undefined || dirname(path) === path) return real ?? path;
    return join(await follow(dirname(path)), basename(path));
  }
}

const CHANGING = new Set(["edit", "write", "multiedit", "apply_patch", "patch"]);

/** The paths, as the call spells them, of all files that it is about to change. */
export function findChangedPaths(tool: string, args: Readonly<Record<string, unknown>>): string[] {
  if (!CHANGING.has(tool)) return [];
  const edits: unknown[] = Array.isArray(args.edits) ? args.edits : [];
  const named = [args, ...edits].map((one) =>
    typeof one === "object" && one !== null
      ? readText({ ...one }, "filePath", "file_path", "path")
      : undefined,
  );
  const patched = readPatched(readText(args, "patchText", "patch", "diff") ?? "");
  return [...new Set([...named, ...patched].filter((path) => path !== undefined))];
}

/** The paths in a patch of OpenCode's own format, or in a unified diff. */
function readPatched(patch: string): string[] {
  const own = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;
  const unified = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]+)/gm;
  return [own, unified]
    .flatMap((form) => [...patch.matchAll(form)].map((match) => match[1]?.trim() ?? ""))
    .filter((path) => path !== "" && path !== "/dev/null");
}
