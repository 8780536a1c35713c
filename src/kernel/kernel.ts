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
import { createLooks } from "../io/looks.js";
import type { Post } from "../io/post.js";
import { createPrompts } from "../io/prompts.js";
import { createToasts } from "../io/toasts.js";
import { createCandidates } from "../memory/candidates/candidates.js";
import { planPrivateTypes } from "../memory/memory.js";
import { createMemorySearch } from "../memory/search/search.js";
import { createMemoryStore } from "../memory/store/memory-store.js";
import { findMemoryProject } from "../memory/trust/git.js";
import { openTrust } from "../memory/trust/trust.js";
import { createNews } from "../messages/news.js";
import { createGeneration } from "../models/generation.js";
import { openEmbedder } from "../models/open-embedder.js";
import { createNotes } from "../notes/notes.js";
import { createFamily } from "../project/family.js";
import { planFolders } from "../project/folders.js";
import { createInstances } from "../project/instances.js";
import { openOwn } from "../project/own.js";
import { createOwnFiles } from "../project/own-files.js";
import { lookAfterFolders } from "../project/own-flaws.js";
import type { Dispatcher } from "./dispatcher.js";

export interface Seams {
  clock: Clock;
  files: Files;
  host: Host;
  /** Environment variables; default: none. */
  readVariable?(name: string): string | undefined;
  /** Replaced in tests only. */
  post?: Post;
}

/** What all other parts need: configuration, files and where work waits. */
export type Core = Awaited<ReturnType<typeof openCore>>;
/** What a request to the model is made of, and what it costs. */
export type RequestParts = ReturnType<typeof createRequestParts>;
/** What is remembered. */
export type MemoryParts = ReturnType<typeof createMemoryParts>;
/** Sessions, other instances, and models that Strata asks itself. */
export type SessionParts = ReturnType<typeof createSessionParts>;

/** Reads the configuration and opens the log and the files. State of another machine counts as absent. */
export async function openCore(
  { clock, files: disk, host }: Seams,
  parts: readonly SettingsPart[],
  options: Record<string, unknown> | undefined,
) {
  /** Writes, one after the other, in the background. */
  const writes = new PQueue({ concurrency: 1 });
  /** Longer work that no turn waits for; a few tasks run at a time. A task must not throw. */
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
  const deferred = createDeferred({ clock, log });
  lookAfterFolders({
    ...{ files: own.files, folders, config, clock, deferred, writes, background, log, toasts },
    git: host.git,
  });
  return {
    ...own,
    ...{ background, clock, config, deferred, folders, host, log, toasts, writes },
    /** ID of this running plugin in this project. */
    instance,
    /** What layers ask the disk about before every request. */
    looks: createLooks(own.files, log),
    /** The configuration as read, with its problems. */
    reading,
  };
}

export function createRequestParts(core: Core) {
  const { clock, config, files, folders, log, reading, writes } = core;
  const { projects, users } = reading.limits;
  const known = {
    decisions: createDecisions({
      ...{ clock, files, log },
      folder: folders.decisions,
      resultsFolder: folders.toolResults,
    }),
    prices: createKnownPrices({ files, log, writes, paidFor: config.prices, path: folders.prices }),
    sizes: createContextSizes(),
    windows: createModelWindows(),
  };
  return {
    ...known,
    savings: createSavings({ ...core, folder: folders.savings }),
    resultFiles: createResultFiles({ files, clock, folder: folders.toolResults }),
    requests: createRequests({
      ...{ clock, ...known },
      limits: { users: users.autoCompact ?? {}, projects: projects.autoCompact ?? {} },
      cachePolicy: config.microCompact,
    }),
  };
}

export function createMemoryParts(
  core: Core,
  { post, readVariable = () => undefined }: Pick<Seams, "post" | "readVariable">,
) {
  const { clock, config, files, folders, host, instance, sessions } = core;
  const locks = createLocks({ clock, files, processes: host.processes, instance });
  const trust = openTrust({ ...core, accepted: config.trust });
  const memories = createMemoryStore({
    ...{ ...core, locks, trust },
    globalFolder: host.globalFolder,
    limits: config.autoMemory,
    privateTypes: planPrivateTypes(config, folders),
  });
  const embedder = openEmbedder({ ...core, readVariable, post });
  const search = createMemorySearch({
    ...{ ...core, embedder, memories, sessions },
    sessionMemory: folders.sessionMemory,
  });
  const candidates = createCandidates({ ...core, locks });
  return { candidates, embedder, exchange: memories.exchange, locks, memories, search, trust };
}

export function createSessionParts(core: Core, costs: Pick<RequestParts, "prices" | "savings">) {
  const { clock, config, files, folders, host, instance, log, reading } = core;
  const family = createFamily(host);
  return {
    family,
    news: createNews(core),
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

/** Logs version, instance and layers, then one line for each wrong setting, which the first turn shows. */
export function announce({ instance, log, reading: { problems } }: Core, layers: readonly string[]): void {
  log.info(
    "strata",
    `opencode-strata ${VERSION}, instance ${instance}, layers: ${layers.join(", ") || "none"}`,
  );
  for (const problem of problems) log.warn("config", problem);
}

/** Resolves when no background work is left. In this order, because background work ends in a write. */
export async function waitForAll(
  parts: Core & MemoryParts & Pick<SessionParts, "generation">,
  dispatcher: Dispatcher,
): Promise<void> {
  await parts.background.onIdle();
  await parts.deferred.settle();
  await parts.generation.onIdle();
  await parts.embedder?.onIdle();
  await dispatcher.onIdle();
  await parts.memories.onIdle();
  await parts.trust.turns.onIdle();
  await parts.writes.onIdle();
}
