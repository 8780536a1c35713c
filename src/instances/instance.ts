import { createStateFile, formatPage, type StateFile } from "../record/state-file.js";
import { isVersion } from "../record/version.js";
import { parseJson } from "../records.js";
import type { Files } from "../seams/files.js";
import { isProcessIdentity, type ProcessIdentity } from "../seams/processes.js";
import { each, list, matching, object, oneOf, optional, parserOf, string } from "../shape.js";

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
export const isName = matching(/^[\w-]{1,100}$/);

const LONGEST_GOAL = 200;

/** One line, as instances write it. */
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

/** `undefined` for what is none: somebody else's file, or half of one. */
export const parseInstance = (text: string): Instance | undefined => parserOf(isInstance)(parseJson(text));

export const formatInstance = (instance: Instance): string => formatPage(instance);

/** A file that is none gives `undefined`. */
export function openInstanceFile(files: Files): StateFile<Instance, undefined> {
  return createStateFile({ files, parse: parseInstance, format: formatInstance, fresh: undefined });
}

/** For people and models: the session, its goal, whose it is. */
export function formatSession({ id, goal, state }: LiveSession, instanceID: string): string {
  return `${id} (instance ${instanceID}, ${state}${goal === undefined ? "" : `, "${goal}"`})`;
}
