/** Creates the parts that layers share, bottom up: configuration, log and files first. */
import { randomUUID } from "node:crypto";
import PQueue from "p-queue";
import { VERSION } from "../base/version.js";
import { readConfig } from "../config/config.js";
import type { SettingsPart } from "../config/setting.js";
import { createContextSizes } from "../context/context-size.js";
import { createDecisions } from "../context/decisions.js";
import { createModelWindows, createRequests } from "../context/request.js";
import { createResultFiles } from "../context/result-files.js";
import { createKnownPrices } from "../costs/prices.js";
import { createSavings } from "../costs/savings.js";
import type { Clock } from "../io/clock.js";
import { createDeferred } from "../io/deferred.js";
import type { Files } from "../io/files.js";
import type { Host } from "../io/host.js";
import { createLocks } from "../io/locks.js";
import { createLog } from "../io/log.js";
import type { Get, Post } from "../io/post.js";
import { createPrompts } from "../io/prompts.js";
import { createToasts, SCREEN_OPENS_MS } from "../io/toasts.js";
import { createCandidates } from "../memory/candidates/candidates.js";
import { refuseWithSecret } from "../memory/draft.js";
import { planPrivateTypes } from "../memory/memory.js";
import { effectiveImportance } from "../memory/rank.js";
import { createMemorySearch } from "../memory/search/search.js";
import { createMemoryStore } from "../memory/store/memory-store.js";
import { openTrust } from "../memory/trust/trust.js";
import { findMemoryProject } from "../memory/worktree.js";
import { createGeneration } from "../models/generation.js";
import { type OpenEmbedder, openEmbedder } from "../models/open-embedder.js";
import { createNotes } from "../notes/notes.js";
import { createFamily } from "../project/family.js";
import { planFolders } from "../project/folders.js";
import { createInstances } from "../project/instances.js";
import { openOwn } from "../project/own.js";
import { createOwnFiles } from "../project/own-files.js";
import { lookAfterFolders } from "../project/own-flaws.js";
import { createEntities } from "../sources/entities/entities.js";
import type { Dispatcher } from "./dispatcher.js";
import type { Core, MemoryParts, RequestParts, SessionParts } from "./layer-context.js";

export interface Seams {
  clock: Clock;
  files: Files;
  host: Host;
  /** Environment variables; default: none. */
  readVariable?(name: string): string | undefined;
  /** Replaced in tests only. */
  post?: Post;
  /** Replaced in tests only. */
  get?: Get;
}

/** Reads the configuration and opens the log and the files. State of another machine counts as absent. */
export async function openCore(
  { clock, files: disk, host }: Seams,
  parts: readonly SettingsPart[],
  options: Record<string, unknown> | undefined,
): Promise<Core> {
  const writes = new PQueue({ concurrency: 1 });
  const background = new PQueue({ concurrency: 4 });
  const reading = await readConfig({ files: disk, configFiles: host.configFiles, options, parts });
  const { config } = reading;
  const sharing = async () => config.sync.worktrees;
  const problems: string[] = [];
  const memoryProject = await findMemoryProject(disk, host.project, sharing, (what) => problems.push(what));
  const folders = planFolders(host.project, memoryProject);
  const guarded = createOwnFiles({
    files: disk,
    clock,
    listLinked: async () => config.linkedFolders,
    report: (message) => log.warn("files", message),
  });
  const log = createLog({ files: guarded, clock, host, writes, path: folders.log, level: config.log.level });
  for (const problem of problems) log.warn("memory", problem);
  const instance = randomUUID().slice(0, 8);
  const own = openOwn({ clock, files: guarded, log, folders, host, instance });
  const toasts = createToasts({ clock, host });
  lookAfterFolders({
    ...{ files: own.files, folders, config, clock, writes, background, log, toasts },
    git: host.git,
  });
  const deferred = createDeferred({ clock, log });
  const queues = { background, deferred, writes };
  return { ...own, ...queues, clock, config, folders, host, instance, log, reading, toasts };
}

