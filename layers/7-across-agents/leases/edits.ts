/**
 * Warns before an edit of a file on which another instance works. Each instance tells the others of its recent edits, in
 * its own file. An edit is told of first, and the others' are read second: of two at the same time one finds the other.
 *
 *     warn    a warning follows the result of the edit
 *     block   the edit does not run, and the agent is told why
 */
import { basename, dirname, join, resolve, sep } from "node:path";
import { formatTime } from "../../../src/base/days.js";
import { type Addition, isExtendedBy } from "../../../src/context/additions.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Clock } from "../../../src/io/clock.js";
import { type Files, pathBelow } from "../../../src/io/files.js";
import { type HookInput, refuse, type ToolArguments } from "../../../src/kernel/hooks.js";
import { findChangedPaths } from "../../../src/messages/call.js";
import {
  formatSession,
  type Instance,
  type Instances,
  type Lease,
  PERSON,
} from "../../../src/project/instances.js";

/* The warnings. */

export const EDIT_LAYER = "across-agents/edits";

/** How long another instance's edit is worth a warning. */
const RECENT_MS = 10 * 60_000;

interface EditWarningsOptions {
  clock: Pick<Clock, "now">;
  instances: Pick<Instances, "edits" | "living" | "ownID" | "setEdits">;
  leases: { findOthers(places: readonly string[]): Promise<Lease[]> };
  places: Places;
  policy: "warn" | "block" | "off";
  later(what: string, run: () => Promise<unknown>): void;
  /** Another instance has edited the file recently; called to inform the user. */
  onConflict(path: string): void;
}

export function createEditWarnings(options: EditWarningsOptions) {
  const { clock, instances, later, leases, onConflict, places, policy } = options;
  /** By call. */
  const warnings = new Map<string, string>();
  /** Leases of which a session was warned. */
  const warned = new Set<string>();

  return {
    /** Before a call runs; at once if it changes no file. Rejects with the system's error. */
    check(call: HookInput<"toolArguments">, args: ToolArguments) {
      const paths = policy === "off" ? [] : findChangedPaths(call.tool, args);
      return paths.length === 0 ? undefined : checkChange(call, paths);
    },

    plan({ find, history, sessionID }: ContextRequest): Addition[] {
      const last = history.messages.length - 1;
      return history.results(last).flatMap((result) => {
        const call = nameOf(sessionID, result.part.callID);
        const warning = warnings.get(call);
        warnings.delete(call);
        if (result.part.state.status === "error") {
          later("take back a failed edit", () => forget(call));
          return [];
        }
        if (warning === undefined || isExtendedBy(EDIT_LAYER, find(result.key))) return [];
        const advice = "Read the file again before you go on, and undo nothing of theirs;";
        const reach = isOfPersons(warning)
          ? "ask the user before you change more"
          : "send_message reaches them";
        return [{ behind: result, text: `${warning}\n${advice} ${reach}.` }];
      });
    },
  };

  async function checkChange({ callID, sessionID }: HookInput<"toolArguments">, paths: readonly string[]) {
    const call = nameOf(sessionID, callID);
    const changed = [...new Set(await Promise.all(paths.map(places.spell)))];
    const nowMs = clock.now();
    const recent = instances.edits().filter(({ at }) => nowMs - at <= RECENT_MS);
    const lastOf = (path: string): number =>
      recent.findLast((edit) => edit.path === path && edit.session === sessionID)?.at ?? 0;
    // It has been warned of what came before its own last edit of the file.
    const since = new Map(changed.map((path) => [path, lastOf(path)]));
    const edits = changed.map((path) => ({ path, at: nowMs, session: sessionID, call }));
    const telling = instances.setEdits([...recent, ...edits]);
    const [leased] = await Promise.all([leases.findOthers(changed), telling]);
    const living = await instances.living();
    const held = leased.filter((lease) => isNews(lease, sessionID));
    const others = living.filter(({ id }) => id !== instances.ownID);
    const conflicts = findConflicts(others, { since, nowMs });
    if (conflicts[0]) onConflict(conflicts[0].path);
    const warning = formatWarning(conflicts, held, living);
    if (warning === undefined) return undefined;
    if (policy === "block") {
      await forget(call);
      const way = isOfPersons(warning) ? "ask the user" : "ask them with send_message";
      return refuse(`${warning}\nThe edit was not made, nothing has changed. Wait, or ${way}.`);
    }
    warnings.set(call, warning);
    return undefined;
  }

  async function forget(call: string): Promise<void> {
    const others = instances.edits().filter((edit) => edit.call !== call);
    if (others.length < instances.edits().length) await instances.setEdits(others);
  }

  /** Warns each session once of a lease; with `block`, every time. */
  function isNews({ instance, item, session, sinceMs }: Lease, sessionID: string): boolean {
    const name = [sessionID, instance, session, item, sinceMs].join(" ");
    const isNew = !warned.has(name);
    warned.add(name);
    return isNew || policy === "block";
  }
}

