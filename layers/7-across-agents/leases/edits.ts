/**
 * Warns before an edit of a file on which another instance works. The edit is logged first and compared with earlier ones
 * second, so that of two simultaneous edits the later one finds the earlier.
 *
 *     warn    a warning follows the result of the edit
 *     block   the edit does not run, and the agent is told why
 *
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
import { type Addition, isExtendedBy } from "../../../src/context/additions.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Files } from "../../../src/io/files.js";
import { createDayLog } from "../../../src/io/json-lines.js";
import { type HookInput, refuse, type ToolArguments } from "../../../src/kernel/hooks.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import { readText } from "../../../src/messages/call.js";
import {
  formatSession,
  type Instance,
  type Instances,
  isName,
  type Lease,
  PERSON,
} from "../../../src/project/instances.js";
import { formatTime } from "../format.js";

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

/** `instance` is the id of this one. All calls reject with the system's error. */
export function createEdits({
  clock,
  files,
  folder,
  instance,
}: Pick<LayerContext, "clock" | "files" | "instance"> & { folder: string }) {
  const days = createDayLog({ files, folder, parse: parserOf(isEditLine) });
  let count = 0;
  return {
    /** Logs that a call is about to change these files and returns the call's id. */
    async begin(places: readonly string[], session: string): Promise<string> {
      const id = `${instance}-${++count}`;
      for (const path of places)
        await append({ v: 1, kind: "edit", id, path, at: clock.now(), instance, session });
      return id;
    },

    /** Logs that the call has changed nothing. */
    cancel: (id: string, session: string) =>
      append({ v: 1, kind: "void", id, at: clock.now(), instance, session }),

    /** Recent edits of the call's files by these instances. */
    async findConflicts(id: string, others: ReadonlySet<string>): Promise<EditConflict[]> {
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

/** Both folders are absolute; `directory` is the base of relative paths. */
export function createPlaces({
  directory,
  files,
  project,
}: {
  directory: string;
  files: Files;
  project: string;
}): Places {
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

/* The warnings. */

/** Layer name in the recorded decisions. */
export const EDIT_LAYER = "across-agents/edits";

interface Call {
  id: string;
  warning: string | undefined;
}

/** Number of calls remembered: the end of a call that the user aborts is never seen. */
const MOST_CALLS = 200;

export interface EditWarningsOptions {
  instances: Instances;
  leases: { findOthers(places: readonly string[]): Promise<Lease[]> };
  places: Places;
  policy: "warn" | "block" | "off";
  /** Runs in the background. */
  later(what: string, run: () => Promise<unknown>): void;
  /** Another instance has edited the file recently; called to inform the user. */
  onConflict(conflict: EditConflict): void;
}

export function createEditWarnings(edits: ReturnType<typeof createEdits>, options: EditWarningsOptions) {
  const { instances, later, leases, onConflict, places, policy } = options;
  const calls = new Map<string, Call>();
  const warned = new Set<string>();

  return {
    /** Before a call runs. Rejects with the system's error. */
    async check(
      { callID, sessionID, tool }: HookInput<"toolArguments">,
      args: ToolArguments,
    ): Promise<ToolArguments | undefined> {
      if (policy === "off") return undefined;
      const paths = findChangedPaths(tool, args);
      if (paths.length === 0) return undefined;
      const changed = [...new Set(await Promise.all(paths.map(places.spell)))];
      const id = await edits.begin(changed, sessionID);
      const warning = await findWarning(id, changed, sessionID);
      if (warning !== undefined && policy === "block") {
        await edits.cancel(id, sessionID);
        const way = isOfPersons(warning) ? "ask the user" : "ask them with send_message";
        return refuse(`${warning}\nThe edit was not made, nothing has changed. Wait, or ${way}.`);
      }
      calls.set(nameOf(sessionID, callID), { id, warning });
      const [oldest = ""] = calls.keys();
      if (calls.size > MOST_CALLS) calls.delete(oldest);
      return undefined;
    },

    /** Plans the warnings after the newest results. */
    plan({ find, history, sessionID }: ContextRequest): Addition[] {
      const last = history.messages.length - 1;
      return history.results(last).flatMap((result) => {
        const name = nameOf(sessionID, result.part.callID);
        const call = calls.get(name);
        if (!call) return [];
        calls.delete(name);
        if (result.part.state.status === "error") {
          later("record a failed edit", () => edits.cancel(call.id, sessionID));
          return [];
        }
        if (call.warning === undefined || isExtendedBy(EDIT_LAYER, find(result.key))) return [];
        const reach = isOfPersons(call.warning)
          ? "ask the user before you change more."
          : "send_message reaches them.";
        const advice = `Read the file again before you go on, and undo nothing of theirs; ${reach}`;
        return [{ behind: result, text: `${call.warning}\n${advice}` }];
      });
    },
  };

  async function findWarning(id: string, changed: string[], sessionID: string): Promise<string | undefined> {
    const others = (await instances.living()).filter((one) => one.id !== instances.ownID);
    const held = (await leases.findOthers(changed)).filter((lease) => isNews(lease, sessionID));
    if (others.length === 0 && held.length === 0) return undefined;
    const byID = new Map(others.map((one) => [one.id, one]));
    const conflicts = others.length === 0 ? [] : await edits.findConflicts(id, new Set(byID.keys()));
    if (conflicts[0]) onConflict(conflicts[0]);
    const lines = [
      ...conflicts.map((conflict) => formatEdit(conflict, byID)),
      ...held.map((lease) => formatLease(lease, byID)),
    ];
    if (lines.length === 0) return undefined;
    const isPersons = conflicts.length === 0 && held.every(({ instance }) => instance === PERSON);
    return [isPersons ? PERSONS_HEAD : "[Strata] Another OpenCode instance is at work here:", ...lines].join(
      "\n",
    );
  }

  /** Warns each session once of a lease; with `block`, every time. */
  function isNews({ instance, item, session, sinceMs }: Lease, sessionID: string): boolean {
    const name = [sessionID, instance, session, item, sinceMs].join(" ");
    const isNew = !warned.has(name);
    warned.add(name);
    return isNew || policy === "block";
  }
}

const PERSONS_HEAD = "[Strata] The user is at work here:";

/** Does only the user hold or edit these files? */
const isOfPersons = (warning: string): boolean => warning.startsWith(PERSONS_HEAD);

const nameOf = (sessionID: string, callID: string): string => `${sessionID} ${callID}`;

function formatEdit({ path, by }: EditConflict, others: ReadonlyMap<string, Instance>): string {
  return `- ${path} was edited at ${formatTime(by.at)} by ${formatOwner(by, others)}`;
}

function formatLease({ item, untilMs, why, ...by }: Lease, others: ReadonlyMap<string, Instance>): string {
  const reason = why === undefined ? "" : ` for ${JSON.stringify(why)}`;
  return `- ${item} is held until ${formatTime(untilMs)}${reason} by ${formatOwner(by, others)}`;
}

function formatOwner(
  { instance, session }: { instance: string; session: string },
  others: ReadonlyMap<string, Instance>,
): string {
  if (instance === PERSON) return "the user";
  const known = others.get(instance)?.sessions.find(({ id }) => id === session);
  return known ? formatSession(known, instance) : `${session} (instance ${instance})`;
}
