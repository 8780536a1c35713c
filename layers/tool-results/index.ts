/**
 * Layer 1: large tool results go to a file, a preview stays in the context. Costs no model call.
 *
 * Applied in the view: before each request the recorded previews take the place of the results they were made for.
 * A result that is seen for the first time is judged, together with the other results of the same answer, and what is
 * decided, to go or to stay, is recorded before the request is sent and never decided again:
 *
 *     judge → write the file → record the decision → show the preview
 *
 * Whatever fails on the way, or takes too long, leaves the original in the context; what was decided earlier is shown
 * all the same. The host's stored messages are never changed.
 */
import { basename } from "node:path";
import PQueue from "p-queue";
import { formatError } from "../../src/error.js";
import type { LayerFactory } from "../../src/layer-context.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { type Part, withParts, withResultText } from "../../src/view/message.js";
import { createFileKeeper } from "./file-keeper.js";
import { createJudge, LAYER } from "./judge.js";
import { createReporter } from "./reporter.js";
import { createResultFiles, isResultPath } from "./result-files.js";
import { type Answer, findAnswers, type Result } from "./results.js";
import { createSweep } from "./sweep.js";

/** How long a turn waits for new results to be judged; well below the hook's own deadline. */
const JUDGE_WITHIN_MS = 2_000;
/** Answers at a time, of the hundreds that a long session may bring at the first start with this plugin. */
const JUDGED_AT_A_TIME = 8;

export const createToolResults: LayerFactory = (context) => {
  const { background, clock, config, decisions, files, folders, log } = context;
  if (!config.toolResults.enabled) return undefined;
  const resultFiles = createResultFiles({ files, clock, folder: folders.toolResults });
  const judge = createJudge({ ...context, resultFiles, reporter: createReporter(context) });
  const keeper = createFileKeeper({ ...context, resultFiles });
  const sweep = createSweep(context);
  let hasSwept = false;

  return {
    name: LAYER,
    cost: 1,
    handlers: {
      async context({ sessionID }, messages) {
        const answers = findAnswers(messages);
        if (answers.length === 0) return undefined;
        await decide(sessionID, answers);
        const parts = new Map<Part, Part>();
        for (const result of answers.flatMap(({ results }) => results)) {
          const decision = decisions.find(result.key);
          if (decision?.text === undefined) continue;
          parts.set(result.part, withResultText(result.part, decision.text));
          keeper.keep(sessionID, result, decision);
        }
        return parts.size > 0 ? withParts(messages, parts) : undefined;
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
  async function decide(sessionID: string, answers: readonly Answer[]): Promise<void> {
    const waited = await waitAtMost(clock, JUDGE_WITHIN_MS, async (signal) => {
      await learn(answers.flatMap(({ results }) => results));
      // What was learned too late is not judged as well: the next request will show it.
      signal.throwIfAborted();
      const open = answers.filter(({ results }) => results.some(isUndecided));
      const lanes = new PQueue({ concurrency: JUDGED_AT_A_TIME });
      await lanes.addAll(open.map((answer) => () => judge(sessionID, answer, signal)));
    });
    if (waited.kind === "done") return;
    const why =
      waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${JUDGE_WITHIN_MS} ms`;
    const open = answers.flatMap(({ results }) => results).filter((result) => isUndecided(result));
    // Of a day whose records are not known yet nothing is known, not even that it is undecided.
    const sent = open.filter(({ day }) => decisions.isLoaded(day));
    for (const { key } of sent) decisions.remember(sessionID, { key, outcome: "kept" });
    log.error(LAYER, `cannot judge ${open.length} results in time, they stay: ${why}`);
  }

  function isUndecided({ key }: Result): boolean {
    return decisions.find(key) === undefined;
  }

  /** Knows afterwards what has been recorded about these results, by this instance or another. */
  async function learn(results: readonly Result[]): Promise<void> {
    try {
      await decisions.load(results.map(({ day }) => day));
      const open = results.filter(isUndecided).map(({ day }) => day);
      if (open.length > 0) await decisions.load([], open);
    } catch (thrown) {
      // Not to know them costs at worst a second record of the same; the next request tries again.
      log.error(LAYER, `cannot read what was decided earlier: ${formatError(thrown)}`);
    }
  }
};
