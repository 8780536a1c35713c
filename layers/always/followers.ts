/** What follows the host's events behind the turn: agents' turns, tool calls, what is said, and a pull of memories. */
import { join } from "node:path";
import { HOUR_MS } from "../../src/base/days.js";
import { formatError, StrataError } from "../../src/base/error.js";
import type { Feed } from "../../src/conversations/feed.js";
import { findEventSession, type RemoteGit } from "../../src/io/host.js";
import type { Message, ModelName } from "../../src/io/message.js";
import { formatState } from "../../src/io/state-file.js";
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

/**
 * Tracks the turns of agents: files that change on disk during a turn count as the agent's. No turn waits for it. The
 * memories are read when a turn ends, because git may rewrite the same files later and the user may commit them.
 */
export function createTurnFollower({ background, log, memories, trust }: KernelContext): Layer {
  const complain = (thrown: unknown) =>
    log.error("trust", `cannot read the memories: ${formatError(thrown)}`);
  const lookAgain = (): void => void background.add(() => memories.list()).catch(complain);
  return {
    name: "trust",
    phase: "before",
    // A fork continues to work when the session that asked for it is idle.
    servesForks: ["turn", "event"],
    handlers: {
      turn: ({ sessionID }) => void trust.turns.begin(sessionID),
      event({ properties, type }) {
        const isOver = type === "session.idle" || type === "session.deleted";
        const sessionID = isOver ? findEventSession(properties) : undefined;
        if (sessionID !== undefined) void trust.turns.end(sessionID).then(lookAgain);
      },
    },
  };
}

/** Has the index of conversations follow the sessions, behind the turn. Loads nothing before the first one has ended. */
export function createConversationsFollower(context: KernelContext) {
  const { background, log } = context;
  let opened: Promise<Feed> | undefined;
  const tell = (run: (feed: Feed) => Promise<void>): void => {
    opened ??= import("../../src/conversations/feed.js").then(({ openFeed }) => openFeed(context));
    const feed = opened;
    const complain = (thrown: unknown): void =>
      log.warn("search", `conversations are not indexed, tried again later: ${formatError(thrown)}`);
    void background.add(async () => run(await feed)).catch(complain);
  };
  const layer: Layer = {
    name: "conversations",
    phase: "before",
    handlers: {
      event: (event) =>
        void (/^session\.(idle|deleted)$/.test(event.type) && tell((feed) => feed.onEvent(event))),
    },
  };
  return {
    layer,
    /** Something of the session was taken back, and the host has these messages left. */
    onTakenBack: (sessionID: string, messages: readonly Message[]): void =>
      tell((feed) => feed.onTakenBack(sessionID, messages)),
  };
}

/** Writes behind the turn which tools were offered and called: nothing of a session depends on it. */
export function createToolUse({ clock, deferred, files, folders, host, tools }: KernelContext): Layer {
  const calls = new Map<string, Map<string, number>>();
  let model: ModelName | undefined;
  let written = "";

  return {
    name: "tool-use",
    // Before the layer that has deferred work done at the turn's end.
    phase: "after",
    servesForks: ["toolArguments"],
    handlers: {
      toolArguments({ sessionID, tool }) {
        const own = calls.get(sessionID) ?? new Map<string, number>();
        calls.set(sessionID, own.set(tool, (own.get(tool) ?? 0) + 1));
        return undefined;
      },
      modelWindow(asked) {
        model = asked.model;
      },
      event: ({ type }) => void (type === "session.idle" && deferred.add("tools", write)),
    },
    dispose: writeCalls,
  };

  async function write(): Promise<void> {
    await writeCalls();
    const offered = model && (await host.listTools?.(model));
    const text = offered && formatState({ ...offered, own: tools.map(({ name }) => name) });
    if (text === undefined || text === written) return;
    const { offeredPath } = await import("../../src/status/tool-costs.js");
    await files.writeWhole(offeredPath(folders), text);
    written = text;
  }

  async function writeCalls(): Promise<void> {
    const v = 1 as const;
    const lines = [...calls].map(([session, own]) => ({ v, session, calls: Object.fromEntries(own) }));
    calls.clear();
    if (lines.length === 0) return;
    const { openCallLog } = await import("../../src/status/tool-costs.js");
    await openCallLog(files, folders).append(clock.now(), lines);
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

export function createSyncPull(context: KernelContext): Layer {
  const { background, config, host } = context;
  let hasBegun = false;
  return {
    name: "sync",
    phase: "before",
    handlers: {
      event() {
        if (hasBegun || !config.sync.pullOnStart || !host.openRemoteGit) return;
        hasBegun = true;
        void background.add(() => pullAll(context));
      },
    },
  };
}

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

function formatPulled({ conflicts, ids }: Synced, { isOwn }: SyncConfig): string | undefined {
  if (ids.length === 0) return undefined;
  const [first = ""] = ids;
  const what = ids.length === 1 ? first : `${first} and ${ids.length - 1} more memories`;
  const from = isOwn ? "from another machine of yours" : "from others; /memory-trust accepts them";
  const open = conflicts.length > 0 ? `; ${conflicts.length} in conflict, settle with strata reconcile` : "";
  return `${what} came ${from}${open}`;
}
