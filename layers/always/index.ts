/** The parts that are always active beside the seven layers: those asked before the layers, then those asked after. */
import { join } from "node:path";
import { HOUR_MS } from "../../src/base/days.js";
import { formatError, StrataError } from "../../src/base/error.js";
import type { ContextRequest } from "../../src/context/request.js";
import { waitAtMost } from "../../src/io/clock.js";
import type { OwnSession, RemoteGit } from "../../src/io/host.js";
import { removeExpired, stateFolderFiles } from "../../src/kernel/file-kinds.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import type { Synced } from "../../src/sync/sync.js";
import {
  locateSync,
  openSyncFiles,
  SYNC_CONFIG,
  type SyncConfig,
  type SyncPlace,
} from "../../src/sync/sync-state.js";
import { createBreakWatch } from "./break-watch.js";
import { createRequestUsage } from "./request-usage.js";
import { createScreen } from "./screen.js";
import { createSteering } from "./steering/steering.js";
import { createTakenBack } from "./taken-back/taken-back.js";
import { createView } from "./view.js";

/** How long the page of `/memory` waits for what the last request has left to write. */
const PAGE_WAITS_MS = 1_000;

export function createAlways(context: KernelContext): readonly Layer[] {
  const { clock, config, deferred, family } = context;
  const screen = createScreen(context);
  const breaks = createBreakWatch(context);
  const takenBack = createTakenBack({ ...context, explain: breaks.explain });
  const steering = createSteering(context);
  return [
    // First: all others may ask the family.
    {
      name: "family",
      phase: "before",
      servesForks: ["event"],
      handlers: { event: (event) => void family.onEvent(event) },
    },
    createReplay(context),
    takenBack.learns,
    createView({ ...context, breaks, usage: createRequestUsage({ ...context, screen }) }),
    // Once the view has compared the request with the last one.
    steering.applies,
    ...(config.autoMemory.enabled ? [createTurnFollower(context)] : []),
    createHousekeeping(context),
    createSyncPull(context),
    {
      name: "status",
      phase: "before",
      handlers: {},
      commands: [
        {
          name: "memory",
          description: "Strata: context, savings and settings; no model call",
          async execute({ sessionID }) {
            const { formatMemoryPage } = await import("./memory-page.js");
            await waitAtMost(clock, PAGE_WAITS_MS, deferred.settle);
            return formatMemoryPage({ ...context, screen }, sessionID);
          },
        },
      ],
    },
    ...createReminder(context),

    steering.lists,
    screen.layer,
    // Deferred work is done at once: the host may exit, or another instance continue the session.
    {
      name: "turn-end",
      phase: "after",
      servesForks: ["event"],
      handlers: { event: ({ type }) => void (type === "session.idle" && deferred.settle()) },
    },
    takenBack.records,
    breaks.layer,
  ];
}

/**
 * Tracks the turns of agents: files that change on disk during a turn count as the agent's. No turn waits for it. The
 * memories are read when a turn ends, because git may rewrite the same files later and the user may commit them.
 */
function createTurnFollower({ background, log, memories, trust }: KernelContext): Layer {
  const lookAgain = (): void =>
    void background
      .add(() => memories.list())
      .catch((thrown) => log.error("trust", `cannot read the memories: ${formatError(thrown)}`));
  return {
    name: "trust",
    phase: "before",
    // A fork continues to work when the session that asked for it is idle.
    servesForks: ["turn", "event"],
    handlers: {
      turn: ({ sessionID }) => void trust.turns.begin(sessionID),
      event({ properties: { info, sessionID }, type }) {
        const id = type === "session.deleted" ? (info as { id?: unknown } | undefined)?.id : sessionID;
        const isOver = type === "session.idle" || type === "session.deleted";
        if (isOver && typeof id === "string") void trust.turns.end(id).then(lookAgain);
        return undefined;
      },
    },
  };
}

/**
 * Repeats the warning about wrong settings with the first turn, because a screen that opens slowly misses the toast at
 * start-up.
 */
function createReminder({ reading: { problems }, toasts }: KernelContext): Layer[] {
  const [first] = problems;
  if (first === undefined) return [];
  const count = problems.length === 1 ? "One setting is wrong" : `${problems.length} settings are wrong`;
  let isShown = false;
  return [
    {
      name: "announce",
      phase: "before",
      handlers: {
        turn() {
          if (!isShown) toasts.show(`${count} (strata doctor): ${first}`, "warning");
          isShown = true;
          return undefined;
        },
      },
    },
  ];
}

/*
 * Applies all recorded decisions to the history. Called before the other layers, and waits for the records longer than any
 * of them may: without the records the raw history would be sent, which costs the prompt cache and may exceed the window.
 */

const LAYER = "replay";
/** A disk that takes longer is considered broken. */
const READ_WITHIN_MS = 20_000;
/** Limit for records that are loaded but may have grown, and while an earlier read hangs. */
const LOOK_WITHIN_MS = 1_000;

