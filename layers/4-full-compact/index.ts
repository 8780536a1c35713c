/**
 * Layer 4: when there is too much history, notes take its place. Costs no model call; the host's own compaction, which
 * does, is the last resort.
 *
 *     context      too many tokens, although cheaper layers have done what they can: cut the history at a message and
 *                  show the session notes for all before it; the tail stays verbatim
 *     compacting   the host compacts all the same: our instruction, with nine sections, and of a history that is too
 *                  long to be summarised the notes and the end
 *     compacted    its summary is checked by code; what it leaves out is appended, what it is useless for replaced
 *     takenBack    notes and summaries without what the user has taken back since they were made
 *     turn         the host summarises by itself only while the breakers of all sessions at work are closed
 *     event        what became of it all, for the breaker
 */
import { formatError } from "../../src/error.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import { waitAtMost } from "../../src/seams/clock.js";
import type { ContextRequest } from "../../src/view/request.js";
import { createBreakers } from "./breakers.js";
import { createCompactNotes } from "./compact-notes.js";
import { createCutter } from "./cutter.js";
import { defaults } from "./defaults.js";
import { createRepairer } from "./repairer.js";
import { createReviser } from "./reviser.js";
import { createShortener } from "./shortener.js";
import { formatMustHave } from "./summary.js";
import { createCompactionWatch } from "./watch.js";

const LAYER = "full-compact";
/** How long the host waits for its own messages to be read, before it summarises by what is known. */
const FOLLOW_WITHIN_MS = 1_000;

export const fullCompact: LayerDefinition = {
  name: LAYER,
  cost: 4,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files: [{ path: ".opencode/strata/state/breakers/<id>.json" }],
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, clock, log, notes, prompts, toasts } = context;
  const breakers = createBreakers(context);
  const cut = createCutter({ ...context, breakers });
  const repair = createRepairer({ ...context, breakers });
  const revise = createReviser(context);
  const shorten = createShortener(context);
  const watch = createCompactionWatch({ ...context, breakers });

  return {
    isLastResort: true,
    withinMs: { context: 2_000, compacted: 2_000, takenBack: 2_000 },
    passedOver: { context: tellUncut },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction) return shorten(request, messages);
        if (!request.isReady()) return undefined;
        if (await cut(request, messages, signal)) return request.show();
        tellUncut(request, "too little would have left the context");
        return undefined;
      },

      async compacting({ sessionID }) {
        watch.begin(sessionID);
        const prompt = await prompts.read("compaction");
        await waitAtMost(clock, FOLLOW_WITHIN_MS, () => notes.followHost(sessionID));
        const facts = notes.facts(sessionID);
        return facts ? `${prompt}\n${formatMustHave(facts)}` : prompt;
      },

      async compacted(request, _nothing, signal) {
        await repair(request, signal);
        return undefined;
      },

      takenBack: (request, withdrawal) => withdrawal && revise(request, withdrawal),

      async turn({ sessionID }) {
        await breakers.apply(sessionID);
        return undefined;
      },

      modelWindow({ sessionID, window }) {
        watch.noteWindow(sessionID, window);
        return undefined;
      },

      event(event) {
        // At once, before the next turn begins; only its end is waited for in the background.
        const heard = watch
          .hear(event)
          .catch((thrown) => log.error(LAYER, `event ${event.type}: ${formatError(thrown)}`));
        void background.add(() => heard);
        return undefined;
      },
    },

    commands: [createCompactNotes(context)],

    async dispose() {
      watch.end();
    },
  };

  function tellUncut({ isCutWanted }: ContextRequest, why = "it failed or took too long"): void {
    if (isCutWanted) toasts.show(`/compact-notes changed nothing: ${why}.`, "info");
  }
}
