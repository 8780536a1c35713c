/**
 * Layer 1: large tool results go to a file, a preview stays in the context. Costs no model call.
 *
 * Applied in the view: before each request the recorded previews take the place of the results they were made for.
 * A result that is seen for the first time is judged, together with the other results of the same answer, and what is
 * decided, to go or to stay, is recorded before the request is sent and never decided again:
 *
 *     judge → write the file → record the decision → show the preview
 *
 * Whatever fails on the way leaves the original in the context. The host's stored messages are never changed.
 */
import { basename, dirname } from "node:path";
import { formatError } from "../../src/error.js";
import type { LayerFactory } from "../../src/layer-context.js";
import type { Decision } from "../../src/view/decisions.js";
import { type Part, withParts, withResultText } from "../../src/view/message.js";
import { createFileKeeper } from "./file-keeper.js";
import { createJudge } from "./judge.js";
import { createResultFiles } from "./result-files.js";
import { findResults, type Result } from "./results.js";
import { createSweep } from "./sweep.js";

export const createToolResults: LayerFactory = (context) => {
  const { config, decisions, files, folders, log, background } = context;
  if (!config.toolResults.enabled) return undefined;
  const resultFiles = createResultFiles(files, folders.toolResults);
  const judge = createJudge({ ...context, resultFiles });
  const keeper = createFileKeeper({ ...context, resultFiles });
  const sweep = createSweep({ ...context });
  let hasSwept = false;

  return {
    name: "tool-results",
    cost: 1,
    handlers: {
      async context({ sessionID }, messages, signal) {
        const answers = findResults(messages);
        if (answers.length === 0) return undefined;
        await learn(answers.flat());
        for (const answer of answers) {
          if (answer.some(isUndecided)) await judge(sessionID, answer, signal);
        }
        const replaced = answers.flat().filter((result) => findReplacement(result) !== undefined);
        await keeper.keep(sessionID, replaced, signal);
        const parts = new Map<Part, Part>();
        for (const result of replaced) {
          parts.set(result.part, withResultText(result.part, findReplacement(result)?.text ?? result.text));
        }
        return parts.size > 0 ? withParts(messages, parts) : undefined;
      },

      /** The host's Grep finds nothing in a file that git ignores when `path` names the file itself. */
      toolArguments({ tool }, args) {
        const { path } = args;
        if (tool !== "grep" || typeof path !== "string" || dirname(path) !== folders.toolResults)
          return undefined;
        return path.endsWith(".txt")
          ? { ...args, path: folders.toolResults, include: basename(path) }
          : undefined;
      },

      event() {
        if (hasSwept) return undefined;
        hasSwept = true;
        void background.add(() =>
          sweep().catch((thrown) => log.warn("tool-results", `sweep: ${formatError(thrown)}`)),
        );
        return undefined;
      },
    },
  };

  function isUndecided(result: Result): boolean {
    return decisions.find(result.key) === undefined;
  }

  function findReplacement(result: Result): Decision | undefined {
    const decision = decisions.find(result.key);
    return decision?.outcome === "replaced" ? decision : undefined;
  }

  /** Knows afterwards what has been recorded about these results, by this instance or another. */
  async function learn(results: readonly Result[]): Promise<void> {
    await decisions.load(results.map(({ day }) => day));
    const undecided = results.filter(isUndecided);
    if (undecided.length === 0) return;
    // Not to know what others have decided meanwhile costs at worst a second record of the same.
    await decisions
      .refresh(undecided.map(({ day }) => day))
      .catch((thrown) => log.warn("tool-results", `cannot look for new decisions: ${formatError(thrown)}`));
  }
};
