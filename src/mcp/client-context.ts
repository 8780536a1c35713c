/**
 * The state of one client: the memories it has seen, the sessions it started and their claims.
 *
 * Other instances see a client as a separate instance, `mcp-<client>-<digits>`, from its first session on. The names of
 * its sessions begin with that name, so no client can act for a session of OpenCode or of another client.
 */
import { randomUUID } from "node:crypto";
import {
  type Conflicts,
  createConflicts,
  refuseConflict,
} from "../../layers/5-auto-memory/injection/conflicts.js";
import { createFindDoubts, type FindDoubts } from "../../layers/5-auto-memory/injection/doubted-facts.js";
import { createRememberTool, type MemoryToolsContext } from "../../layers/5-auto-memory/tools/remember.js";
import { createUpdateTool } from "../../layers/5-auto-memory/tools/update.js";
import { createPlaces } from "../../layers/7-across-agents/leases/edits.js";
import { createLeases, type Leases } from "../../layers/7-across-agents/leases/leases.js";
import { inSlices } from "../base/slices.js";
import type { Tool } from "../kernel/layer.js";
import { refuseWords } from "../memory/draft.js";
import { createFindSimilar, createGate, type Gate } from "../memory/gate/gate.js";
import { type MemoryDraft, planPrivateTypes } from "../memory/memory.js";
import type { Cause } from "../memory/store/ledger-line.js";
import type { Written } from "../memory/store/store.js";
import { openLocks } from "../operations/project.js";
import { createInstances, type Instances } from "../project/instances.js";
import { CLIENT_PREFIX, type LiveSession } from "../project/other-instances.js";
import type { SharedContext } from "./shared-context.js";

export interface ClientContext {
  /** Id of the client's instance. */
  id: string;
  shared: SharedContext;
  conflicts: Conflicts;
  gate: Gate;
  instances: Instances;
  leases: Leases;
  /** The plugin's tools, without access to the user's messages. */
  remember: Tool;
  update: Tool;
  findDoubts: FindDoubts;
  /** The client's latest session, or the client itself: the source of what it writes. */
  session(): string;
  /** The name under which others see this session. */
  nameSession(given: string): string;
  /** Notes that the client started a session, or ended its session (`undefined`). */
  noteSession(name: string | undefined): void;
  /** Releases the client's claims. Never rejects. */
  leave(): Promise<void>;
}

const LONGEST_CLIENT = 30;

/** `client`: the name that the client gives. */
export function openClientContext(shared: SharedContext, client: string): ClientContext {
  const { config, files, memories, project, search, trust } = shared;
  const { cli, folders, log, processes, root } = project;
  const { clock } = cli;
  const id = planClientID(client, randomUUID());
  const privateTypes = planPrivateTypes(config, folders);
  const conflicts = createConflicts({
    ...{ clock, files: cli.files, trust, store: memories, folder: folders.memory },
    isPrivate: (type) => privateTypes.includes(type),
    gate: (words) => inSlices(clock, refuseWords(words)),
  });
  /** Does not overwrite what another writer has changed meanwhile. */
  const remember = async (draft: MemoryDraft, cause: Cause): Promise<Written> => {
    const written = await conflicts.remember(draft, cause);
    return written.kind === "conflict" ? refuseConflict(written) : written;
  };
  const findSimilar = createFindSimilar(memories, search);
  const gate = createGate({ memories: { ...memories, remember }, findSimilar });
  const instances = createInstances({
    ...{ clock, files, log, processes, id },
    family: { knownParent: () => undefined },
    folder: folders.instances,
    directory: cli.folder,
  });
  const leases = createLeases({
    ...{ clock, files, instances, path: folders.leases },
    locks: openLocks(project, id, files),
    places: createPlaces({ files, project: root, directory: cli.folder }),
  });
  const findDoubts = createFindDoubts({ clock, files, folders });
  /** A session's goal is the user's last request, which may name something private. */
  const living: Instances["living"] = async () => {
    const [all, isHidden] = await Promise.all([instances.living(), shared.findHidden()]);
    return all.map((one) => ({
      ...one,
      sessions: one.sessions.map((session) => hideGoal(session, isHidden)),
    }));
  };
  const context: MemoryToolsContext = {
    ...{ clock, conflicts, findDoubts, folders, gate, log, memories, search },
    ...{ entities: shared.entities, files: cli.files },
    changes: { note: async () => {} },
    readUsersMessages: async () => [],
  };
  let current = id;

  return {
    ...{ id, shared, conflicts, findDoubts, gate, leases },
    instances: { ...instances, living },
    remember: createRememberTool(context),
    update: createUpdateTool(context),
    session: () => current,
    nameSession: (given) => `${id}-${given}`,
    noteSession(name) {
      current = name ?? id;
    },
    async leave() {
      const warn = (thrown: unknown): void => log.warn("mcp", `cannot leave ${folders.instances}: ${thrown}`);
      await leases.releaseAll().catch(warn);
      await instances.leave().catch(warn);
    },
  };
}

function hideGoal(session: LiveSession, isHidden: (line: string) => boolean): LiveSession {
  if (session.goal === undefined || !isHidden(session.goal)) return session;
  const { goal: _, ...rest } = session;
  return rest;
}

/** `mcp-claude-code-1f20c9`. Pure. */
export function planClientID(client: string, random: string): string {
  const name = client
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, LONGEST_CLIENT)
    .replace(/-+$/, "");
  return `${CLIENT_PREFIX}${name === "" ? "client" : name}-${random.replace(/-/g, "").slice(0, 6)}`;
}
