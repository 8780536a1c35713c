/**
 * Which session was opened below which. Known from what the host reports, and asked for where it began before this
 * instance did. A fork of ours stands below the session that asked for it.
 */
import type { HostEvent } from "../../src/dispatcher/hooks.js";
import { isRecord } from "../../src/records.js";
import type { Host } from "../../src/seams/host.js";

export interface Family {
  hear(event: HostEvent): void;
  /** `undefined` for a session that a person has opened, and where the host does not say. */
  findParent(sessionID: string): Promise<string | undefined>;
  /** The nearest first, at most `MOST_ANCESTORS`. */
  findAncestors(sessionID: string): Promise<string[]>;
}

/** Deeper than anybody nests agents; it ends a circle too. */
const MOST_ANCESTORS = 5;
const REMEMBERED = 1_000;

export function createFamily(host: Pick<Host, "findAsker" | "findParent" | "isFork">): Family {
  /** `null` for a session without a parent. */
  const parents = new Map<string, string | null>();

  function put(sessionID: string, parentID: string | undefined): void {
    parents.set(sessionID, parentID ?? null);
    if (parents.size > REMEMBERED) parents.delete(parents.keys().next().value ?? "");
  }

  async function findParent(sessionID: string): Promise<string | undefined> {
    if (host.isFork(sessionID)) return host.findAsker(sessionID);
    const known = parents.get(sessionID);
    if (known !== undefined) return known ?? undefined;
    const parentID = await host.findParent(sessionID);
    if (parentID === "unknown") return undefined;
    put(sessionID, parentID);
    return parentID;
  }

  return {
    hear({ type, properties: { info } }) {
      if (!isRecord(info) || typeof info.id !== "string") return;
      const parentID = typeof info.parentID === "string" ? info.parentID : undefined;
      if (type === "session.created") put(info.id, parentID);
      if (type === "session.deleted") parents.delete(info.id);
    },

    findParent,

    async findAncestors(sessionID) {
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
