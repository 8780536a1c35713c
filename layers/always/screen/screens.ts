import { formatLocalDay } from "../../../src/base/days.js";
import { formatError } from "../../../src/base/error.js";
import { countMemories } from "../../../src/base/format.js";
import { countUsableTokens, planBudget } from "../../../src/context/request.js";
import { createLedgerSums, findCacheShare, type LedgerSums, toSaving } from "../../../src/costs/sums.js";
import type { ModelWindow } from "../../../src/io/host.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { readMemoryStatus } from "../../../src/status/memory-status.js";
import {
  type ContextFigures,
  readBreaker,
  readSessionScreen,
  type SessionScreen,
  screenPath,
} from "../../../src/status/session-screen.js";
import { cleanTitle, formatTitles, loadTitles } from "../../../src/status/session-titles.js";
import { measureContext, type SeenRequest } from "./measure-context.js";

interface Known {
  ledgers: LedgerSums;
  titles: ReturnType<typeof createTitles>;
  memory: ReturnType<typeof createMemoryCounts>;
  requests: ReturnType<typeof createLastRequests>;
}

export type Screens = ReturnType<typeof createScreens>;

export function createScreens(context: KernelContext) {
  const { candidates, deferred, files, folders, generation, host, log, memories, writes } = context;
  const known: Known = {
    ledgers: createLedgerSums(files, folders.savings),
    titles: createTitles(context),
    memory: createMemoryCounts(context),
    requests: createLastRequests(context),
  };
  const { ledgers, memory, requests, titles } = known;
  /** What earlier starts have left. */
  const load = once(() => Promise.all([ledgers.refreshAll(), titles.load()]));
  for (const { onChange } of [memories, candidates])
    onChange(() => {
      memory.forget();
      writeAll();
    });
  generation.onChange(writeAll);

  return {
    /** Writes the session's screen; with `seen` as of this request. Never rejects. */
    write: (sessionID: string, seen?: SeenRequest): Promise<void> =>
      guard(sessionID, async () => {
        if (seen) requests.note(sessionID, seen);
        await load();
        await write(sessionID);
      }),

    /** The turn has ended: the same, with everything read again. Never rejects. */
    end: (sessionID: string): Promise<void> =>
      guard(sessionID, async () => {
        if (!requests.find(sessionID)) return;
        memory.forget();
        await ledgers.refreshAll();
        await titles.set(sessionID, cleanTitle(await host.findTitle?.(sessionID)));
        await write(sessionID);
      }),

    /**
     * The screen as it is now, without writing it; before the first request as it was written last. Rejects with the
     * system's error.
     */
    async read(sessionID: string): Promise<SessionScreen | undefined> {
      await load();
      return requests.find(sessionID)
        ? describeScreen(context, known, sessionID)
        : readSessionScreen(files, folders, sessionID);
    },

    /** The session was deleted. Never rejects. */
    async forget(sessionID: string): Promise<void> {
      requests.forget(sessionID);
      await writes.add(() => guard(sessionID, () => files.remove(screenPath(folders, sessionID))));
    },
  };

  function writeAll(): void {
    for (const sessionID of requests.sessions())
      deferred.add(`screen of ${sessionID}, changed`, () => guard(sessionID, () => write(sessionID)));
  }

  /** The queue is not held up: only the ledger's lines about an answer, and earlier writes of the file, come first. */
  async function write(sessionID: string): Promise<void> {
    await writes.add(() => undefined);
    const screen = await describeScreen(context, known, sessionID);
    if (!screen) return;
    const path = screenPath(folders, sessionID);
    await writes.add(() => guard(sessionID, () => files.writeWhole(path, JSON.stringify(screen))));
  }

  async function guard(sessionID: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      const path = screenPath(folders, sessionID);
      log.warn("screen", `cannot write ${path} (${formatError(thrown)}); the next request tries again`);
    }
  }
}

/** `undefined` before the session's first request. Rejects with the system's error. */
async function describeScreen(
  context: KernelContext,
  { ledgers, memory, requests, titles }: Known,
  sessionID: string,
): Promise<SessionScreen | undefined> {
  await ledgers.refresh(sessionID);
  const [counts, breaker] = await Promise.all([
    memory.read(),
    readBreaker(context.files, context.folders, sessionID),
  ]);
  const last = requests.find(sessionID);
  if (!last) return undefined;
  const { project, today } = ledgers.addUp(formatLocalDay(context.clock.now()));
  const session = ledgers.find(sessionID);
  const title = titles.find(sessionID);
  const cache = findCacheShare(session);
  return {
    v: 1,
    session: sessionID,
    ...(title !== undefined && { title }),
    time: last.time,
    context: last.context,
    cache: {
      ...(last.cache !== undefined && { last: last.cache }),
      ...(cache !== undefined && { session: cache }),
    },
    saved: { session: toSaving(session), today: toSaving(today), project: toSaving(project) },
    memory: counts,
    ...(breaker !== undefined && { breaker }),
    background: [...new Set(context.generation.running())],
    warnings: collectWarnings(context),
  };
}

