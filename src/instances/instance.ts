import { isVersion } from "../record/version.js";
import { isRecord } from "../records.js";
import type { ProcessIdentity } from "../seams/processes.js";

/** One run of the plugin in a project, as the others know it: the contents of its file. */
export interface Instance {
  v: 1;
  id: string;
  process: ProcessIdentity;
  /** Where its agents work. */
  directory: string;
  /** ISO date-times, for people; of the second only counts that it changes. */
  started: string;
  heartbeat: string;
  /** Those that were used last, the newest first. */
  sessions: LiveSession[];
}

/** A session that one can write to. */
export interface LiveSession {
  id: string;
  /** Of a subagent. */
  parentID?: string;
  /** What it works on: the user's last request, on one line. */
  goal?: string;
  state: "busy" | "idle";
}

/** Is it the name of an instance or a session, and no words? What is read here is told to agents and to people. */
export const isName = (value: unknown): value is string =>
  typeof value === "string" && /^[\w-]{1,100}$/.test(value);

const LONGEST_GOAL = 200;

/** `undefined` for what is none: somebody else's file, or one of a later version. */
export function parseInstance(text: string): Instance | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || !isVersion(value.v) || !isRecord(value.process) || !Array.isArray(value.sessions))
    return undefined;
  const { id, directory, started, heartbeat, process, sessions } = value;
  const texts = [directory, started, heartbeat, process.start, process.host, process.machine];
  if (!isName(id) || !texts.every((one) => typeof one === "string")) return undefined;
  if (!Number.isInteger(process.id)) return undefined;
  return sessions.every(isLiveSession) ? (value as unknown as Instance) : undefined;
}

export function formatInstance(instance: Instance): string {
  return `${JSON.stringify(instance, null, 2)}\n`;
}

/** For people and models: the session, its goal, whose it is. */
export function formatSession({ id, goal, state }: LiveSession, instanceID: string): string {
  return `${id} (instance ${instanceID}, ${state}${goal === undefined ? "" : `, "${goal}"`})`;
}

function isLiveSession(value: unknown): value is LiveSession {
  if (!isRecord(value)) return false;
  const { id, parentID, goal, state } = value;
  const isSession = isName(id) && (parentID === undefined || isName(parentID));
  return isSession && (goal === undefined || isGoal(goal)) && (state === "busy" || state === "idle");
}

/** One line, as instances write it. */
const isGoal = (goal: unknown): boolean =>
  typeof goal === "string" && goal.length <= LONGEST_GOAL && !/\p{Cc}/u.test(goal);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
