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
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import type { ContextRequest } from "../../src/view/request.js";
import { isResultPath } from "../../src/view/result-files.js";
import { defaults } from "./defaults.js";
import { files } from "./files.js";
import { createDecideResults, isUndecided } from "./decide-results.js";
import { createReporter } from "./reporter.js";
import { type Answer, findAnswers, LAYER, type Result } from "./results.js";
import { createSweep } from "./sweep.js";

/** Answers at a time, of the hundreds that a long session may bring at the first start with this plugin. */
const ANSWERS_AT_A_TIME = 8;

export const toolResults: LayerDefinition = {
  name: LAYER,
  cost: 1,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { background, decisions, folders, log } = context;
  const judge = createDecideResults({ ...context, reporter: createReporter(context) });
  const sweep = createSweep(context);
  let hasSwept = false;

  return {
    servesForks: ["context", "toolArguments"],
    withinMs: { context: 2_000 },
    passedOver: { context: keepOpen },
    handlers: {
      async context(request, _messages, signal) {
        const open = findOpen(request);
        if (open.length === 0) return undefined;
        const lanes = new PQueue({ concurrency: ANSWERS_AT_A_TIME });
        await lanes.addAll(open.map((answer) => () => judge(request, answer, signal)));
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

  /** What there was no time to judge stays as it is about to be sent. */
  function keepOpen(request: ContextRequest): void {
    const left = findOpen(request).flatMap(({ results }) => results.filter(isUndecided(request)));
    if (left.length > 0) log.error(LAYER, `${left.length} results could not be judged in time and stay`);
    // Of a day whose records are not known yet nothing is known, not even that it is undecided.
    const sent = left.filter(({ day }) => decisions.isLoaded(day));
    for (const { key } of sent) decisions.remember(request.sessionID, { key, outcome: "kept" });
  }
}

const findOpen = (request: ContextRequest): Answer[] =>
  findAnswers(request.history, request.shownFrom()).filter(({ results }) =>
    results.some(isUndecided(request)),
  );
