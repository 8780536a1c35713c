import PQueue from "p-queue";
import { openQuotes, type Quotes } from "../conversations/quotes.js";
import { waitAtMost } from "../io/clock.js";
import { createGate, type Gate } from "../memory/gate/gate.js";
import { createMemorySearch } from "../memory/search/search.js";
import type { OpenMemories } from "../memory/store/store.js";
import { type OpenEmbedderOptions, openEmbedder } from "../models/open-embedder.js";
import { openOwnState } from "./own-state.js";
import { type Project, readOpenOptions } from "./project.js";

export type OpenSearch = Awaited<ReturnType<typeof openSearch>>;

/** A command has no background: what is not embedded by then is found by its words. */
const EMBED_MS = 5_000;

/** The part of the store that a search needs. */
type Searched = Pick<OpenMemories, "known" | "list" | "onChange" | "useOf">;

export async function openSearch(project: Project, memories: Searched) {
  const { cli, folders, log } = project;
  const { clock } = cli;
  const { files, sessions } = openOwnState(project);
  const embedder = await openProjectEmbedder(project, { clock, files });
  const search = createMemorySearch({
    ...{ memories, files: cli.files, log, clock, sessions },
    embedder,
    background: new PQueue({ concurrency: 1 }),
    sessionMemory: folders.sessionMemory,
  });
  return {
    ...search,
    /** Waits briefly for the vectors of an embedding endpoint, if one is set. Never rejects. */
    async waitForMeaning(): Promise<void> {
      if (embedder) await waitAtMost(clock, EMBED_MS, search.whenEmbedded);
    },
    /** Resolves when all is written. Never rejects. */
    onIdle: async (): Promise<void> => embedder?.onIdle(),
  };
}

async function openProjectEmbedder(project: Project, from: Pick<OpenEmbedderOptions, "clock" | "files">) {
  const { config } = await project.settings();
  return openEmbedder({ ...project, ...from, config, readVariable: (name) => project.cli.env[name] });
}

export async function openProjectQuotes(project: Project): Promise<Quotes> {
  const options = await readOpenOptions(project);
  const from = { clock: options.clock, files: openOwnState(project).files };
  return openQuotes({ ...options, embedder: await openProjectEmbedder(project, from) });
}

/** The gate for what a person adds: the same as in OpenCode. The folders are read once, and not for each memory. */
export async function openGate(project: Project, memories: OpenMemories): Promise<Gate> {
  await memories.list();
  const search = await openSearch(project, memories);
  return createGate({ memories: { ...memories, list: async () => memories.known() }, search });
}
