/**
 * What all clients of a server share, and the state of one client.
 *
 * Shared is one project's store with its search, candidates and entities, opened once and kept open beside OpenCode and
 * other servers. A client has the memories it has seen, the sessions it started and their claims. Other instances see it
 * as an instance of its own, `mcp-<client>-<digits>`, from its first session on. The names of its sessions begin with that
 * name, so no client can act for a session of OpenCode or of another client.
 */

import { randomUUID } from "node:crypto";
import PQueue from "p-queue";
import {
  type Conflicts,
  createConflicts,
  refuseConflict,
} from "../../layers/5-auto-memory/injection/conflicts.js";
import { createRecallTool, createUpdateTool } from "../../layers/5-auto-memory/tools/tools.js";

import { createPlaces } from "../../layers/7-across-agents/leases/edits.js";
import { createLeases } from "../../layers/7-across-agents/leases/leases.js";
import { foldLetters } from "../base/text.js";
import { createGate } from "../memory/gate/gate.js";
import { isConfidential, type Memory, planPrivateTypes } from "../memory/memory.js";
import type { OpenMemories } from "../memory/store/store.js";
import { plainStyle } from "../operations/command.js";
import { openMemories, openTrust } from "../operations/open-memories.js";
import { openProjectQuotes, openSearch } from "../operations/open-search.js";
import { type Core, createCore } from "../operations/operation.js";
import { openCandidates, openOwnState } from "../operations/own-state.js";
import { hidePrivate } from "../operations/permit.js";
import { openLocks, type Project } from "../operations/project.js";
import { CLIENT_PREFIX, createInstances, type Instances, type LiveSession } from "../project/instances.js";

export interface SharedContextOptions {
  /** May tools read and write project files? */
  allowsFiles: boolean;
  /** May clients read and write private memories? */
  allowsPrivate: boolean;
}

export type SharedContext = Awaited<ReturnType<typeof openSharedContext>>;

/** Reads no memory until one is requested. */
export async function openSharedContext(given: Project, options: SharedContextOptions) {
  // Two stores of the same name in a process would consider each other's locks abandoned.
  const project = { ...given, instance: `${CLIENT_PREFIX}${randomUUID().slice(0, 8)}` };
  const own = openOwnState(project);
  const trust = await openTrust(project, { isToolServer: true });
  const locks = openLocks(project, project.instance);
  const store = await openMemories(project, { locks, trust });
  const memories = options.allowsPrivate ? store : hidePrivate(store);
  const search = await openSearch(project, memories);
  const turns = new PQueue({ concurrency: 1 });
  return {
    ...options,
    ...{ project, files: own.files, locks, trust, sessions: own.sessions, memories, search },
    config: (await project.settings()).config,
    candidates: openCandidates(project),
    /** Runs changes that read a memory before they write it, one after the other. */
    inTurn: <T>(change: () => Promise<T>): Promise<T> => turns.add(change),
    /** Returns a function that is `true` for a line of notes that repeats a hidden private memory. */
    findHidden: options.allowsPrivate ? async () => (_line: string) => false : findPrivateLines(store),
    quotes: await openProjectQuotes(project),
    /** Sessions in which something private was said: none of their words is shown. */
    async findPrivateSessions(): Promise<ReadonlySet<string | undefined>> {
      const all = options.allowsPrivate ? [] : await store.list({ archived: true });
      return new Set(all.filter(isConfidential).map(({ provenance }) => provenance.session));
    },
    /** Resolves when everything is written. Never rejects. */
    async onIdle() {
      await store.onIdle();
      await search.onIdle();
    },
  };
}

type IsHidden = (line: string) => boolean;

/** Reads the private memories once, and again after a change. */
function findPrivateLines(store: OpenMemories): () => Promise<IsHidden> {
  let reading: Promise<IsHidden> | undefined;
  const forget = (): void => {
    reading = undefined;
  };
  store.onChange(forget);
  return () => {
    reading ??= store.list({ archived: true }).then((all) => createRepeats(all.filter(isConfidential)));
    reading.catch(forget);
    return reading;
  };
}

