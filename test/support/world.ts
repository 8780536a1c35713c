import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stack as layers } from "../../layers/index.js";
import type { Decision, DecisionBatch } from "../../src/context/decision-batch.js";
import type { SavingsRecord } from "../../src/costs/savings.js";
import type { Files } from "../../src/io/files.js";
import type { Message } from "../../src/io/message.js";
import { askForView } from "../../src/kernel/dispatcher.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { LayerContext, LayerDefinition, Stack } from "../../src/kernel/layer-context.js";
import { withSlashCommands } from "../../src/operations/slash-commands.js";
import { createStrata, type Strata } from "../../src/strata.js";
import { createFakeClock, type FakeClock } from "./fake-clock.js";
import { createFakeHost, type FakeHost, PROJECT, usersOptions } from "./fake-host.js";
import { planKnownProject } from "./known-project.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { outputs } from "./messages.js";

const stack = withSlashCommands(layers);

export interface World {
  strata: Strata;
  files: MemoryFiles;
  clock: FakeClock;
  host: FakeHost;
  /** The messages as they would be sent. */
  request(messages: readonly Message[]): Promise<readonly Message[]>;
  /** A new plugin instance on the same disk. */
  restart(): Promise<World>;
  /** All lines of the log so far. */
  log(): Promise<string>;
  /** Paths of the results on disk. */
  results(): string[];
  /** Savings records of a session with these events. */
  ledger(sessionID: string, ...events: string[]): SavingsRecord[];
  /** Recorded decisions, in order. */
  decisions(): KnownLine[];
}

/** A decision as stored on disk. */
export type KnownLine = Decision & { layer: string };

export interface WorldOptions {
  files?: MemoryFiles;
  /** Wraps the files that the plugin uses. */
  wrap?: (files: Files) => Files;
  clock?: FakeClock;
  host?: FakeHost;
  options?: Record<string, unknown>;
  /** Replace the real layers. */
  layers?: readonly (LayerDefinition | LayerFactory)[];
  always?: Stack["always"];
  /** Environment variables. */
  env?: Record<string, string>;
  /** The user has never used Strata in the project, so all its files came with the repository. */
  isUnknown?: boolean;
}

/** The package's files that the plugin reads. */
const promptsFolder = fileURLToPath(new URL("../../prompts", import.meta.url));
const prompts = readdirSync(promptsFolder).map(
  (name) => [join(promptsFolder, name), readFileSync(join(promptsFolder, name))] as const,
);

/** Opens the plugin with fakes for everything around it. */
export async function openWorld(given: WorldOptions = {}): Promise<World> {
  const clock = given.clock ?? createFakeClock();
  const host = given.host ?? createFakeHost();
  const files = given.files ?? createMemoryFiles({}, clock.now);
  const known = planKnownProject({
    root: PROJECT,
    idFolder: `${PROJECT}/.opencode/strata`,
    stateFolder: host.stateFolder,
  });
  const seeds = given.isUnknown || files.text(Object.keys(known)[0] ?? "") !== undefined ? {} : known;
  for (const [path, text] of Object.entries(seeds)) files.contents.set(path, Buffer.from(text));
  for (const [path, text] of prompts) if (!files.contents.has(path)) files.contents.set(path, text);
  // The options are in the user's own configuration, added once for all restarts.
  const others = host.configFiles.filter(({ text }) => text === undefined);
  host.configFiles = [...others, ...usersOptions(given.options)];
  const seams = {
    ...{ clock, host, files: given.wrap?.(files) ?? files },
    readVariable: (name: string) => given.env?.[name],
  };
  const strata = await createStrata(
    seams,
    { layers: given.layers ? planLayers(given.layers) : stack.layers, always: given.always ?? stack.always },
    given.options,
  );
  return {
    strata,
    files,
    clock,
    host,
    async request(messages) {
      const request = strata.requests.open(messages);
      return request ? askForView(strata.dispatcher, request) : messages;
    },
    restart: () => openWorld({ ...given, clock, host, files }),
    async log() {
      await strata.idle();
      return files.text(`${PROJECT}/.opencode/strata/strata.log`) ?? "";
    },
    results: () =>
      [...files.contents.keys()].filter((path) => path.includes("/tool-results/") && path.endsWith(".txt")),
    ledger(sessionID, ...events) {
      const records = readLines<SavingsRecord>(files.text(`${STRATA}/savings/${sessionID}.jsonl`));
      return records.filter(({ event }) => events.length === 0 || events.includes(event));
    },
    decisions() {
      const paths = [...files.contents.keys()].filter((path) =>
        path.startsWith(`${STRATA}/state/decisions/`),
      );
      const batches = paths.sort().flatMap((path) => readLines<DecisionBatch>(files.text(path)));
      return batches.flatMap(({ layer, decisions }) => decisions.map((decision) => ({ ...decision, layer })));
    },
  };
}

/** Creates a test's own layer, without settings. */
export type LayerFactory = (context: LayerContext) => Layer | undefined;

/** The given layers plus the settings of the real ones, which the layers under `always` read. */
function planLayers(given: readonly (LayerDefinition | LayerFactory)[]): LayerDefinition[] {
  const own = given.map((one) => (typeof one === "function" ? toDefinition(one) : one));
  const others = stack.layers.filter(({ name }) => !own.some((one) => one.name === name));
  return [...others.map((one) => ({ ...one, create: () => ({ handlers: {} }) })), ...own];
}

const toDefinition = (create: LayerFactory): LayerDefinition => ({
  name: "test",
  settings: {},
  files: [],
  proof: { acted: () => undefined },
  create: (context) => create(context) ?? { handlers: {} },
});

const STRATA = `${PROJECT}/.opencode/strata`;

function readLines<T>(text = ""): T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** Types a slash command in a session, as the host does; what it answers. */
export async function typeCommand(
  { strata }: Pick<World, "strata">,
  name: string,
  words = "",
  sessionID = "ses_1",
): Promise<string> {
  const command = strata.dispatcher.commands.find((one) => one.name === name);
  if (!command) throw new Error(`there is no command /${name}`);
  return command.execute({ sessionID, words }, new AbortController().signal);
}

/** The history's first result as it would be sent. */
export async function onlyOutput(world: World, history: readonly Message[]): Promise<string> {
  return outputs(await world.request(history))[0] ?? "";
}