export function createRequestParts(core: Core): RequestParts {
  const { clock, config, files, folders, log, writes } = core;
  const known = {
    decisions: createDecisions({
      ...{ clock, files, log },
      folder: folders.decisions,
      resultsFolder: folders.toolResults,
    }),
    prices: createKnownPrices({ files, log, writes, path: folders.prices }),
    sizes: createContextSizes(),
    windows: createModelWindows(),
  };
  return {
    ...known,
    savings: createSavings({ ...core, folder: folders.savings }),
    resultFiles: createResultFiles({ files, clock, folder: folders.toolResults }),
    requests: createRequests({
      ...{ clock, ...known },
      thresholdTokens: config.autoCompact.threshold,
      coldThresholdTokens: config.autoCompact.coldThreshold,
      cachePolicy: config.microCompact,
    }),
  };
}

/** With the embedder of the search, if one is configured. */
export function createMemoryParts(
  core: Core,
  { get, post, readVariable = () => undefined }: Pick<Seams, "get" | "post" | "readVariable">,
): MemoryParts & { embedder: OpenEmbedder | undefined } {
  const { clock, config, files, folders, host, instance, sessions } = core;
  const locks = createLocks({ clock, files, processes: host.processes, instance });
  const trust = openTrust({ ...core, accepted: config.trust });
  const memories = createMemoryStore({
    ...{ ...core, locks, trust },
    globalFolder: host.globalFolder,
    limits: config.autoMemory,
    gate: refuseWithSecret,
    privateTypes: planPrivateTypes(config, folders),
  });
  const embedder = openEmbedder({ ...core, readVariable, post });
  const search = createMemorySearch({
    ...{ ...core, embedder, memories, sessions },
    mayEmbed: embedder?.mayEmbed,
    sessionMemory: folders.sessionMemory,
    importanceOf: (memory) => effectiveImportance(memory, memories.useOf(memory.id), clock.now()),
  });
  const candidates = createCandidates({ ...core, locks });
  const entities = createEntities({ ...core, readVariable, get });
  return { candidates, embedder, entities, exchange: memories.exchange, locks, memories, search, trust };
}

export function createSessionParts(
  core: Core,
  costs: Pick<RequestParts, "prices" | "savings">,
): Omit<SessionParts, "checkpoints"> {
  const { clock, config, files, folders, host, instance, log, reading } = core;
  const family = createFamily(host);
  return {
    family,
    notes: createNotes({
      ...{ clock, files, log },
      folder: folders.sessionMemory,
      readMessages: host.readMessages,
      seen: core.sessions,
    }),
    generation: createGeneration({
      ...{ ...core, ...costs },
      config: config.background,
      claims: reading.claims,
      folder: folders.background,
    }),
    instances: createInstances({
      ...{ clock, family, files, log },
      processes: host.processes,
      folder: folders.instances,
      id: instance,
      directory: host.directory,
    }),
    prompts: createPrompts(files),
  };
}

/** Logs version, instance and layers, then one line for each wrong setting. One toast covers all wrong settings. */
export function announce(
  { clock, instance, log, reading: { problems }, toasts }: Core,
  layers: readonly string[],
): void {
  log.info(
    "strata",
    `opencode-strata ${VERSION}, instance ${instance}, layers: ${layers.join(", ") || "none"}`,
  );
  for (const problem of problems) log.warn("config", problem);
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length > 1 ? ` (${problems.length - 1} more in .opencode/strata/strata.log)` : "";
  clock.after(SCREEN_OPENS_MS, () => toasts.show(`${first}${more}`, "warning"));
}

/** Resolves when no background work is left. In this order, because background work ends in a write. */
export async function waitForAll(
  parts: Core & MemoryParts & Pick<SessionParts, "generation">,
  embedder: OpenEmbedder | undefined,
  dispatcher: Dispatcher,
): Promise<void> {
  await parts.background.onIdle();
  await parts.deferred.settle();
  await parts.generation.onIdle();
  await embedder?.onIdle();
  await dispatcher.onIdle();
  await parts.memories.onIdle();
  await parts.trust.turns.onIdle();
  await parts.writes.onIdle();
}
