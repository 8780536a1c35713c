/**
 * What all clients of a server share: the store of one project, opened once and kept open beside OpenCode and other
 * servers, and its search, candidates and entities.
 */
import { randomUUID } from "node:crypto";
import PQueue from "p-queue";
import type { Config } from "../config/schema.js";
import type { Files } from "../io/files.js";
import type { Locks } from "../io/locks.js";
import type { Candidates } from "../memory/candidates/candidates.js";
import { isConfidential, type Memory } from "../memory/memory.js";
import type { MemorySearch } from "../memory/search/search.js";
import type { OpenMemories } from "../memory/store/store.js";
import type { Trust } from "../memory/trust/trust.js";
import { openCandidates, openKnownEntities } from "../operations/open-candidates.js";
import { openMemories, openTrust } from "../operations/open-memories.js";
import { openLastingSearch } from "../operations/open-search.js";
import { openLocks, openOwnState, type Project } from "../operations/project.js";
import { CLIENT_PREFIX } from "../project/other-instances.js";
import type { SeenSessions } from "../project/own.js";
import type { OpenEntities } from "../sources/entities/open-entities.js";
import { foldLetters } from "../text/text.js";
import { withoutPrivate } from "./without-private.js";

export interface SharedContextOptions {
  /** May tools read and write project files? */
  allowsFiles: boolean;
  /** May clients read and write private memories? */
  allowsPrivate: boolean;
}

export interface SharedContext extends SharedContextOptions {
  project: Project;
  config: Config;
  /** Includes the project's machine state. */
  files: Files;
  locks: Locks;
  trust: Trust;
  sessions: SeenSessions;
  memories: OpenMemories;
  search: MemorySearch;
  candidates: Candidates;
  entities: OpenEntities;
  /** Runs changes that read a memory before they write it, one after the other. */
  inTurn<T>(change: () => Promise<T>): Promise<T>;
  /** Returns a function that is `true` for a line of notes that repeats a hidden private memory. */
  findHidden(): Promise<(line: string) => boolean>;
  /** Resolves when everything is written. Never rejects. */
  onIdle(): Promise<void>;
}

/** Reads no memory until one is requested. */
export async function openSharedContext(
  given: Project,
  options: SharedContextOptions,
): Promise<SharedContext> {
  // Two stores of the same name in a process would consider each other's locks abandoned.
  const project = { ...given, instance: `${CLIENT_PREFIX}${randomUUID().slice(0, 8)}` };
  const { clock } = project.cli;
  const own = openOwnState(project);
  const trust = await openTrust(project, { isToolServer: true });
  const locks = openLocks(project, project.instance);
  const store = await openMemories(project, { locks, trust });
  const memories = options.allowsPrivate ? store : withoutPrivate(store);
  const search = await openLastingSearch(project, memories, { clock, own });
  const turns = new PQueue({ concurrency: 1 });
  return {
    ...options,
    inTurn: (change) => turns.add(change),
    ...{ project, files: own.files, locks, trust, sessions: own.sessions, memories, search },
    config: (await project.settings()).config,
    candidates: openCandidates(project),
    entities: await openKnownEntities(project, own),
    findHidden: options.allowsPrivate ? async () => () => false : findPrivateLines(store),
    async onIdle() {
      await store.onIdle();
      await search.onIdle();
    },
  };
}

/** Reads the private memories once, and again after a change. */
function findPrivateLines(store: Pick<OpenMemories, "list" | "onChange">): SharedContext["findHidden"] {
  let reading: Promise<(line: string) => boolean> | undefined;
  store.onChange(() => {
    reading = undefined;
  });
  const read = async (): Promise<(line: string) => boolean> => {
    const all = await store.list({ archived: true });
    return createRepeats(all.filter(isConfidential));
  };
  return () => {
    reading ??= read().catch((thrown) => {
      reading = undefined;
      throw thrown;
    });
    return reading;
  };
}

/* Finds lines that repeat a private memory: session notes quote the user, who said it there. Pure. */

/** Minimum letters and digits of a content; a shorter one would match almost anything. */
const LEAST = 5;
/** The same for a title, a quote such as "yes", and a line that a longer private text contains. */
const LEAST_OF_PART = 12;

/** The function returned is `true` for a line that repeats one of these memories or a part of it. */
export function createRepeats(memories: readonly Memory[]): (line: string) => boolean {
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
