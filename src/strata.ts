/**
 * Assembles Strata without a host: reads the configuration, creates the log, the ledger, the view and the layers, and
 * returns the dispatcher that answers every hook. All its state belongs to one project; two may live in one process.
 */
import { randomUUID } from "node:crypto";
import PQueue from "p-queue";
import { announce } from "./announce.js";
import { createGeneration } from "./background/generation.js";
import { createCandidates } from "./candidates/candidates.js";
import { createCheckpoints } from "./checkpoints/checkpoints.js";
import { readConfig } from "./config/config.js";
import { listSwitches, type SettingsPart } from "./config/part.js";
import type { Config } from "./config/schema.js";
import { createDispatcher, type Dispatcher } from "./dispatcher/dispatcher.js";
import { createPulse, type Pulse } from "./dispatcher/pulse.js";
import { type OpenEmbedder, openEmbedder } from "./embeddings/open-embedder.js";
import { openEntities } from "./entities/open-entities.js";
import { formatError } from "./error.js";
import { createFamily } from "./family.js";
import { planFolders } from "./folders.js";
import { waitForAll } from "./idle.js";
import { createInstances } from "./instances/instances.js";
import { kernelFiles } from "./kernel-files.js";
import type { KernelContext } from "./layer-context.js";
import { createLayers, type Stack } from "./layer-definition.js";
import { createLocks } from "./lock/locks.js";
import { formatKeptOut, typesOutOfGit } from "./memory/kept-out.js";
import { effectiveImportance } from "./memory/rank.js";
import { createMemorySearch } from "./memory/search/search.js";
import { createSecretGate } from "./memory/secret-gate.js";
import { createMemoryStore } from "./memory/store/memory-store.js";
import { createNotes } from "./notes/notes.js";
import { readTracked } from "./own/git-index.js";
import { type Own, openOwn } from "./own/own.js";
import { createOwnFiles } from "./own/own-files.js";
import { lookAfterFolders } from "./own/own-flaws.js";
import type { SeenSessions } from "./owner/seen-sessions.js";
import { createPrompts } from "./prompts.js";
import { createDeferred } from "./record/deferred.js";
import { createKnownPrices } from "./record/known-prices.js";
import { createLog, type Log } from "./record/log.js";
import { createSavings } from "./record/savings.js";
import { createTokenizer, type Tokenizer } from "./record/tokenizer.js";
import { createTokenCounter } from "./record/tokens.js";
import { type Clock, waitAtMost } from "./seams/clock.js";
import type { Files } from "./seams/files.js";
import type { Get } from "./seams/get.js";
import type { Host } from "./seams/host.js";
import type { Post } from "./seams/post.js";
import { createToasts, type Toasts } from "./toasts.js";
import { openTrust } from "./trust/open-trust.js";
import { planCachePolicy } from "./view/cold.js";
import { createContextSizes } from "./view/context-size.js";
import { createDecisions } from "./view/decisions.js";
import { createRequests, type Requests } from "./view/request.js";
import { createResultFiles } from "./view/result-files.js";
import { createModelWindows } from "./view/windows.js";

export interface Seams {
  clock: Clock;
  files: Files;
  host: Host;
  /** Variables of the environment; without it none is set. */
  readVariable?(name: string): string | undefined;
  /** Replaced in tests only. */
  tokenizer?: Tokenizer;
  /** Replaced in tests only. */
  post?: Post;
  /** Replaced in tests only. */
  get?: Get;
}

export interface Strata {
  readonly clock: Clock;
  readonly config: Config;
  readonly dispatcher: Dispatcher;
  readonly requests: Requests;
  readonly log: Log;
  readonly pulse: Pulse;
  readonly toasts: Toasts;
  /** Disposes the layers, once, and waits briefly for pending writes. Never rejects. */
  dispose(): Promise<void>;
  /** Resolves when no background work is left. */
  idle(): Promise<void>;
}

const LAST_WRITES_MS = 1_000;

/** The parts that all others are built on. */
interface Ground
  extends Pick<KernelContext, "background" | "clock" | "config" | "deferred" | "files" | "folders" | "host">,
    Pick<KernelContext, "instance" | "log" | "reading" | "seal" | "toasts" | "writes"> {
  locateRecord: Own["locateRecord"];
  sessions: SeenSessions;
}

type Requesting = Pick<
  KernelContext,
  "decisions" | "prices" | "requests" | "resultFiles" | "sizes" | "windows"
>;
type Recording = Pick<KernelContext, "notes" | "pulse" | "savings" | "tokens">;
type Remembering = Pick<KernelContext, "candidates" | "entities" | "locks" | "memories" | "search"> &
  Pick<KernelContext, "trust"> & { embedder: OpenEmbedder | undefined };
type Working = Pick<KernelContext, "family" | "generation" | "instances">;

