/**
 * Layer 6: tidies memory in the background while all sessions are idle. Rules come first, without a model call; a model may
 * then look at what they leave over.
 *
 *     a turn has ended   after a quiet period, renews facts from their files; checks the gates; then dreams in the
 *                        background
 *     /dream             dreams now, whatever the gates say
 *     /memory-undo       undoes the last change of memory: a dream or a single change
 */

import { formatError } from "../../src/base/error.js";
import { byUserOrHigher, byUserOrLower, enabled, type Values, whole } from "../../src/config/setting.js";
import { waitAtMost } from "../../src/io/clock.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import type { Proof } from "../../src/kernel/proof.js";
import { type DreamState, readDreamState } from "../../src/project/dream-state.js";
import type { DreamOutcome, RunOptions } from "./dream.js";
import { findObstacle } from "./gates.js";

const LAYER = "dream";
/** Users need this time to read the answer before they write again. */
const QUIET_MS = 20_000;
/** How long `/dream` waits for the outcome; then the dream continues in the background. */
const ANSWER_WITHIN_MS = 4_000;

const settings = {
  dream: {
    enabled: enabled("Layer 6: memory is tidied in the background."),
    interval: byUserOrHigher(
      whole(60_000, 2_592_000_000),
      3_600_000,
      "Minimum number of milliseconds between two automatic dreams.",
    ),
    maxRuntime: byUserOrLower(whole(1_000, 3_600_000), 600_000, "Milliseconds that one dream may take."),
  },
};

declare module "../../src/config/schema.js" {
  interface Config extends Values<typeof settings> {}
}

const TWICE =
  "---\ntitle: A bell that rings when the tests are done.\n---\nA bell that rings when the tests are done.\n";
const PAGE = ".opencode/memory/DREAMS.md";

const proof: Proof = {
  files: { ".opencode/memory/idea/bell.md": TWICE, ".opencode/memory/idea/bell-again.md": TWICE },
  command: "dream",
  leaves: PAGE,
  acted: ({ paths }) => (paths.includes(PAGE) ? "a duplicate archived" : undefined),
};

export const dream: LayerDefinition = {
  name: LAYER,
  settings,
  needs: "autoMemory",
  files: [
    { path: ".opencode/memory/DREAMS.md" },
    { path: ".opencode/memory/private/DREAMS.md" },
    { path: ".opencode/strata/state/dream.json" },
    {
      path: ".opencode/strata/removed/<id>",
      expiry: { what: "what a dream put away a month ago", days: 30, atStart: true },
    },
  ],
  proof,
  create,
};

/** Loaded with the first dream: most processes end before it. */
const load = () => import("./dream.js");

function create(context: LayerContext): LayerParts {
  const { background, clock, files, folders, instances, log, toasts } = context;
  /** Sessions with a turn that has not ended. */
  const busy = new Set<string>();
  const end = new AbortController();
  let cancel = (): void => {};
  let running: Promise<DreamOutcome> | undefined;

  return {
    handlers: {
      turn({ sessionID }) {
        busy.add(sessionID);
        cancel();
      },

      event({ type, properties: { sessionID } }) {
        if (type !== "session.idle" || typeof sessionID !== "string") return;
        busy.delete(sessionID);
        cancel();
        cancel = clock.after(QUIET_MS, () => void background.add(() => consider(sessionID)));
      },
    },
    commands: [
      {
        name: "dream",
        description: "Strata: tidy the memories of this project now",
        execute: ({ sessionID }) => dreamByHand(sessionID),
      },
    ],
    async dispose() {
      cancel();
      end.abort();
    },
  };

  async function consider(sessionID: string): Promise<void> {
    try {
      const { formatNews, renewFacts } = await load();
      await renewFacts(context);
      const state = await readDreamState(files, folders.dreamState);
      const why = findObstacle(context, state, await isBusy());
      if (why !== undefined) return log.debug(LAYER, `no dream: ${why}`);
      // Checked again under the lock, because another instance may have dreamt meanwhile.
      const findKnown = (state: DreamState) => findObstacle(context, state, false);
      const news = formatNews(await run(sessionID, { findObstacle: findKnown }));
      if (news !== undefined) toasts.show(news, "info");
    } catch (thrown) {
      log.error(LAYER, formatError(thrown));
    }
  }

  async function isBusy(): Promise<boolean> {
    const others = (await instances.living()).filter(({ id }) => id !== instances.ownID);
    return busy.size > 0 || others.some(({ sessions }) => sessions.some(({ state }) => state === "busy"));
  }

  /** One at a time in this process; the lock keeps out other instances. */
  function run(sessionID: string, options: Pick<RunOptions, "findObstacle">): Promise<DreamOutcome> {
    running ??= load()
      .then(({ dreamInSession }) => dreamInSession(context, { sessionID, signal: end.signal, ...options }))
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  async function dreamByHand(sessionID: string): Promise<string> {
    const { formatNews, formatOutcome } = await load();
    const format = (outcome: DreamOutcome): string => formatOutcome(outcome, folders.memory);
    const dreaming = run(sessionID, {});
    const waited = await waitAtMost(clock, ANSWER_WITHIN_MS, () => dreaming);
    if (waited.kind === "done") return format(waited.value);
    if (waited.kind === "failed") throw waited.thrown;
    void dreaming
      .then((outcome) => toasts.show(formatNews(outcome) ?? format(outcome), "info"))
      .catch((thrown) => log.error(LAYER, formatError(thrown)));
    return "A small model is comparing similar memories, which takes a minute or more. You can carry on; a message appears when it is done.";
  }
}