/** Minimum letters and digits of a content; a shorter one would match almost anything. */
const LEAST = 5;
/** The same for a title, a quote such as "yes", and a line that a longer private text contains. */
const LEAST_OF_PART = 12;

/**
 * Returns a function that is `true` for a line that repeats one of these memories or a part of it: session notes quote
 * the user, who said it there. Pure.
 */
function createRepeats(memories: readonly Memory[]): IsHidden {
  const fold = (texts: readonly string[], least: number): string[] =>
    texts.map(foldLetters).filter((text) => text.length >= least);
  const contents = memories.map(({ content }) => content);
  const parts = memories.flatMap(({ provenance, title }) => [title, provenance.evidence ?? ""]);
  const folded = [...new Set([...fold(contents, LEAST), ...fold(parts, LEAST_OF_PART)])];
  return (line) => {
    const said = foldLetters(line);
    return folded.some(
      (text) => said.includes(text) || (said.length >= LEAST_OF_PART && text.includes(said)),
    );
  };
}

export type ClientContext = ReturnType<typeof openClientContext>;

/** `client`: the name that the client gives. */
export function openClientContext(shared: SharedContext, client: string) {
  const { files, memories, project, search } = shared;
  const { cli, folders, log, processes, root } = project;
  const { clock } = cli;
  const id = planClientID(client, randomUUID());
  const conflicts = openConflicts(shared);
  const gate = createGate({
    memories: {
      ...memories,
      /** Does not overwrite what another writer has changed meanwhile. */
      async remember(draft, cause) {
        const written = await conflicts.remember(draft, cause);
        return written.kind === "conflict" ? refuseConflict(written) : written;
      },
    },
    search,
  });
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
  const tools = {
    ...{ clock, conflicts, folders, gate, log, memories, search },
    files: cli.files,
    tellUser() {},
    readUsersMessages: async () => [],
  };
  const core: Core = {
    ...createCore(project, "client", memories),
    /** The client's latest session, or the client itself: the source of what it writes. */
    session: id,
    style: plainStyle,
    search: async () => search,
    candidates: async () => shared.candidates,
    gate: async () => gate,
    noteConflicts: async () => [],
  };
  return {
    id,
    ...{ shared, core, conflicts, leases },
    instances: { ...instances, living: () => listLiving(instances, shared) },
    /** The plugin's tools, without access to the user's messages. */
    recall: createRecallTool(tools),
    update: createUpdateTool(tools),
    /** The name under which others see this session. */
    nameSession: (given: string) => `${id}-${given}`,
    /** Notes that the client started a session, or ended its session (`undefined`). */
    noteSession(name: string | undefined) {
      core.session = name ?? id;
    },
    async leave() {
      const warn = (thrown: unknown): void => log.warn("mcp", `cannot leave ${folders.instances}: ${thrown}`);
      await instances.leave().catch(warn);
    },
  };
}

function openConflicts({ config, memories, project, trust }: SharedContext): Conflicts {
  const { cli, folders } = project;
  const { clock, files } = cli;
  const privateTypes = planPrivateTypes(config, folders);
  return createConflicts({
    ...{ clock, files, trust, store: memories, folder: folders.memory },
    isPrivate: (type) => privateTypes.includes(type),
  });
}

/** A session's goal is the user's last request, which may name something private. */
async function listLiving(instances: Instances, { findHidden }: SharedContext) {
  const [all, isHidden] = await Promise.all([instances.living(), findHidden()]);
  const hideGoal = ({ goal, ...session }: LiveSession): LiveSession =>
    goal === undefined || isHidden(goal) ? session : { ...session, goal };
  return all.map((one) => ({ ...one, sessions: one.sessions.map(hideGoal) }));
}

const LONGEST_CLIENT = 30;

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
