/**
 * Layer 6: tidies memory in the background, while nobody is at work. By rules first, at no cost; then a model may look
 * at what the rules leave.
 *
 *     a turn has ended   after a quiet while, the gates, the cheapest first; then a dream in the background
 *     /dream             now, whatever the gates say
 *     /memory-undo       undoes the last change of memory: a dream, or a single one
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
/** A user who reads the answer is about to write the next message. */
const QUIET_MS = 20_000;
/** How long `/dream` waits for the outcome; after that the dream goes on in the background. */
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
  const { background, clock, log, toasts } = context;
  const due = createDue(context);
  const end = new AbortController();
  let cancel = (): void => {};
  let running: Promise<DreamOutcome> | undefined;
  let isLaterTold = false;
  let opening: Promise<Dreamer> | undefined;

  /** Most processes end before the first dream: its modules are loaded with it. */
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

  /** Never rejects: runs in the background. */
  async function consider(sessionID: string): Promise<void> {
    try {
      const dreamer = await open();
      const state = await dreamer.state();
      if (state.later !== undefined) return tellLater(state.later);
      const why = await due.findObstacle(state);
      if (why !== undefined) {
        log.debug(LAYER, `no dream: ${why}`);
        return;
      }
      // What another instance did meanwhile shows once the lock is held.
      const outcome = await run(dreamer, sessionID, { findObstacle: due.findKnownObstacle });
      const news = formatNews(outcome, dreamer);
      if (news !== undefined) toasts.show(news, "info");
    } catch (thrown) {
      log.error(LAYER, formatError(thrown));
    }
  }

  function tellLater(why: string): void {
    if (!isLaterTold) log.warn(LAYER, `no dream: ${why}`);
    isLaterTold = true;
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
    return "A small model looks at memories that are alike; that takes a minute or more. Go on meanwhile: a message says when it is done.";
  }
}

/** What a person is told of a dream unasked: nothing where it changed nothing. */
function formatNews(outcome: DreamOutcome, { formatChanges }: Dreamer): string | undefined {
  if (outcome.kind !== "done" || outcome.report.changes.length === 0) return undefined;
  return `memory was tidied: ${formatChanges(outcome.report.changes)}`;
}
