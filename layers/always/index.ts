/** The parts that are always active beside the seven layers: those asked before the layers, then those asked after. */
import { formatError } from "../../src/base/error.js";
import type { ContextRequest } from "../../src/context/request.js";
import { waitAtMost } from "../../src/io/clock.js";
import { DERIVED_MS } from "../../src/io/deferred.js";
import { removeExpired, stateFolderFiles } from "../../src/kernel/file-kinds.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import { createBreakWatch } from "./break-watch.js";
import {
  createConversationsFollower,
  createSyncPull,
  createToolUse,
  createTurnFollower,
} from "./followers.js";
import { createRequestUsage } from "./request-usage.js";
import { createScreen } from "./screen.js";
import { createSteering } from "./steering/steering.js";
import { createTakenBack } from "./taken-back/taken-back.js";
import { createView } from "./view.js";

/** How long the page of `/memory` waits for what the last request has left to write. */
const PAGE_WAITS_MS = 1_000;

export function createAlways(context: KernelContext): readonly Layer[] {
  const { clock, config, deferred, family, looks, news } = context;
  const screen = createScreen(context);
  const breaks = createBreakWatch(context);
  const conversations = createConversationsFollower(context);
  const takenBack = createTakenBack({
    ...context,
    explain: breaks.explain,
    onMessages: conversations.onTakenBack,
  });
  const steering = createSteering(context);
  return [
    // First: all others may ask them.
    {
      name: "family",
      phase: "before",
      servesForks: ["event"],
      handlers: { event: (event) => void [family.onEvent(event), news.onEvent(event)] },
    },
    {
      name: "looks",
      phase: "before",
      servesForks: ["turn", "context"],
      handlers: { turn: () => void looks.begin("message"), context: () => void looks.open() },
    },
    createReplay(context),
    takenBack.learns,
    createView({ ...context, breaks, usage: createRequestUsage({ ...context, screen }) }),
    // Once the view has compared the request with the last one.
    steering.applies,
    ...(config.autoMemory.enabled ? [createTurnFollower(context)] : []),
    createToolUse(context),
    conversations.layer,
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

/** Shows wrong settings with the first turn: a screen that opens slowly misses what a start says. */
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

function createReplay({ clock, decisions, log, looks }: KernelContext): Layer {
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
      compacted: async (request) => void (await read(request)),
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
      () => decisions.load(days, { again, stat: looks.stat }),
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
 * in the background once the first turn has ended, or a moment after the host's first event.
 *
 * A session is removed when the process that opened it has ended. If that process seems to run (another live instance, or
 * a reused process id), it is removed once it is unused for far longer than any call may take.
 */

const UNUSED_MS = 10 * 60_000;
const TRIES = 3;
const TRY_AGAIN_MS = 10_000;

function createHousekeeping(context: KernelContext): Layer {
  const { background, clock, deferred, fileKinds, files, folders, host, log } = context;
  let hasBegun = false;

  return {
    name: "background",
    phase: "before",
    handlers: {
      event() {
        if (hasBegun) return;
        hasBegun = true;
        deferred.add("housekeeping", clean, DERIVED_MS);
      },
    },
  };

  async function clean(): Promise<void> {
    await removeAbandoned(TRIES);
    const world = { clock, files, folders, processes: host.processes };
    const complain = (thrown: unknown): void =>
      log.warn("background", `cannot remove expired files: ${formatError(thrown)}`);
    await removeExpired(world, fileKinds, complain);
    await removeExpired({ ...world, root: host.stateFolder }, stateFolderFiles, complain);
  }

  async function removeAbandoned(tries: number): Promise<void> {
    const sessions = tries > 0 ? await host.listOwnSessions() : [];
    if (!sessions)
      return void clock.after(TRY_AGAIN_MS, () => void background.add(() => removeAbandoned(tries - 1)));
    const abandoned = sessions.filter(
      ({ openedBy, updatedMs }) => openedBy === "ended" || clock.now() - updatedMs > UNUSED_MS,
    );
    let removed = 0;
    for (const { id } of abandoned) if (await host.removeSession(id)) removed++;
    if (removed > 0) log.info("background", `removed ${removed} leftover sessions of the plugin`);
    if (removed < abandoned.length)
      log.warn("background", `cannot remove ${abandoned.length - removed} leftover sessions of the plugin`);
  }
}
