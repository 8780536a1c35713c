/**
 * Implements the Host seam with the context that OpenCode 2 gives `setup`. Every call is bounded; none is made at
 * start.
 */
import { homedir } from "node:os";
import { isAbsolute, join, parse } from "node:path";
import { isRecord, type PlainRecord } from "../../base/shape.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Host, OwnSession } from "../../io/host.js";
import { createGit } from "../../io/node-git.js";
import { createRunningProcesses } from "../../io/running-processes.js";
import { findGlobalFolder, findStateFolder, listConfigFiles } from "../../project/opencode-files.js";
import { withoutUndone } from "../undone.js";
import { createGenerate, find } from "./capabilities.js";
import type { Catalog } from "./catalog.js";
import type { Place } from "./events.js";
import { toMessages } from "./stored.js";
import type { StoredSessions } from "./stored-sessions.js";

export interface SetupHostOptions {
  clock: Clock;
  context: unknown;
  place: Place & { project: string };
  catalog: Catalog;
  stored: StoredSessions;
  /** Sends a message to the screen half. */
  toast: Host["toast"];
  /** What the host does not offer; see the Host seam. */
  missing(): string[];
}

const WITHIN_MS = 5_000;

/** Where the plugin is loaded. `undefined` if the context names no absolute folder. */
export function readPlace(context: unknown): (Place & { project: string }) | undefined {
  const location = isRecord(context) ? context.location : undefined;
  if (!isRecord(location) || !isPath(location.directory)) return undefined;
  const { directory, workspaceID } = location;
  const project = isRecord(location.project) ? location.project.directory : undefined;
  // Without version control the project may be the root of the disk; then the folder counts.
  const isReal = isPath(project) && parse(project).root !== project;
  return {
    directory,
    project: isReal ? project : directory,
    ...(typeof workspaceID === "string" && { workspaceID }),
  };
}

const isPath = (value: unknown): value is string => typeof value === "string" && isAbsolute(value);

export function createSetupHost(options: SetupHostOptions): Host {
  const { catalog, clock, context, missing, place, stored, toast } = options;
  const { directory, project } = place;
  const { env } = process;
  const home = env.HOME || homedir();
  const text = find(context, "generate.text");

  return {
    project,
    directory,
    configFiles: listConfigFiles({ directory, project, home, env }),
    globalFolder: findGlobalFolder({ home, env }),
    stateFolder: findStateFolder({ home, env }),
    processes: createRunningProcesses(),
    git: createGit(),
    openRemoteGit: async () => (await import("../remote-git.js")).createRemoteGit(env),
    missing,
    models: catalog.models,
    generate: createGenerate({ clock, models: catalog.models, text }),
    ...NO_OWN_SESSIONS,
    toast,

    async sessionLastUsedMs(sessionID) {
      const session = await readSession(sessionID);
      const updated = isRecord(session) && isRecord(session.time) ? session.time.updated : undefined;
      return session === undefined || typeof updated === "number"
        ? (updated as number | undefined)
        : "unknown";
    },

    async findTitle(sessionID) {
      const session = await readSession(sessionID);
      return isRecord(session) && typeof session.title === "string" ? session.title : undefined;
    },

    async findParent(sessionID) {
      const session = await readSession(sessionID);
      if (!isRecord(session)) return "unknown";
      return typeof session.parentID === "string" ? session.parentID : undefined;
    },

    async readMessages(sessionID, last) {
      const [session, all] = await Promise.all([readSession(sessionID), stored.readAll(sessionID)]);
      const messages = all && toMessages(sessionID, all);
      const revert = readRevert(session);
      const left = messages && revert ? withoutUndone(messages, revert) : messages;
      return left?.slice(-(last ?? left.length));
    },

    async listFilesPutBack(sessionID) {
      const files = readRevert(await readSession(sessionID))?.files;
      return files?.map((file) => (isAbsolute(file) ? file : join(project, file)));
    },

    abortSession(sessionID) {
      void call("session.interrupt", { sessionID });
    },
  };

  /** `undefined` if the host does not have it, "unknown" if it does not answer. */
  async function readSession(sessionID: string): Promise<PlainRecord | undefined | "unknown"> {
    const waited = await call("session.get", { sessionID });
    if (waited?.kind === "done") return isRecord(waited.value) ? waited.value : "unknown";
    const isGone =
      waited?.kind === "failed" && isRecord(waited.thrown) && /NotFound/.test(String(waited.thrown._tag));
    return isGone ? undefined : "unknown";
  }

  async function call(path: string, input: unknown) {
    const method = find(context, path);
    return method && waitAtMost(clock, WITHIN_MS, () => method(input));
  }
}

function readRevert(session: unknown): { messageID: string; files: string[] } | undefined {
  const revert = isRecord(session) ? session.revert : undefined;
  if (!isRecord(revert) || typeof revert.messageID !== "string") return undefined;
  const diffs = Array.isArray(revert.files) ? revert.files : [];
  const files = diffs.flatMap((diff) => (isRecord(diff) && typeof diff.file === "string" ? [diff.file] : []));
  return { messageID: revert.messageID, files };
}

/** OpenCode 2 lets a plugin neither remove a session nor switch its compaction off, so there are none of our own. */
const NO_OWN_SESSIONS: Pick<
  Host,
  | "canStopCompaction"
  | "findAsker"
  | "isFork"
  | "isOwnSession"
  | "listOwnSessions"
  | "log"
  | "removeFailedCompactions"
  | "removeSession"
  | "runFork"
  | "setAutoCompaction"
  | "summarizes"
  | "summarizesInSession"
> = {
  isOwnSession: () => false,
  isFork: () => false,
  findAsker: () => undefined,
  runFork: async () => ({
    kind: "refused",
    reason: "OpenCode 2 gives plugins no forks that they could remove",
  }),
  listOwnSessions: async (): Promise<OwnSession[]> => [],
  removeSession: async () => false,
  // A failed checkpoint is not part of the context in OpenCode 2.
  removeFailedCompactions: async () => {},
  canStopCompaction: false,
  setAutoCompaction: () => {},
  // Its settings are not shown to plugins; by default it summarises. [compaction]
  summarizes: () => true,
  summarizesInSession: true,
  log: () => {},
};
