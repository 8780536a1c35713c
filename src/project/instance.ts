import { parseJson } from "../base/records.js";
import { each, isVersion, list, matching, object, oneOf, optional, parserOf, string } from "../base/shape.js";
import type { Files } from "../io/files.js";
import { isProcessIdentity, type ProcessIdentity } from "../io/processes.js";
import { createStateFile, formatPage, type StateFile } from "../io/state-file.js";

/** A running plugin in a project, as others see it: the contents of its file. */
export interface Instance {
  v: 1;
  id: string;
  process: ProcessIdentity;
  /** Working directory of its agents. */
  directory: string;
  /** ISO date-times, for people; others only check that the second one changes. */
  started: string;
  heartbeat: string;
  /** Last used sessions, newest first. */
  sessions: LiveSession[];
}

/** A session that can receive messages. */
export interface LiveSession {
  id: string;
  /** Set for a subagent. */
  parentID?: string;
  /** The user's last request, on one line. */
  goal?: string;
  state: "busy" | "idle";
}

/** An ID, not prose: what is read from these files is shown to agents and people. */
export const isName = matching(/^[\w-]{1,100}$/);

/** Prefix of the instance ids of MCP clients: others see them and their claims, but they read no messages. */
export const CLIENT_PREFIX = "mcp-";

const LONGEST_GOAL = 200;

/** One line in the form that instances write. */
const isGoal = (value: unknown): value is string =>
  string(value) && value.length <= LONGEST_GOAL && !/\p{Cc}/u.test(value);

const isSession = object<LiveSession>({
  id: isName,
  parentID: optional(isName),
  goal: optional(isGoal),
  state: oneOf(["busy", "idle"]),
});
const isInstance = object<Instance>({
  v: isVersion,
  id: isName,
  process: isProcessIdentity,
  ...each(string, "directory", "started", "heartbeat"),
  sessions: list(isSession),
});

/** `undefined` for an incomplete or foreign file. */
export const parseInstance = (text: string): Instance | undefined => parserOf(isInstance)(parseJson(text));

export const formatInstance = (instance: Instance): string => formatPage(instance);

/** Reads `undefined` for an invalid file. */
export function openInstanceFile(files: Files): StateFile<Instance, undefined> {
  return createStateFile({ files, parse: parseInstance, format: formatInstance, fresh: undefined });
}

/** For people and models: the session, its instance, state and goal. */
export function formatSession({ id, goal, state }: LiveSession, instanceID: string): string {
  return `${id} (instance ${instanceID}, ${state}${goal === undefined ? "" : `, "${goal}"`})`;
}
