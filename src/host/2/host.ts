/**
 * Implements the Host seam with the context that OpenCode 2 gives `setup`. Every call is bounded; none is made at
 * start.
 */
import { isAbsolute, join } from "node:path";
import { isRecord, type PlainRecord } from "../../base/shape.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { Host } from "../../io/host.js";
import { chooseProject, NO_OWN_SESSIONS, openMachine } from "../environment.js";
import { type Revert, withoutUndone } from "../readings.js";
import type { Catalog } from "./catalog.js";
import type { SetupContext } from "./contract.js";
import type { Location } from "./events.js";
import { createGenerate } from "./generate.js";
import { toMessages } from "./stored.js";
import type { StoredSessions } from "./stored-sessions.js";
import type { Offer } from "./tools.js";

interface SetupHostOptions {
  clock: Clock;
  context: SetupContext;
  place: Place;
  catalog: Catalog;
  offer: Offer;
  stored: StoredSessions;
  /** Sends a message to the screen half. */
  toast: Host["toast"];
}

/** Where the plugin is loaded. */
export interface Place extends Location {
  project: string;
}

const WITHIN_MS = 5_000;

export function readPlace({ location }: SetupContext): Place {
  const { directory, workspaceID } = location;
  return {
    directory,
    project: chooseProject(directory, location.project?.directory),
    ...(typeof workspaceID === "string" && { workspaceID }),
  };
}

export function createSetupHost(options: SetupHostOptions): Host {
  const { catalog, clock, context, offer, place, stored, toast } = options;
  const { project } = place;
  const text: SetupContext["generate"]["text"] = (input) => context.generate.text(input);

  return {
    ...openMachine(place),
    models: catalog.models,
    generate: createGenerate({ clock, models: catalog.models, text }),
    ...WITHOUT_SESSIONS,
    toast,
    listTools: offer.list,

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
      void waitAtMost(clock, WITHIN_MS, () => context.session.interrupt({ sessionID }));
    },
  };

  /** `undefined` if the host does not have it, "unknown" if it does not answer. */
  async function readSession(sessionID: string): Promise<PlainRecord | undefined | "unknown"> {
    const waited = await waitAtMost(clock, WITHIN_MS, () => context.session.get({ sessionID }));
    if (waited.kind === "done") return isRecord(waited.value) ? waited.value : "unknown";
    const isGone =
      waited.kind === "failed" && isRecord(waited.thrown) && /NotFound/.test(String(waited.thrown._tag));
    return isGone ? undefined : "unknown";
  }
}

function readRevert(session: unknown): (Revert & { files: string[] }) | undefined {
  const revert = isRecord(session) ? session.revert : undefined;
  if (!isRecord(revert) || typeof revert.messageID !== "string") return undefined;
  const diffs = Array.isArray(revert.files) ? revert.files : [];
  const files = diffs.flatMap((diff) => (isRecord(diff) && typeof diff.file === "string" ? [diff.file] : []));
  return { messageID: revert.messageID, files };
}

/** OpenCode 2 lets a plugin neither remove a session nor switch its compaction off, so there are none of our own, and a failed checkpoint is not part of the context. */
const WITHOUT_SESSIONS = {
  ...NO_OWN_SESSIONS,
  runFork: async () => ({
    kind: "refused",
    reason: "OpenCode 2 gives plugins no forks that they could remove",
  }),
  canStopCompaction: false,
  setAutoCompaction: () => {},
  summarizesInSession: true,
} satisfies Partial<Host>;
