import { layers as allLayers } from "../../layers/index.js";
import type { LayerFactory } from "../../src/layer-context.js";
import type { Files } from "../../src/seams/files.js";
import { createStrata, type Strata } from "../../src/strata.js";
import type { Message } from "../../src/view/message.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { createFakeHost, type FakeHost, PROJECT } from "./fake-host.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { outputs } from "./messages.js";

export interface World {
  strata: Strata;
  files: MemoryFiles;
  clock: FakeClock;
  host: FakeHost;
  /** The messages as they would be sent. */
  request(messages: readonly Message[]): Promise<readonly Message[]>;
  /** The whole machine made anew on the same disk. */
  restart(): Promise<World>;
  /** All lines of the log so far. */
  log(): Promise<string>;
  /** Paths of the results on disk. */
  results(): string[];
}

export interface WorldOptions {
  files?: MemoryFiles;
  /** Stands between the machine and the files. */
  wrap?: (files: Files) => Files;
  clock?: FakeClock;
  host?: FakeHost;
  options?: Record<string, unknown>;
  layers?: readonly LayerFactory[];
}

/** The machine with everything around it replaced. */
export async function openWorld(given: WorldOptions = {}): Promise<World> {
  const clock = given.clock ?? createFakeClock();
  const host = given.host ?? createFakeHost();
  const files = given.files ?? createMemoryFiles({}, clock.now);
  const seams = { clock, host, files: given.wrap?.(files) ?? files, tokenizer: fourCharactersAToken };
  const strata = await createStrata(seams, given.layers ?? allLayers, given.options);
  return {
    strata,
    files,
    clock,
    host,
    async request(messages) {
      const request = strata.requests.open(messages);
      return request ? strata.dispatcher.ask("context", request, messages) : messages;
    },
    restart: () => openWorld({ ...given, clock, host, files }),
    async log() {
      await strata.idle();
      return files.text(`${PROJECT}/.opencode/strata/strata.log`) ?? "";
    },
    results: () =>
      [...files.contents.keys()].filter((path) => path.includes("/tool-results/") && path.endsWith(".txt")),
  };
}

/** The first result of the history as it would be sent. */
export async function onlyOutput(world: World, history: readonly Message[]): Promise<string> {
  return outputs(await world.request(history))[0] ?? "";
}

/** Stands in for the tokenizer, which runs in a thread of its own and is made from the built package. */
const fourCharactersAToken = async (pieces: readonly string[]) => Math.ceil(pieces.join("").length / 4);
