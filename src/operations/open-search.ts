import PQueue from "p-queue";
import { type Clock, waitAtMost } from "../io/clock.js";
import { createGate, type Gate } from "../memory/gate/gate.js";
import { effectiveImportance } from "../memory/rank.js";
import { createMemorySearch, type MemorySearch } from "../memory/search/search.js";
import type { OpenMemories } from "../memory/store/store.js";
import { openEmbedder } from "../models/open-embedder.js";
import type { Own } from "../project/own.js";
import { openOwnState, type Project } from "./project.js";

export interface OpenSearch extends MemorySearch {
  /** Waits briefly for the vectors of an embedding endpoint, if one is set. Never rejects. */
  waitForMeaning(): Promise<void>;
  /** Resolves when all is written. Never rejects. */
  onIdle(): Promise<void>;
}

/** A command has no background: what is not embedded by then is found by its words. */
const EMBED_MS = 5_000;

/** The part of the store that a search needs. */
type Searched = Pick<OpenMemories, "known" | "list" | "onChange" | "useOf">;

/** For a command. */
export const openSearch = (project: Project, memories: Searched): Promise<OpenSearch> =>
  openLastingSearch(project, memories, { clock: project.cli.clock, own: openOwnState(project) });

/** For a long-running process with its own clock and machine state. */
export async function openLastingSearch(
  { cli, folders, instance, log, settings }: Project,
  memories: Searched,
  { clock, own: { files, sessions } }: { clock: Clock; own: Pick<Own, "files" | "sessions"> },
): Promise<OpenSearch> {
  const { config } = await settings();
  const readVariable = (name: string): string | undefined => cli.env[name];
  const embedder = openEmbedder({ clock, config, files, folders, instance, log, readVariable });
  const search = createMemorySearch({
    ...{ memories, files: cli.files, log, clock, sessions },
    embedder,
    mayEmbed: embedder?.mayEmbed,
    background: new PQueue({ concurrency: 1 }),
    sessionMemory: folders.sessionMemory,
    importanceOf: (memory) => effectiveImportance(memory, memories.useOf(memory.id), clock.now()),
  });
  return {
    ...search,
    async waitForMeaning() {
      if (embedder) await waitAtMost(clock, EMBED_MS, search.whenEmbedded);
    },
    onIdle: async () => embedder?.onIdle(),
  };
}

/** The gate for what a person adds: the same as in OpenCode. The folders are read once, and not for each memory. */
export async function openGate(project: Project, memories: OpenMemories): Promise<Gate> {
  await memories.list();
  const search = await openSearch(project, memories);
  return createGate({ memories: { ...memories, list: async () => memories.known() }, search });
}
