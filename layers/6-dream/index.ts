/**
 * Layer 6: tidies memory in the background while all sessions are idle. Rules come first, without a model call; a model may
 * then look at what they leave over.
 *
 *     a turn has ended   after a quiet period, renews facts from their files; checks the gates, cheapest first; then
 *                        dreams in the background
 *     /dream             dreams now, whatever the gates say
 *     /memory-undo       undoes the last change of memory: a dream or a single change
 */
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { defaults } from "./defaults.js";
import type { DreamOutcome, RunOptions } from "./dream.js";
import type { Dreamer } from "./dreamer.js";
import { createDue } from "./due.js";
import { files } from "./files.js";

const LAYER = "dream";
/** Users need this time to read the answer before they write again. */
const QUIET_MS = 20_000;
/** How long `/dream` waits for the outcome; then the dream continues in the background. */
const ANSWER_WITHIN_MS = 4_000;

export const dream: LayerDefinition = {
  name: LAYER,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  needs: "autoMemory",
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, clock, log, toasts } = context;
  const due = createDue(context);
  const end = new AbortController();
  let cancel = (): void => {};
  let running: Promise<DreamOutcome> | undefined;
  let opening: Promise<Dreamer> | undefined;

  /** Loads the modules with the first dream: most processes end before it. */
  function open(): Promise<Dreamer> {
    opening ??= import("./dreamer.js").then(({ createDreamer }) => createDreamer(context, end.signal));
    return opening;
  }

  return {
    handlers: {
      turn({ sessionID }) {
        due.note(sessionID, "busy");
        cancel();
        return undefined;
      },

      event({ type, properties: { sessionID } }) {
        if (type !== "session.idle" || typeof sessionID !== "string") return undefined;
        due.note(sessionID, "idle");
        cancel();
        cancel = clock.after(QUIET_MS, () => void background.add(() => consider(sessionID)));
        return undefined;
      },
    },
    commands: [
      {
        name: "dream",
        description: "Strata: tidy the memories of this project now",
        execute: ({ sessionID }) => dreamByHand(sessionID),
      },
      {
        name: "memory-undo",
        description: "Strata: undo the last change of memory",
        execute: async ({ sessionID }) => (await open()).undo(sessionID),
      },
    ],
    async dispose() {
      cancel();
      end.abort();
    },
  };

  /** Never rejects: runs in the background. */
  async function consider(sessionID: string): Promise<void> {
    try {
      const dreamer = await open();
      await dreamer.renewFacts();
      const state = await dreamer.state();
      const why = await due.findObstacle(state);
      if (why !== undefined) {
        log.debug(LAYER, `no dream: ${why}`);
        return;
      }
      // Checked again under the lock, because another instance may have dreamt meanwhile.
      const outcome = await run(dreamer, sessionID, { findObstacle: due.findKnownObstacle });
      const news = formatNews(outcome, dreamer);
      if (news !== undefined) toasts.show(news, "info");
    } catch (thrown) {
      log.error(LAYER, formatError(thrown));
    }
  }

  /** One at a time in this process; the lock keeps out other instances. */
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
      .then((outcome) => toasts.show(formatNews(outcome, dreamer) ?? dreamer.format(outcome), "info"))
      .catch((thrown) => log.error(LAYER, formatError(thrown)));
    return "A small model is comparing similar memories, which takes a minute or more. You can carry on; a message appears when it is done.";
  }
}

/** The toast after a dream; `undefined` if the dream changed nothing. */
function formatNews(outcome: DreamOutcome, { formatChanges }: Dreamer): string | undefined {
  if (outcome.kind !== "done" || outcome.report.changes.length === 0) return undefined;
  return `memory tidied: ${formatChanges(outcome.report.changes)}`;
}