const MOST_WARNINGS = 8;
/** Longer sentences end with "…". */
const MOST_CHARACTERS = 300;

/** What a person should look at, one sentence each. */
export function collectWarnings({
  calls,
  memories,
  reading,
  toasts,
}: Pick<KernelContext, "calls" | "memories" | "reading" | "toasts">): string[] {
  const [wrong] = reading.problems;
  const more = reading.problems.length - 1;
  const foreign = memories.foreign().length;
  const all = [
    ...(wrong === undefined
      ? []
      : [`wrong setting: ${wrong}${more > 0 ? ` (and ${more} more: strata doctor)` : ""}`]),
    ...calls.silent(),
    ...(foreign > 0 ? [`${countMemories(foreign)} came with the repository: /memory-trust lists them`] : []),
    ...toasts.recentWarnings(),
  ];
  return [...new Set(all)]
    .slice(0, MOST_WARNINGS)
    .map((text) =>
      text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1).trimEnd()}…` : text,
    );
}

/** Runs once; after a failure again. */
function once(run: () => Promise<unknown>): () => Promise<unknown> {
  let running: Promise<unknown> | undefined;
  return () => {
    running ??= run().catch((thrown) => {
      running = undefined;
      throw thrown;
    });
    return running;
  };
}

/** Titles of sessions, as this instance and others have written them. */
function createTitles({ files, folders }: KernelContext) {
  let titles = new Map<string, string>();
  return {
    find: (sessionID: string) => titles.get(sessionID),

    async load(): Promise<void> {
      titles = await loadTitles(files, folders.sessions);
    },

    /** Rejects with the system's error. */
    async set(sessionID: string, title: string | undefined): Promise<void> {
      if (title === undefined || titles.get(sessionID) === title) return;
      // Another instance may have written titles of its sessions meanwhile.
      titles = (await loadTitles(files, folders.sessions)).set(sessionID, title);
      await files.writeWhole(folders.sessions, formatTitles(titles));
    },
  };
}

/* How much is remembered, and what a person should look at. Counted again only after something has changed. */

function createMemoryCounts({ candidates, files, folders, log }: KernelContext) {
  let lastFailure: string | undefined;
  let counted: Promise<SessionScreen["memory"]> | undefined;
  const forget = (): void => {
    counted = undefined;
  };

  return {
    /** Rejects with the system's error. */
    read(): Promise<SessionScreen["memory"]> {
      counted ??= count().catch((thrown) => {
        forget();
        throw thrown;
      });
      return counted;
    },
    /** Something may have changed: the next reading counts again. */
    forget,
  };

  async function count(): Promise<SessionScreen["memory"]> {
    const [status, waiting] = await Promise.all([
      readMemoryStatus(files, folders.memory, complain),
      candidates.count(),
    ]);
    return {
      memories: Object.values(status.memories).reduce((sum, one) => sum + one, 0),
      candidates: waiting ?? 0,
      blockers: status.blockers.length,
      conflicts: status.conflicts.length,
    };
  }

  /** The same failure in a row is logged once. */
  function complain(thrown: unknown): void {
    const failure = formatError(thrown);
    if (failure !== lastFailure) log.warn("screen", `cannot count all memories: ${failure}`);
    lastFailure = failure;
  }
}

/* What is known of the last request of the sessions used last. */

interface LastRequest {
  /** ISO 8601, UTC. */
  time: string;
  context: ContextFigures;
  /** Part of the prompt that came from the cache; `undefined` before the first answer. */
  cache?: number;
}

const MOST_SESSIONS = 5;

function createLastRequests({ clock, config, sizes }: KernelContext) {
  const known = new Map<string, LastRequest>();

  return {
    note(sessionID: string, seen: SeenRequest): void {
      // Once the provider has counted, an estimate would be a step back.
      if (seen.usage === undefined && known.has(sessionID)) return;
      const thresholdTokens = planThreshold(config.autoCompact, seen.request.window);
      const cache = seen.usage && findCacheShare(seen.usage);
      known.delete(sessionID);
      known.set(sessionID, {
        time: new Date(clock.now()).toISOString(),
        context: measureContext(seen, { sizes, thresholdTokens }),
        ...(cache !== undefined && { cache }),
      });
      const [oldest] = known.keys();
      if (known.size > MOST_SESSIONS && oldest !== undefined) known.delete(oldest);
    },

    find: (sessionID: string) => known.get(sessionID),
    forget: (sessionID: string) => void known.delete(sessionID),
    /** Least recently used first. */
    sessions: () => [...known.keys()],
  };
}

/** Tokens at which history is cut, by Strata or, if that is switched off, by the host. */
function planThreshold(
  { enabled, threshold }: KernelContext["config"]["autoCompact"],
  window: ModelWindow | undefined,
): number {
  if (enabled || !window || window.contextTokens <= 0) return planBudget(threshold, window);
  return Math.max(0, countUsableTokens(window));
}