/** Reads files, sends no request to the host, and never rejects because of a wrong setting. */
export async function createStrata(
  seams: Seams,
  stack: Stack,
  options?: Record<string, unknown>,
): Promise<Strata> {
  const parts = stack.layers.map(({ settings }) => settings);
  const ground = await openGround(seams, parts, options);
  const { clock, config, files, host, instance, log, reading, toasts } = ground;
  const recording = createRecording(ground, seams.tokenizer);
  const { pulse, savings } = recording;
  const requesting = createRequesting(ground);
  const remembering = createRemembering(ground, seams);
  const working = createWorking(ground, { prices: requesting.prices, savings });
  const prompts = createPrompts(files);
  const known = { ...ground, ...recording, ...requesting, ...remembering, ...working, prompts };
  const context = { ...known, checkpoints: createCheckpoints(known) };
  const layers = createLayers(stack.layers, context);
  const tools = layers.flatMap((layer) => layer.tools ?? []);
  const fileKinds = [...kernelFiles, ...stack.layers.flatMap((layer) => layer.files)];
  const always = stack.always({ ...context, fileKinds, switches: listSwitches(parts), tools });
  const dispatcher = createDispatcher({
    layers: [...always, ...layers],
    clock,
    log,
    isFork: host.isFork,
    onHeard: pulse.hear,
  });
  announce(reading, { log, toasts, clock, instance, layers: layers.map(({ name }) => name) });
  const idle = (): Promise<void> => waitForAll(context, dispatcher);
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await dispatcher.dispose();
    toasts.dispose();
    working.generation.dispose();
    void remembering.trust.turns.endAll();
    log.info("strata", `instance ${instance} ends`);
    void pulse.end();
    await waitAtMost(clock, LAST_WRITES_MS, idle);
  };

  return {
    clock,
    config,
    dispatcher,
    requests: requesting.requests,
    log,
    pulse,
    toasts,
    dispose() {
      ending ??= end();
      return ending;
    },
    idle,
  };
}

/** Reads the configuration and opens the log and the files. State of another machine counts as absent. */
async function openGround(
  { clock, files: disk, host }: Seams,
  parts: readonly SettingsPart[],
  options: Record<string, unknown> | undefined,
): Promise<Ground> {
  const folders = planFolders(host.project);
  const writes = new PQueue({ concurrency: 1 });
  const background = new PQueue({ concurrency: 4 });
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
  const own = openOwn({ clock, files: guarded, log, folders, host, instance });
  const toasts = createToasts({ clock, host });
  lookAfterFolders({ files: own.files, folders, config, clock, writes, background, log, toasts });
  const deferred = createDeferred({ clock, log });
  return {
    ...own,
    background,
    clock,
    config,
    deferred,
    folders,
    host,
    instance,
    log,
    reading,
    toasts,
    writes,
  };
}

/** Ledger, pulse, token counts and notes. */
function createRecording(
  { clock, deferred, files, folders, host, instance, log, sessions, writes }: Ground,
  tokenizer: Tokenizer = createTokenizer(clock),
): Recording {
  return {
    savings: createSavings({ files, clock, writes, log, deferred, folder: folders.savings, instance }),
    pulse: createPulse({ clock, files, log, writes, folder: folders.pulse, instance }),
    tokens: createTokenCounter({
      tokenize: tokenizer,
      clock,
      onFailure: (why) =>
        log.warn("tokens", `cannot count tokens, estimating four characters a token: ${formatError(why)}`),
    }),
    notes: createNotes({
      files,
      clock,
      log,
      folder: folders.sessionMemory,
      readMessages: host.readMessages,
      seen: sessions,
    }),
  };
}

/** Decisions, result files, sizes, windows and prices: what a request to the model is made from. */
function createRequesting({ clock, config, files, folders, log, writes }: Ground): Requesting {
  const of = { folder: folders.decisions, resultsFolder: folders.toolResults };
  const known = {
    decisions: createDecisions({ clock, files, log, ...of }),
    prices: createKnownPrices({ files, log, writes, path: folders.prices }),
    sizes: createContextSizes(),
    windows: createModelWindows(),
  };
  return {
    ...known,
    resultFiles: createResultFiles({ files, clock, folder: folders.toolResults }),
    requests: createRequests({
      ...{ clock, ...known },
      thresholdTokens: config.autoCompact.threshold,
      coldThresholdTokens: config.autoCompact.coldThreshold,
      cachePolicy: planCachePolicy(config),
    }),
  };
}

function createRemembering(
  ground: Ground,
  { get, post, readVariable = () => undefined }: Pick<Seams, "get" | "post" | "readVariable">,
): Remembering {
  const { background, clock, config, files, folders, host, instance, log, sessions, toasts } = ground;
  const locks = createLocks({ clock, files, processes: host.processes, instance });
  const trust = openTrust({ accepted: config.trust, clock, files, folders, host, instance, log, toasts });
  const memories = createMemoryStore({
    ...{ clock, files, folders, instance, locks, log, trust },
    globalFolder: host.globalFolder,
    limits: config.autoMemory,
    gate: createSecretGate(clock),
    keepOutOfGit: typesOutOfGit(config, folders),
    listTracked: () => readTracked(files, folders.project),
    onKeptOut: (ids) => {
      log.info("memory", formatKeptOut(ids));
      toasts.show(formatKeptOut(ids), "info");
    },
  });
  const embedder = openEmbedder({ ...ground, readVariable, post });
  const search = createMemorySearch({
    ...{ background, clock, embedder, files, log, memories, sessions },
    mayEmbed: embedder?.mayEmbed,
    sessionMemory: folders.sessionMemory,
    importanceOf: (memory) => effectiveImportance(memory, memories.useOf(memory.id), clock.now()),
  });
  const candidates = createCandidates({ ...ground, locks });
  const entities = openEntities({ ...ground, readVariable, get });
  return { candidates, embedder, entities, locks, memories, search, trust };
}

/** Other instances, subagents, and Strata's own model calls. */
function createWorking(ground: Ground, recording: Pick<KernelContext, "prices" | "savings">): Working {
  const { clock, config, files, folders, host, instance, log, reading, toasts } = ground;
  const family = createFamily(host);
  return {
    family,
    generation: createGeneration({
      config: config.background,
      claims: reading.claims,
      ...recording,
      ...{ clock, files, host, log, toasts, instance },
      folder: folders.background,
    }),
    instances: createInstances({
      ...{ clock, family, files, log },
      processes: host.processes,
      folder: folders.instances,
      id: instance,
      directory: host.directory,
    }),
  };
}
