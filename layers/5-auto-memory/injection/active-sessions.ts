/** Other sessions at work in the project, for the boot block. Pure. */

import { formatSession, type Instance, type LiveSession } from "../../../src/project/instance.js";
import { type Lease, PERSON } from "../../../src/project/lease.js";
import { toLine, withoutMark } from "../../../src/text/text.js";

export type ActiveSessions = readonly Pick<Instance, "id" | "sessions">[];

const MOST_SESSIONS = 6;
/** Leases named for each session. */
const MOST_HELD = 3;
const LONGEST_ITEM = 80;

/**
 * Sessions of any instance that are busy or hold a lease, or else the last used one of each other instance, with
 * their leases. `held`: the leases in force.
 */
export function formatActive(
  instances: ActiveSessions,
  { held = [], ownID, sessionID }: { held?: readonly Lease[]; ownID: string; sessionID: string },
): string | undefined {
  const heldBy = (session: string): string => formatHeld(held.filter((lease) => lease.session === session));
  const found = instances.flatMap(({ id, sessions }) => {
    const open = sessions.filter((one) => one.parentID === undefined && one.id !== sessionID && hasGoal(one));
    const atWork = open.filter((one) => one.state === "busy" || heldBy(one.id) !== "");
    const shown = atWork.length > 0 || id === ownID ? atWork : open.slice(0, 1);
    return shown.map((session) => `- ${formatSession(session, id)}${heldBy(session.id)}`);
  });
  const persons = heldBy(PERSON);
  const lines = [...found.slice(0, MOST_SESSIONS), ...(persons === "" ? [] : [`- a person${persons}`])];
  if (lines.length === 0) return undefined;
  return withoutMark(["Other sessions here, and what they were last asked:", ...lines].join("\n"));
}

/** ", holds src/a.ts and 2 more"; empty without leases. */
function formatHeld(leases: readonly Lease[]): string {
  if (leases.length === 0) return "";
  const items = leases.slice(0, MOST_HELD).map(({ item }) => toLine(item, LONGEST_ITEM));
  const more = leases.length > MOST_HELD ? ` and ${leases.length - MOST_HELD} more` : "";
  return `, holds ${items.join(", ")}${more}`;
}

const hasGoal = ({ goal }: LiveSession): boolean => goal !== undefined;
