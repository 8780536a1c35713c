/**
 * Layer 6: memory is tidied in the background, while nobody is at work. By rules first, at no cost; then, where a model
 * may be asked, what the rules leave.
 *
 *     a turn has ended   after a quiet while, the gates, the cheapest first; then a dream, which nobody waits for
 *     /dream             now, whatever the gates say
 *     /memory-undo       takes back what was last done to memory: a dream, or a single change
 */

import { createAskModel } from "../../src/dream/ask-model.js";
import { createDreams, type DreamOutcome, type RunOptions } from "../../src/dream/dream.js";
import { formatCounts } from "../../src/dream/dreams-page.js";
import type { DreamState } from "../../src/dream/state.js";
import { formatUndone, takeBack } from "../../src/dream/take-back.js";
import { formatError } from "../../src/error.js";
import type { LayerFactory } from "../../src/layer-context.js";
import { findSecrets } from "../../src/memory/secrets.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { findObstacle, type GateFacts, planBackoff } from "./gates.js";

const LAYER = "dream";
/** Of the time a dream may take: what the rules find is done even if the model never answers. */
const MODELS_SHARE = 0.8;
/** Somebody who reads the answer is about to write the next message. */
const QUIET_MS = 20_000;
/** A person who asks for a dream waits so long for what came of it; the rest goes on behind. */
const ANSWER_WITHIN_MS = 4_000;

