/**
 * The machine without a host: reads the configuration, makes the log, the ledger, the view and the layers, and hands back the
 * dispatcher that answers every hook. Everything it holds belongs to one project; two may live in one process.
 */
import { randomUUID } from "node:crypto";
import PQueue from "p-queue";
import { announce } from "./announce.js";
import { createGeneration } from "./background/generation.js";
import { readConfig } from "./config/config.js";
import { listSwitches } from "./config/part.js";
import type { Config } from "./config/schema.js";
import { createDispatcher, type Dispatcher } from "./dispatcher/dispatcher.js";
import { createPulse, type Pulse } from "./dispatcher/pulse.js";
import { formatError } from "./error.js";
import { createFamily } from "./family.js";
import { planFolders } from "./folders.js";
import { createInstances } from "./instances/instances.js";
import { kernelFiles } from "./kernel-files.js";
import { createLayers, type Stack } from "./layer-definition.js";
import { createLocks } from "./lock/locks.js";
import { effectiveImportance } from "./memory/rank.js";
import { createMemorySearch } from "./memory/search/search.js";
import { createSecretGate } from "./memory/secret-gate.js";
import { createMemoryStore } from "./memory/store/memory-store.js";
import { createNotes } from "./notes/notes.js";
import { openOwn } from "./own/own.js";
import { createOwnFiles } from "./own/own-files.js";
import { lookAfterFolders } from "./own/own-flaws.js";
import { createPrompts } from "./prompts.js";
import { createLog, type Log } from "./record/log.js";
import { createSavings } from "./record/savings.js";
import { createTokenizer, type Tokenizer } from "./record/tokenizer.js";
import { createTokenCounter } from "./record/tokens.js";
import { type Clock, waitAtMost } from "./seams/clock.js";
import type { Files } from "./seams/files.js";
import type { Host } from "./seams/host.js";
import { createToasts, type Toasts } from "./toasts.js";
import { openTrust } from "./trust/open-trust.js";
import { createContextSizes } from "./view/context-size.js";
import { createDecisions } from "./view/decisions.js";
import { createRequests, type Requests } from "./view/request.js";
import { createResultFiles } from "./view/result-files.js";
import { createModelWindows } from "./view/windows.js";

export interface Seams {
  clock: Clock;
  files: Files;
  host: Host;
  /** The real one unless a test gives another. */
  tokenizer?: Tokenizer;
}

export interface Strata {
  readonly clock: Clock;
  readonly config: Config;
  readonly dispatcher: Dispatcher;
  readonly requests: Requests;
  readonly log: Log;
  readonly pulse: Pulse;
  readonly toasts: Toasts;
  /** Lets the layers go and waits a little for what is still being written. Once; never rejects. */
  dispose(): Promise<void>;
  /** Resolves when nothing is left to be done in the background. */
  idle(): Promise<void>;
}

const LAST_WRITES_MS = 1_000;

