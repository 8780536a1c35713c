/** A project's memory, opened for one caller: all that an operation may use. */
import { StrataError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import type { Candidates } from "../memory/candidates/candidates.js";
import type { Gate } from "../memory/gate/gate.js";
import type { Memory } from "../memory/memory.js";
import type { OpenMemories } from "../memory/store/store.js";
import type { Folders } from "../project/folders.js";
import type { Entities } from "../sources/entities/entities.js";
import type { ContextRequests } from "../status/context-requests.js";
import type { Style } from "./command.js";
import type { OpenSearch } from "./open-search.js";
import { openOwnState, type Project } from "./project.js";

/**
 * Who asks. `person`: typed into a terminal of one's own, a session's prompt or a page. `agent`: the model of a session, or
 * a command in its shell. `client`: another program's agent, over MCP.
 */
export type Caller = "person" | "agent" | "client";

export interface Core {
  caller: Caller;
  /** How the caller types an operation's name: `strata candidates keep`, `/keep`. */
  nameOf(operation: string): string;
  /** The session at hand, named as the source of what is written. */
  session?: string;
  clock: Clock;
  files: Files;
  folders: Folders;
  log: Log;
  /** The project's root. */
  root: string;
  /** The project as commands open it; absent in a session of OpenCode. */
  project?: Project;
  style: Style;
  memories: OpenMemories;
  candidates(): Promise<Candidates>;
  /** Checks what is to be written. */
  gate(): Promise<Gate>;
  search(): Promise<OpenSearch>;
  entities(): Promise<Entities>;
  /** What people have asked for about a session's context. */
  contextRequests(): Promise<ContextRequests>;
  /** Records what contradicts these; returns a line for each contradiction. */
  noteConflicts(changed: readonly Memory[]): Promise<readonly string[]>;
}

/** The project of a door that has one. @throws StrataError REFUSED */
export function requireProject({ project }: Core): Project {
  if (project) return project;
  throw new StrataError("REFUSED", "this is not done in a session; use strata in a terminal, or the page");
}

/** Opens a project for one operation, beside any other process that has it open, and closes it when all is written. */
export async function withCore<T>(
  project: Project,
  caller: Caller,
  run: (core: Core) => Promise<T>,
): Promise<T> {
  const { withMemories } = await import("./open-memories.js");
  return withMemories(project, (memories) => run(createCore(project, caller, memories)));
}

/** For an operation that is only for a terminal: it opens the memories itself if it needs them. */
export const createTerminalCore = (project: Project, caller: Caller): Core => ({
  ...createCore(project, caller, undefined as never),
  get memories(): never {
    throw new Error("an operation for the terminal opens the memories itself");
  },
});

/** The core of a store that is open already. */
export function createCore(project: Project, caller: Caller, memories: OpenMemories): Core {
  const { cli, folders, log, root } = project;
  let search: Promise<OpenSearch> | undefined;
  const openSearch = (): Promise<OpenSearch> => {
    search ??= import("./open-search.js").then((module) => module.openSearch(project, memories));
    return search;
  };
  return {
    ...{ caller, clock: cli.clock, files: cli.files, folders, log, root, memories, project },
    nameOf: (operation) => `strata ${operation}`,
    style: cli.style,
    search: openSearch,
    async candidates() {
      return (await import("./open-candidates.js")).openCandidates(project);
    },
    async gate() {
      return (await import("./open-search.js")).openGate(project, memories);
    },
    async entities() {
      return (await import("./open-candidates.js")).openKnownEntities(project);
    },
    async contextRequests() {
      const { createContextRequests } = await import("../status/context-requests.js");
      const own = openOwnState(project);
      const locate = async (): Promise<string> => (await own.locateRecord()).contextRequests;
      return createContextRequests({ clock: cli.clock, files: own.files, locate });
    },
    async noteConflicts(changed) {
      return (await import("./record-rivals.js")).noteConflicts(project, memories, changed);
    },
  };
}
