/**
 * Layer 1: large tool results go to a file, a preview stays in the context. Costs no model call.
 *
 * A result that is seen for the first time is judged, together with the other results of the same answer, and what is
 * decided, to go or to stay, is recorded before the request is sent and never decided again:
 *
 *     judge → write the file → record the decision → show the preview
 *
 * Whatever fails on the way, or takes too long, leaves the original in the context. The host's stored messages are
 * never changed.
 */
import { basename } from "node:path";
import PQueue from "p-queue";
import { formatError } from "../../src/error.js";
import type { LayerFactory } from "../../src/layer-context.js";
import { waitAtMost } from "../../src/seams/clock.js";
import type { ContextRequest } from "../../src/view/request.js";
import { isResultPath } from "../../src/view/result-files.js";
import { createJudge, isUndecided } from "./judge.js";
import { createReporter } from "./reporter.js";
import { type Answer, findAnswers, LAYER, type Result } from "./results.js";
import { createSweep } from "./sweep.js";

/** How long a turn waits for new results to be judged; well below the hook's own deadline. */
const JUDGE_WITHIN_MS = 2_000;
/** Answers at a time, of the hundreds that a long session may bring at the first start with this plugin. */
const JUDGED_AT_A_TIME = 8;

export const createToolResults: LayerFactory = (context) => {
  const { background, clock, config, decisions, folders, log } = context;
  if (!config.toolResults.enabled) return undefined;
  const judge = createJudge({ ...context, reporter: createReporter(context) });
  const sweep = createSweep(context);
  let hasSwept = false;

  return {
    name: LAYER,
    cost: 1,
    servesForks: ["context", "toolArguments"],
    handlers: {
      async context(request) {
        const answers = findAnswers(request.history, request.shownFrom());
        const open = answers.filter(({ results }) => results.some(isUndecided(request)));
        if (open.length === 0) return undefined;
        await decide(request, open);
        const hasMoved = ({ key }: Result) => request.find(key)?.judged?.text !== undefined;
        return open.some(({ results }) => results.some(hasMoved)) ? request.show() : undefined;
      },

      /** The host's Grep finds nothing in a file that git ignores when `path` names the file itself. */
      toolArguments({ tool }, args) {
        const { path } = args;
        if (tool !== "grep" || typeof path !== "string" || !isResultPath(path)) return undefined;
        return { ...args, path: folders.toolResults, include: basename(path) };
      },

      event() {
        if (hasSwept) return undefined;
        hasSwept = true;
        void background.add(() =>
          sweep().catch((thrown) => log.warn(LAYER, `sweep: ${formatError(thrown)}`)),
        );
        return undefined;
      },
    },
  };

  /** Afterwards as much is decided as there was time for, and what was not stays as it is about to be sent. */
  async function decide(request: ContextRequest, open: readonly Answer[]): Promise<void> {
    const waited = await waitAtMost(clock, JUDGE_WITHIN_MS, async (signal) => {
      const lanes = new PQueue({ concurrency: JUDGED_AT_A_TIME });
      await lanes.addAll(open.map((answer) => () => judge(request, answer, signal)));
    });
    if (waited.kind === "done") return;
    const why =
      waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${JUDGE_WITHIN_MS} ms`;
    const left = open.flatMap(({ results }) => results).filter(isUndecided(request));
    // Of a day whose records are not known yet nothing is known, not even that it is undecided.
    const sent = left.filter(({ day }) => decisions.isLoaded(day));
    for (const { key } of sent) decisions.remember(request.sessionID, { key, outcome: "kept" });
    log.error(LAYER, `cannot judge ${left.length} results in time, they stay: ${why}`);
  }
};