/** Reads files, asks the host nothing, and never rejects because of a wrong setting. */
export async function createStrata(
  { clock, files: disk, host, tokenizer }: Seams,
  stack: Stack,
  options?: Record<string, unknown>,
): Promise<Strata> {
  const folders = planFolders(host.project);
  const writes = new PQueue({ concurrency: 1 });
  const background = new PQueue({ concurrency: 4 });
  const parts = stack.layers.map(({ settings }) => settings);
  const reading = await readConfig({ files: disk, configFiles: host.configFiles, options, parts });
  const { config } = reading;
  const guarded = createOwnFiles({
    files: disk,
    clock,
    listLinked: async () => config.linkedFolders,
    report: (message) => log.warn("files", message),
  });
  const log = createLog({ files: guarded, clock, host, writes, path: folders.log, level: config.log.level });
  const instance = randomUUID().slice(0, 8);
  const { files, seal, sessions } = openOwn({ clock, files: guarded, log, folders, host, instance });
  const toasts = createToasts({ clock, host });
  lookAfterFolders({ files, folders, config, clock, writes, background, log, toasts });
  const savings = createSavings({ files, clock, writes, log, folder: folders.savings, instance });
  const pulse = createPulse({ clock, files, log, writes, folder: folders.pulse, instance });
  const decisions = createDecisions({
    clock,
    files,
    log,
    folder: folders.decisions,
    resultsFolder: folders.toolResults,
  });
  const resultFiles = createResultFiles({ files, clock, folder: folders.toolResults });
  const sizes = createContextSizes();
  const windows = createModelWindows();
  const requests = createRequests({
    decisions,
    sizes,
    windows,
    thresholdTokens: config.autoCompact.threshold,
  });
  const tokens = createTokenCounter({
    tokenize: tokenizer ?? createTokenizer(clock),
    clock,
    onFailure: (why) => log.warn("tokens", `cannot count, four characters count as one: ${formatError(why)}`),
  });
  const notes = createNotes({
    files,
    clock,
    log,
    folder: folders.sessionMemory,
    readMessages: host.readMessages,
    seen: sessions,
  });
  const prompts = createPrompts(files);
  const locks = createLocks({ clock, files, processes: host.processes, instance });
  const trust = openTrust({ accepted: config.trust, clock, files, folders, host, instance, log, toasts });
  const memories = createMemoryStore({
    trust,
    clock,
    files,
    locks,
    log,
    folders,
    globalFolder: host.globalFolder,
    instance,
    limits: config.autoMemory,
    gate: createSecretGate(clock),
  });
  const search = createMemorySearch({
    memories,
    clock,
    files,
    log,
    background,
    sessionMemory: folders.sessionMemory,
    sessions,
    importanceOf: (memory) => effectiveImportance(memory, memories.useOf(memory.id), clock.now()),
  });
  const generation = createGeneration({
    config: config.background,
    claims: reading.claims,
    clock,
    files,
    host,
    log,
    savings,
    toasts,
    folder: folders.background,
    instance,
  });
  const family = createFamily(host);
  const instances = createInstances({
    clock,
    family,
    files,
    log,
    processes: host.processes,
    folder: folders.instances,
    id: instance,
    directory: host.directory,
  });
  const context = {
    instance,
    config,
    clock,
    files,
    host,
    folders,
    log,
    toasts,
    savings,
    tokens,
    decisions,
    resultFiles,
    sizes,
    notes,
    requests,
    prompts,
    generation,
    family,
    instances,
    locks,
    seal,
    memories,
    trust,
    search,
    background,
  };
  const layers = createLayers(stack.layers, context);
  const tools = layers.flatMap((layer) => layer.tools ?? []);
  const always = stack.always({
    ...context,
    pulse,
    reading,
    fileKinds: [...kernelFiles, ...stack.layers.flatMap((layer) => layer.files)],
    switches: listSwitches(parts),
    tools,
    windows,
    writes,
  });
  const dispatcher = createDispatcher({
    layers: [...always, ...layers],
    clock,
    log,
    isFork: host.isFork,
    onHeard: pulse.hear,
  });
  announce(reading, { log, toasts, clock, instance, layers: layers.map(({ name }) => name) });

  let ending: Promise<void> | undefined;

  /** Work in the background leaves something to write down. */
  async function idle(): Promise<void> {
    await background.onIdle();
    await generation.onIdle();
    await dispatcher.onIdle();
    await memories.onIdle();
    await trust.turns.onIdle();
    await writes.onIdle();
  }

  return {
    clock,
    config,
    dispatcher,
    requests,
    log,
    pulse,
    toasts,
    dispose() {
      ending ??= end();
      return ending;
    },
    idle,
  };

  async function end(): Promise<void> {
    await dispatcher.dispose();
    toasts.dispose();
    generation.dispose();
    void trust.turns.endAll();
    log.info("strata", `instance ${instance} ends`);
    void pulse.end();
    await waitAtMost(clock, LAST_WRITES_MS, idle);
  }
}
