/**
 * Implements the Host seam with the context that OpenCode 2 gives `setup`. Every call is bounded; none is made at
 * start.
 */
import { homedir } from "node:os";
import { isAbsolute, join, parse } from "node:path";
import { isRecord, type PlainRecord } from "../../base/shape.js";
import { type Clock, type Waited, waitAtMost } from "../../io/clock.js";
import type { Host } from "../../io/host.js";
import { createGit } from "../../io/node-git.js";
import { createRunningProcesses } from "../../io/running-processes.js";
import { findGlobalFolder, findStateFolder, listConfigFiles } from "../../project/opencode-files.js";
import { type Revert, withoutUndone } from "../readings.js";
import type { Catalog } from "./catalog.js";
import type { SetupContext } from "./contract.js";
import type { Location } from "./events.js";
import { createGenerate } from "./generate.js";
import { toMessages } from "./stored.js";
import type { StoredSessions } from "./stored-sessions.js";

export interface SetupHostOptions {
  clock: Clock;
  context: SetupContext;
  place: Place;
  catalog: Catalog;
  stored: StoredSessions;
  /** Sends a message to the screen half. */
  toast: Host["toast"];
}

/** Where the plugin is loaded. */
export interface Place extends Location {
  /** Root of the project. */
  project: string;
}

const WITHIN_MS = 5_000;

/** Without version control the project may be the root of the disk; then the folder counts. */
export function readPlace({ location }: SetupContext): Place {
  const { directory, workspaceID } = location;
  const root = location.project?.directory;
  const isReal = typeof root === "string" && isAbsolute(root) && parse(root).root !== root;
  return {
    directory,
    project: isReal ? root : directory,
    ...(typeof workspaceID === "string" && { workspaceID }),
  };
}

export function createSetupHost(options: SetupHostOptions): Host {
  const { catalog, clock, context, place, stored, toast } = options;
  const { directory, project } = place;
  const { env } = process;
  const home = env.HOME || homedir();
  const text: SetupContext["generate"]["text"] = (input) => context.generate.text(input);

  return {
    project,
    directory,
    configFiles: listConfigFiles({ directory, project, home, env }),
    globalFolder: findGlobalFolder({ home, env }),
    stateFolder: findStateFolder({ home, env }),
    processes: createRunningProcesses(),
    git: createGit(),
    openRemoteGit: async () => (await import("../../sync/remote-git.js")).createRemoteGit(env),
    models: catalog.models,
    generate: createGenerate({ clock, models: catalog.models, text }),
    ...NO_OWN_SESSIONS,
    toast,

    async sessionLastUsedMs(sessionID) {
      const session = await readSession(sessionID);
      const updated = isRecord(session) && isRecord(session.time) ? session.time.updated : undefined;
      if (session === undefined) return undefined;
      return typeof updated === "number" ? updated : "unknown";
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
      void call(() => context.session.interrupt({ sessionID }));
    },
  };

  /** `undefined` if the host does not have it, "unknown" if it does not answer. */
  async function readSession(sessionID: string): Promise<PlainRecord | undefined | "unknown"> {
    const waited = await call(() => context.session.get({ sessionID }));
    if (waited.kind === "done") return isRecord(waited.value) ? waited.value : "unknown";
    const isGone =
      waited.kind === "failed" && isRecord(waited.thrown) && /NotFound/.test(String(waited.thrown._tag));
    return isGone ? undefined : "unknown";
  }

  function call(run: () => unknown): Promise<Waited<unknown>> {
    return waitAtMost(clock, WITHIN_MS, run);
  }
}

function readRevert(session: unknown): (Revert & { files: string[] }) | undefined {
  const revert = isRecord(session) ? session.revert : undefined;
  if (!isRecord(revert) || typeof revert.messageID !== "string") return undefined;
  const diffs = Array.isArray(revert.files) ? revert.files : [];
  const files = diffs.flatMap((diff) => (isRecord(diff) && typeof diff.file === "string" ? [diff.file] : []));
  return { messageID: revert.messageID, files };
}

/** OpenCode 2 lets a plugin neither remove a session nor switch its compaction off, so there are none of our own. */
const NO_OWN_SESSIONS = {
  isOwnSession: () => false,
  isFork: () => false,
  findAsker: () => undefined,
  runFork: async () => ({
    kind: "refused",
    reason: "OpenCode 2 gives plugins no forks that they could remove",
  }),
  listOwnSessions: async () => [],
  removeSession: async () => false,
  // A failed checkpoint is not part of the context in OpenCode 2.
  removeFailedCompactions: async () => {},
  canStopCompaction: false,
  setAutoCompaction: () => {},
  // Its settings are not shown to plugins; by default it summarises.
  summarizes: () => true,
  summarizesInSession: true,
  log: () => {},
} satisfies Partial<Host>;
