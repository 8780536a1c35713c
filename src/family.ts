/**
 * Which session was opened below which. Known from what the host reports, and asked for where it began before this
 * instance did. A fork of ours stands below the session that asked for it.
 */
import type { HostEvent } from "./dispatcher/hooks.js";
import { isRecord } from "./records.js";
import type { Host } from "./seams/host.js";

export interface Family {
  /** Learns from what the host reports. */
  hear(event: HostEvent): void;
  /** As far as it is known without asking the host: enough for a session that began while this instance listened. */
  knownParent(sessionID: string): string | undefined;
  /** `undefined` for a session that a person has opened, and where the host does not say. */
  findParent(sessionID: string): Promise<string | undefined>;
  /** Has a person opened it? False where the host does not say. */
  isPersons(sessionID: string): Promise<boolean>;
  /** The nearest first, at most `MOST_ANCESTORS`. */
  findAncestors(sessionID: string): Promise<string[]>;
}

/** Deeper than anybody nests agents; it ends a circle too. */
const MOST_ANCESTORS = 5;
/** Those asked about or reported last. */
const REMEMBERED = 1_000;

export function createFamily(host: Pick<Host, "findAsker" | "findParent" | "isFork">): Family {
  /** `null` for a session without a parent. A deleted one stays: its notes are asked about when the host ends. */
  const parents = new Map<string, string | null>();

  function put(sessionID: string, parentID: string | null): void {
    parents.delete(sessionID);
    parents.set(sessionID, parentID);
    if (parents.size > REMEMBERED) parents.delete(parents.keys().next().value ?? "");
  }

  function recall(sessionID: string): string | null | undefined {
    const known = parents.get(sessionID);
    if (known !== undefined) put(sessionID, known);
    return known;
  }

  async function ask(sessionID: string): Promise<string | undefined | "unknown"> {
    if (host.isFork(sessionID)) return host.findAsker(sessionID);
    const known = recall(sessionID);
    if (known !== undefined) return known ?? undefined;
    const parentID = await host.findParent(sessionID);
    if (parentID !== "unknown") put(sessionID, parentID ?? null);
    return parentID;
  }

  async function findParent(sessionID: string): Promise<string | undefined> {
    const parentID = await ask(sessionID);
    return parentID === "unknown" ? undefined : parentID;
  }

  return {
    hear({ type, properties: { info } }) {
      if (type !== "session.created" || !isRecord(info) || typeof info.id !== "string") return;
      put(info.id, typeof info.parentID === "string" ? info.parentID : null);
    },

    knownParent: (sessionID) => recall(sessionID) ?? undefined,
    findParent,
    isPersons: async (sessionID) => (await ask(sessionID)) === undefined,

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
