/** Other sessions at work in the project, for the boot block. Pure. */
import { formatSession, type Instance, type LiveSession } from "../../../src/instances/instance.js";

export type ActiveSessions = readonly Pick<Instance, "id" | "sessions">[];

const MOST_SESSIONS = 6;
const OWN_MARK = /\[Strata\]/gi;

/** Sessions of this instance that are busy, and of each other instance those that are, or the last used one. */
export function formatActive(
  instances: ActiveSessions,
  { ownID, sessionID }: { ownID: string; sessionID: string },
): string | undefined {
  const found = instances.flatMap(({ id, sessions }) => {
    const open = sessions.filter((one) => one.parentID === undefined && one.id !== sessionID && hasGoal(one));
    const busy = open.filter(({ state }) => state === "busy");
    const shown = busy.length > 0 || id === ownID ? busy : open.slice(0, 1);
    return shown.map((session) => `- ${formatSession(session, id).replace(OWN_MARK, "(Strata)")}`);
  });
  if (found.length === 0) return undefined;
  return ["Other sessions here, and what they were last asked:", ...found.slice(0, MOST_SESSIONS)].join("\n");
}

const hasGoal = ({ goal }: LiveSession): boolean => goal !== undefined;
