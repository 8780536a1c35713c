/**
 * Layer 6: memory is tidied in the background, while nobody is at work. By rules first, at no cost; then, where a model
 * may be asked, what the rules leave.
 *
 *     a turn has ended   after a quiet while, the gates, the cheapest first; then a dream, which nobody waits for
 *     /dream             now, whatever the gates say
 *     /memory-undo       takes back what was last done to memory: a dream, or a single change
 */

import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import type { DreamState } from "../../src/record/dream-state.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { defaults } from "./defaults.js";
import type { DreamOutcome, RunOptions } from "./dream.js";
import type { Dreamer } from "./dreamer.js";
import { files } from "./files.js";
import { findObstacle, type GateFacts } from "./gates.js";

const LAYER = "dream";
/** Somebody who reads the answer is about to write the next message. */
const QUIET_MS = 20_000;
/** A person who asks for a dream waits so long for what came of it; the rest goes on behind. */
const ANSWER_WITHIN_MS = 4_000;

export const dream: LayerDefinition = {
  name: LAYER,
  cost: 6,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  needs: "autoMemory",
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, clock, config, instances, log, memories, toasts } = context;
  const busy = new Set<string>();
  const end = new AbortController();
  let cancel = (): void => {};
  let running: Promise<DreamOutcome> | undefined;
  let isLaterTold = false;
  let opening: Promise<Dreamer> | undefined;

  /** Most processes end before the first dream: what it takes is loaded with it. */
  function open(): Promise<Dreamer> {
    opening ??= import("./dreamer.js").then(({ createDreamer }) => createDreamer(context, end.signal));
    return opening;
  }

  return {
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
        execute: async ({ sessionID }) => (await open()).undo(sessionID),
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
      const dreamer = await open();
      const state = await dreamer.state();
      if (state.later !== undefined) return tellLater(state.later);
      const why = findEarlyObstacle(state) ?? (await findLateObstacle(state));
      if (why !== undefined) {
        log.debug(LAYER, `no dream: ${why}`);
        return;
      }
      // What another instance has done since is seen once the lock is held.
      tell(await run(dreamer, sessionID, { findObstacle: (now) => findObstacle(readFacts(now)) }), dreamer);
    } catch (thrown) {
      log.error(LAYER, formatError(thrown));
    }
  }

  function tellLater(why: string): void {
    if (!isLaterTold) log.warn(LAYER, `no dream: ${why}`);
    isLaterTold = true;
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
    const changed = memories
      .known()
      .filter(({ isForeign, updated }) => !isForeign && isFresh(Date.parse(updated))).length;
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
  function run(dreamer: Dreamer, sessionID: string, options: Partial<RunOptions>): Promise<DreamOutcome> {
    running ??= dreamer.dream(sessionID, options).finally(() => {
      running = undefined;
    });
    return running;
  }

  async function dreamByHand(sessionID: string): Promise<string> {
    const dreamer = await open();
    const dreaming = run(dreamer, sessionID, {});
    const waited = await waitAtMost(clock, ANSWER_WITHIN_MS, () => dreaming);
    if (waited.kind === "done") return dreamer.format(waited.value);
    if (waited.kind === "failed") throw waited.thrown;
    void dreaming
      .then((outcome) => tellByHand(outcome, dreamer))
      .catch((thrown) => log.error(LAYER, formatError(thrown)));
    return "A small model looks at memories that are alike; that takes a minute or more. Go on meanwhile: a message says when it is done.";
  }

  /** Somebody waits for it: that there was nothing to do is told as well. */
  function tellByHand(outcome: DreamOutcome, dreamer: Dreamer): void {
    if (outcome.kind === "done" && outcome.report.changes.length > 0) tell(outcome, dreamer);
    else toasts.show(dreamer.format(outcome), "info");
  }

  function tell(outcome: DreamOutcome, { formatChanges }: Dreamer): void {
    if (outcome.kind !== "done" || outcome.report.changes.length === 0) return;
    toasts.show(`memory was tidied: ${formatChanges(outcome.report.changes)}`, "info");
  }
}
