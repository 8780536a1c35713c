/**
 * Which session is the parent of which: from the host's events, or by asking the host about sessions that began before
 * this instance. A fork that Strata made is a child of the session that asked for it.
 */
import { isRecord } from "../base/shape.js";
import type { Host, HostEvent } from "../io/host.js";

export type Family = ReturnType<typeof createFamily>;

/** More levels than agents are nested in practice; also stops at a cycle. */
const MOST_ANCESTORS = 5;
export function createFamily(host: Pick<Host, "findAsker" | "findParent" | "isFork">) {
  /** `null` for a session without a parent. Deleted sessions stay: their notes are needed when the host exits. */
  const parents = new Map<string, string | null>();

  async function ask(sessionID: string): Promise<string | undefined | "unknown"> {
    if (host.isFork(sessionID)) return host.findAsker(sessionID);
    const known = parents.get(sessionID);
    if (known !== undefined) return known ?? undefined;
    const parentID = await host.findParent(sessionID);
    if (parentID !== "unknown") parents.set(sessionID, parentID ?? null);
    return parentID;
  }

  /** `undefined` for a session that a person opened, or if the host does not say. */
  async function findParent(sessionID: string): Promise<string | undefined> {
    const parentID = await ask(sessionID);
    return parentID === "unknown" ? undefined : parentID;
  }

  return {
    onEvent({ type, properties: { info } }: HostEvent): void {
      if (type !== "session.created" || !isRecord(info) || typeof info.id !== "string") return;
      parents.set(info.id, typeof info.parentID === "string" ? info.parentID : null);
    },

    /** Parent as known without asking the host: enough for a session that began while this instance was running. */
    knownParent: (sessionID: string): string | undefined => parents.get(sessionID) ?? undefined,
    findParent,
    /** Did a person open this session? False if the host does not say. */
    isPersons: async (sessionID: string): Promise<boolean> => (await ask(sessionID)) === undefined,

    /** Nearest first, at most `MOST_ANCESTORS`. */
    async findAncestors(sessionID: string): Promise<string[]> {
      const ancestors: string[] = [];
      let id = await findParent(sessionID);
      while (id !== undefined && ancestors.length < MOST_ANCESTORS) {
        ancestors.push(id);
        id = await findParent(id);
      }
      return ancestors;
    },
  };
}
