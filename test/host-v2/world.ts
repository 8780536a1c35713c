/** The plugin loaded by the contract host, with fakes for the disk and the clock. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stack } from "../../layers/index.js";
import { createSetup } from "../../src/host/2/setup.js";
import { createStrata, type Strata } from "../../src/strata.js";
import { createFakeClock, type FakeClock } from "../support/fake-clock.js";
import { GLOBAL, PROJECT, STATE } from "../support/fake-host.js";
import { createFakeProcesses } from "../support/fake-processes.js";
import { planKnownProject } from "../support/known-project.js";
import { createMemoryFiles, type MemoryFiles } from "../support/memory-files.js";
import { type ContextOptions, type MadeContext, makeContext } from "./context.js";
import { createContractHost } from "./contract-host.js";
import type { ContractHost } from "./host-types.js";

export interface World extends MadeContext {
  host: ContractHost;
  clock: FakeClock;
  files: MemoryFiles;
  /** `undefined` if the plugin did not start. */
  strata: Strata | undefined;
  /** Ends the plugin as the host does. */
  end(): Promise<void>;
  /** Starts the plugin again on the same host and disk; without `end` it was killed. */
  restart(more?: ContextOptions): Promise<World>;
  log(): Promise<string>;
}

export interface WorldOptions extends ContextOptions {
  files?: MemoryFiles;
  clock?: FakeClock;
  host?: ContractHost;
}

const promptsFolder = fileURLToPath(new URL("../../prompts", import.meta.url));

export async function openWorld(given: WorldOptions = {}): Promise<World> {
  const clock = given.clock ?? createFakeClock();
  const host = given.host ?? createContractHost(clock);
  const files = given.files ?? plantFiles(clock);
  const made = makeContext(host, given);
  let strata: Strata | undefined;
  const setup = createSetup({
    ...{ clock, files },
    parts: stack.layers.map(({ settings }) => settings),
    async open(own, options) {
      const { options: set = {} } = given;
      const text = JSON.stringify({ plugin: [["opencode-strata", set]] });
      const seam = {
        ...own,
        processes: createFakeProcesses(),
        git: { ask: async () => undefined },
        globalFolder: GLOBAL,
        stateFolder: STATE,
        configFiles: [{ path: "OPENCODE_CONFIG_CONTENT", origin: "user" as const, text }],
      };
      strata = await createStrata({ clock, files, host: seam }, stack, options);
      return strata;
    },
  });
  const end = await settle(clock, setup(made.context));
  const idle = async (): Promise<void> => void (await strata?.idle());
  return {
    ...{ ...made, host, clock, files, strata },
    async end() {
      await end?.();
      host.unload();
    },
    restart: (more) => {
      host.unload();
      return openWorld({ ...given, ...more, clock, files, host });
    },
    async log() {
      await idle();
      return files.text(`${PROJECT}/.opencode/strata/strata.log`) ?? "";
    },
  };
}

/** Turns the clock until the promise settles, for methods that hang. */
export async function settle<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let isDone = false;
  void promise
    .finally(() => {
      isDone = true;
    })
    .catch(() => {});
  for (;;) {
    for (let turn = 0; turn < 30 && !isDone; turn++) await new Promise(setImmediate);
    if (isDone) return promise;
    clock.advance(1_000);
  }
}

function plantFiles(clock: FakeClock): MemoryFiles {
  const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/main\n" }, clock.now);
  const idFolder = `${PROJECT}/.opencode/strata`;
  const known = planKnownProject({ root: PROJECT, idFolder, stateFolder: STATE });
  for (const [path, text] of Object.entries(known)) files.contents.set(path, Buffer.from(text));
  for (const name of readdirSync(promptsFolder))
    files.contents.set(join(promptsFolder, name), readFileSync(join(promptsFolder, name)));
  return files;
}