/** The last recent edit of these files by each other instance, after the time that is given for the file. Pure. */
export function findConflicts(
  others: readonly Instance[],
  { nowMs, since }: { nowMs: number; since: ReadonlyMap<string, number> },
) {
  return [...since].flatMap(([path, sinceMs]) =>
    others.flatMap(({ edits = [], id: instance }) => {
      const isNew = (at: number): boolean => at > sinceMs && nowMs - at <= RECENT_MS;
      const last = edits.findLast((edit) => edit.path === path && isNew(edit.at));
      return last ? [{ path, instance, session: last.session, at: last.at }] : [];
    }),
  );
}

const PERSONS_HEAD = "[Strata] The user is at work here:";

/** Does only the user hold or edit these files? */
const isOfPersons = (warning: string): boolean => warning.startsWith(PERSONS_HEAD);

const nameOf = (sessionID: string, callID: string): string => `${sessionID} ${callID}`;

function formatWarning(
  conflicts: ReturnType<typeof findConflicts>,
  held: readonly Lease[],
  living: readonly Instance[],
): string | undefined {
  const lines = [
    ...conflicts.map(
      (edit) => `- ${edit.path} was edited at ${formatTime(edit.at)} by ${formatOwner(edit, living)}`,
    ),
    ...held.map((lease) => formatLease(lease, living)),
  ];
  if (lines.length === 0) return undefined;
  const isPersons = conflicts.length === 0 && held.every(({ instance }) => instance === PERSON);
  const head = isPersons ? PERSONS_HEAD : "[Strata] Another OpenCode instance is at work here:";
  return [head, ...lines].join("\n");
}

function formatLease({ item, untilMs, why, ...by }: Lease, living: readonly Instance[]): string {
  const reason = why === undefined ? "" : ` for ${JSON.stringify(why)}`;
  return `- ${item} is held until ${formatTime(untilMs)}${reason} by ${formatOwner(by, living)}`;
}

function formatOwner(
  { instance, session }: { instance: string; session: string },
  living: readonly Instance[],
): string {
  if (instance === PERSON) return "the user";
  const known = living.find(({ id }) => id === instance)?.sessions.find(({ id }) => id === session);
  return known ? formatSession(known, instance) : `${session} (instance ${instance})`;
}

/* Gives each file one spelling: links resolved, relative to the project. */

export type Places = ReturnType<typeof createPlaces>;

/** Both folders are absolute; `directory` is the base of relative paths. */
export function createPlaces(options: { directory: string; files: Files; project: string }) {
  const { directory, files, project } = options;
  let root: string | undefined;
  return {
    has: async (path: string): Promise<boolean> =>
      (await files.realPath(resolve(directory, path))) !== undefined,

    /** The canonical spelling of a path: inside the project relative, with slashes; elsewhere absolute. */
    async spell(path: string): Promise<string> {
      root ??= await follow(resolve(project));
      const place = await follow(resolve(directory, path));
      return place === root ? "." : (pathBelow(root, place) ?? place.replaceAll(sep, "/"));
    },
  };

  /** Resolves the links of a path; for a missing file, those of its existing parents. */
  async function follow(path: string): Promise<string> {
    const real = await files.realPath(path);
    if (real !== undefined || dirname(path) === path) return real ?? path;
    return join(await follow(dirname(path)), basename(path));
  }
}