function createReplay({ clock, decisions, log }: KernelContext): Layer {
  let hanging = 0;

  return {
    name: LAYER,
    phase: "before",
    isIndispensable: true,
    withinMs: { context: READ_WITHIN_MS + LOOK_WITHIN_MS, compacted: READ_WITHIN_MS + LOOK_WITHIN_MS },
    servesForks: ["context", "compacted"],
    handlers: {
      async context(request) {
        await read(request);
        return request.show();
      },
      async compacted(request) {
        await read(request);
        return undefined;
      },
    },
  };

  async function read(request: ContextRequest): Promise<void> {
    const { days, messages } = request.history;
    // Instances do not alternate within a turn, and each read costs milliseconds in a busy host.
    const again = messages.at(-1)?.info.role === "user";
    const withinMs = hanging > 0 || request.isReady() ? LOOK_WITHIN_MS : READ_WITHIN_MS;
    const waited = await waitAtMost(
      clock,
      withinMs,
      () => decisions.load(days, { again }),
      () => hanging--,
    );
    if (waited.kind === "done") return;
    if (waited.kind === "overran") hanging++;
    const why = waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${withinMs} ms`;
    log.error(LAYER, `cannot read earlier decisions: ${why}`);
  }
}

/*
 * Cleans up after a start: removes the plugin's own sessions that a killed instance left behind, and expired files. Runs
 * in the background after the host's first event.
 *
 * A session is removed when the process that opened it has ended. If that process seems to run (another live instance, or
 * a reused process id), it is removed once it is unused for far longer than any call may take.
 */

const UNUSED_MS = 10 * 60_000;
/** A starting host may not list its sessions yet. */
const TRIES = 3;
const TRY_AGAIN_MS = 60_000;

/** Own sessions that no process is waiting for. */
function findAbandoned(sessions: readonly OwnSession[], nowMs: number): OwnSession[] {
  return sessions.filter(({ openedBy, updatedMs }) => openedBy === "ended" || nowMs - updatedMs > UNUSED_MS);
}

function createHousekeeping(context: KernelContext): Layer {
  const { background, clock, fileKinds, files, folders, host, log } = context;
  let hasBegun = false;

  return {
    name: "background",
    phase: "before",
    handlers: {
      event() {
        if (hasBegun) return undefined;
        hasBegun = true;
        void background.add(async () => {
          await removeAbandoned(TRIES);
          const world = { clock, files, folders, processes: host.processes };
          const complain = (thrown: unknown): void =>
            log.warn("background", `cannot remove expired files: ${formatError(thrown)}`);
          await removeExpired(world, fileKinds, complain);
          await removeExpired({ ...world, root: host.stateFolder }, stateFolderFiles, complain);
        });
        return undefined;
      },
    },
  };

  async function removeAbandoned(tries: number): Promise<void> {
    const sessions = tries > 0 ? await host.listOwnSessions() : [];
    if (!sessions)
      return void clock.after(TRY_AGAIN_MS, () => void background.add(() => removeAbandoned(tries - 1)));
    const abandoned = findAbandoned(sessions, clock.now());
    let removed = 0;
    for (const { id } of abandoned) if (await host.removeSession(id)) removed++;
    if (removed > 0) log.info("background", `removed ${removed} leftover sessions of the plugin`);
    if (removed < abandoned.length)
      log.warn("background", `cannot remove ${abandoned.length - removed} leftover sessions of the plugin`);
  }
}

/*
 * Pulls memories from the user's remotes once, in the background after the host's first event, if the last pull is too
 * old. Being offline is normal. Without a remote, this only checks for two files and loads nothing.
 */

/** From this age on the last pull is too old for a start. */
const MOST_AGE_HOURS = 24;
/** Short: nobody waits for it, and it should not keep a machine from going to sleep. */
const NETWORK_MS = 60_000;

function createSyncPull(context: KernelContext): Layer {
  const { background, config, host } = context;
  let hasBegun = false;
  return {
    name: "sync",
    phase: "before",
    handlers: {
      event() {
        if (hasBegun || !config.sync.pullOnStart || !host.openRemoteGit) return undefined;
        hasBegun = true;
        void background.add(() => pullAll(context));
        return undefined;
      },
    },
  };
}

/** Never rejects. */
async function pullAll(context: KernelContext): Promise<void> {
  const { files, folders, host, log } = context;
  const given = { project: folders.memoryProject, stateFolder: host.stateFolder };
  let git: RemoteGit | undefined;
  for (const scope of ["project", "global"] as const)
    try {
      const place = await locateSync(files, scope, given);
      if (!(await files.stat(join(place.folder, SYNC_CONFIG)))) continue;
      git ??= await host.openRemoteGit?.();
      if (git) await pull({ ...context, git }, place);
    } catch (thrown) {
      const { UNREACHABLE } = await import("../../src/sync/bare-repository.js");
      const isOffline = thrown instanceof StrataError && thrown.code === UNREACHABLE;
      log[isOffline ? "info" : "warn"]("sync", `memories were not pulled: ${formatError(thrown)}`);
    }
}

async function pull(options: KernelContext & { git: RemoteGit }, place: SyncPlace): Promise<void> {
  const { clock, files, log, toasts } = options;
  const stored = openSyncFiles(files, place);
  const config = await stored.readConfig();
  const { pulledMs } = await stored.readState();
  const isFresh = pulledMs !== undefined && Math.abs(clock.now() - pulledMs) < MOST_AGE_HOURS * HOUR_MS;
  if (!config || isFresh) return;
  const { createSync } = await import("../../src/sync/sync.js");
  const sync = createSync({ ...options, place, machinePaths: [], networkMs: NETWORK_MS });
  const synced = await sync.pull();
  const what = formatPulled(synced, config);
  log.info("sync", what ?? `nothing new on ${config.branch}`);
  if (what !== undefined) toasts.show(what, synced.conflicts.length > 0 ? "warning" : "info");
}

/** Text of the toast; `undefined` if nothing changed here. */
function formatPulled({ conflicts, ids }: Synced, { isOwn }: SyncConfig): string | undefined {
  if (ids.length === 0) return undefined;
  const [first = ""] = ids;
  const what = ids.length === 1 ? first : `${first} and ${ids.length - 1} more memories`;
  const from = isOwn ? "from another machine of yours" : "from others; /memory-trust accepts them";
  const open = conflicts.length > 0 ? `; ${conflicts.length} in conflict, settle with strata reconcile` : "";
  return `${what} came ${from}${open}`;
}