export const createDream: LayerFactory = (context) => {
  const { background, clock, config, folders, instances, log, memories } = context;
  if (!config.dream.enabled || !config.autoMemory.enabled) return undefined;
  const dreams = createDreams({ ...context, check: { findFault } });
  const busy = new Set<string>();
  const end = new AbortController();
  let cancel = (): void => {};
  let running: Promise<DreamOutcome> | undefined;

  return {
    name: LAYER,
    cost: 6,
    handlers: {
      turn({ sessionID }) {
        busy.add(sessionID);
        cancel();
        return undefined;
      },

      event({ type, properties: { sessionID } }) {
        if (type !== "session.idle" || typeof sessionID !== "string") return undefined;
        busy.delete(sessionID);
        cancel();
        cancel = clock.after(QUIET_MS, () => void background.add(() => consider(sessionID)));
        return undefined;
      },
    },
    commands: [
      {
        name: "dream",
        description: "Strata: tidies the memories of this project now",
        execute: ({ sessionID }) => dreamByHand(sessionID),
      },
      {
        name: "memory-undo",
        description: "Strata: takes back what was last done to memory",
        execute: ({ sessionID }) => undo(sessionID),
      },
    ],
    async dispose() {
      cancel();
      end.abort();
    },
  };

  /** Never rejects: runs behind a turn that has ended. */
  async function consider(sessionID: string): Promise<void> {
    try {
      const state = await dreams.state();
      const why = findEarlyObstacle(state) ?? (await findLateObstacle(state));
      if (why !== undefined) {
        log.debug(LAYER, `no dream: ${why}`);
        return;
      }
      // What another instance has done since is seen once the lock is held.
      const outcome = await run(sessionID, { findObstacle: (now) => findObstacle(readFacts(now)) });
      tell(outcome);
    } catch (thrown) {
      log.error(LAYER, formatError(thrown));
    }
  }

  /** What can be told without a look at the memories. */
  function findEarlyObstacle(state: DreamState): string | undefined {
    return findObstacle({ ...readFacts(state), changed: Number.POSITIVE_INFINITY });
  }

  async function findLateObstacle(state: DreamState): Promise<string | undefined> {
    await memories.list();
    return findObstacle({ ...readFacts(state), isBusy: await isBusy() });
  }

  function readFacts({ failures, lastFailureMs, lastSuccessMs }: DreamState): GateFacts {
    const nowMs = clock.now();
    // A time that is still to come was written by a clock that went wrong, or by hand: it says nothing.
    const sinceMs = lastSuccessMs === undefined || lastSuccessMs > nowMs ? 0 : lastSuccessMs;
    const isFresh = (updatedMs: number): boolean => updatedMs > sinceMs && updatedMs <= nowMs;
    const changed = memories.known().filter(({ updated }) => isFresh(Date.parse(updated))).length;
    const { interval: intervalMs } = config.dream;
    return { nowMs, intervalMs, lastSuccessMs, lastFailureMs, failures, changed, isBusy: false };
  }

  async function isBusy(): Promise<boolean> {
    if (busy.size > 0) return true;
    const living = await instances.living();
    return living.some(
      ({ id, sessions }) => id !== instances.ownID && sessions.some(({ state }) => state === "busy"),
    );
  }

  /** One at a time here; other instances are kept out by the lock. */
  async function run(sessionID: string, options: Partial<RunOptions>): Promise<DreamOutcome> {
    running ??= start(sessionID, options).finally(() => {
      running = undefined;
    });
    return running;
  }

  async function start(sessionID: string, options: Partial<RunOptions>): Promise<DreamOutcome> {
    const { maxRuntime, maxTokens } = config.dream;
    const deadlineMs = Math.floor(maxRuntime * MODELS_SHARE);
    const askModel = createAskModel({ ...context, sessionID, maxTokens, deadlineMs });
    const state = await dreams.state();
    return dreams.run({
      maxRuntimeMs: maxRuntime,
      signal: end.signal,
      ...(mayAskModel(state, clock.now()) && { askModel }),
      ...options,
    });
  }

  async function dreamByHand(sessionID: string): Promise<string> {
    const dreaming = run(sessionID, {});
    const waited = await waitAtMost(clock, ANSWER_WITHIN_MS, () => dreaming);
    if (waited.kind === "done") return formatOutcome(waited.value, folders.memory);
    if (waited.kind === "failed") throw waited.thrown;
    void dreaming.then(tellByHand).catch((thrown) => log.error(LAYER, formatError(thrown)));
    return "A small model looks at memories that are alike; that takes a minute or more. Go on meanwhile: a message says when it is done.";
  }

  async function undo(session: string): Promise<string> {
    return formatUndone(await takeBack(context, { session }));
  }

  /** Somebody waits for it: that there was nothing to do is told as well. */
  function tellByHand(outcome: DreamOutcome): void {
    if (outcome.kind === "done" && outcome.report.changes.length > 0) tell(outcome);
    else context.toasts.show(formatOutcome(outcome, folders.memory), "info");
  }

  function tell(outcome: DreamOutcome): void {
    if (outcome.kind !== "done" || outcome.report.changes.length === 0) return;
    context.toasts.show(`memory was tidied: ${formatCounts(outcome.report.changes)}`, "info");
  }
};

/** Words that may not be kept, whoever words them. */
function findFault(content: string): string | undefined {
  const [found] = findSecrets(content);
  return found && `it holds a secret (${found.name})`;
}

/** After a failure of its part the model is left alone for a while; the rules go on. */
function mayAskModel({ lastModelFailureMs, modelFailures }: DreamState, nowMs: number): boolean {
  if (modelFailures === 0 || lastModelFailureMs === undefined || lastModelFailureMs > nowMs) return true;
  return nowMs - lastModelFailureMs >= planBackoff(modelFailures);
}

function formatOutcome(outcome: DreamOutcome, folder: string): string {
  if (outcome.kind === "refused" || outcome.kind === "failed") return `No dream: ${outcome.why}.`;
  const { changes, findings } = outcome.report;
  const look = findings.length > 0 ? [`${findings.length} to look at`] : [];
  const more =
    changes.length + findings.length > 0
      ? [`${folder}/DREAMS.md has the whole; /memory-undo takes it back`]
      : [];
  return [formatCounts(changes), ...look, ...more].join("\n");
}
