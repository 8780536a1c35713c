/**
 * Checks before an edit whether another instance works on the file. The edit is logged first and compared with earlier
 * ones second, so that of two simultaneous edits the later one finds the earlier.
 *
 *     warn    a warning follows the result of the edit
 *     block   the edit does not run, and the agent is told why
 */
import type { Addition } from "../../../src/context/decisions.js";
import { isExtendedBy } from "../../../src/context/known-decisions.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { type HookInput, refuse, type ToolArguments } from "../../../src/kernel/hooks.js";
import type { Instances } from "../../../src/project/instances.js";
import { formatSession, type Instance, type Lease, PERSON } from "../../../src/project/other-instances.js";
import { formatTime } from "../format.js";
import { type EditConflict, type Edits, findChangedPaths, type Places } from "./edits.js";
import type { Leases } from "./leases.js";
/** Layer name in the recorded decisions. */
export const EDIT_LAYER = "across-agents/edits";

export interface EditWarnings {
  /** Before a call runs. Rejects with the system's error. */
  check(call: HookInput<"toolArguments">, args: ToolArguments): Promise<ToolArguments | undefined>;
  /** Plans the warnings after the newest results. */
  plan(request: ContextRequest): Addition[];
}

export interface EditWarningsOptions {
  edits: Edits;
  instances: Instances;
  leases: Leases;
  places: Places;
  policy: "warn" | "block" | "off";
  /** Runs in the background. */
  later(what: string, run: () => Promise<unknown>): void;
  /** Another instance has edited the file recently; called to inform the user. */
  onConflict(conflict: EditConflict): void;
}

interface Call {
  id: string;
  session: string;
  warning?: string;
}

/** Number of calls remembered: the end of a call that the user aborts is never seen. */
const MOST_CALLS = 200;

export function createEditWarnings(options: EditWarningsOptions): EditWarnings {
  const { edits, instances, later, leases, onConflict, places, policy } = options;
  const calls = new Map<string, Call>();
  const warned = new Set<string>();

  return {
    async check({ callID, sessionID, tool }, args) {
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
      calls.set(nameOf(sessionID, callID), {
        id,
        session: sessionID,
        ...(warning !== undefined && { warning }),
      });
      const [oldest = ""] = calls.keys();
      if (calls.size > MOST_CALLS) calls.delete(oldest);
      return undefined;
    },

    plan({ find, history, sessionID }) {
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
