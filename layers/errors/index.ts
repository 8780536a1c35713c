/**
 * Failed calls: logs failures and what resolved them in `.opencode/memory/errors.log`. A call that fails the same way again
 * gets a hint after its result, before the result is first sent; the hint goes with the next batch that clears before it.
 */
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import { redactSecrets } from "../../src/secrets/secrets.js";
import { type Addition, extend } from "../../src/view/extend.js";
import { forget } from "../../src/view/forgotten.js";
import { isExtendedBy } from "../../src/view/known-decisions.js";
import type { ContextRequest } from "../../src/view/request.js";
import { defaults } from "./defaults.js";
import { createFailures } from "./failures.js";
import { formatHint } from "./hint.js";
import { planHints } from "./plan.js";

const LAYER = "errors";

export const errors: LayerDefinition = {
  name: LAYER,
  cost: 4.5,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files: [{ path: ".opencode/memory/errors.log" }, { path: ".opencode/memory/errors.log.1" }],
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { files, folders, host, locks, log, seal } = context;
  const failures = createFailures({
    ...{ files, locks, log, seal },
    path: folders.errorLog,
    lock: folders.errorLock,
    project: host.directory,
    redact: (text) => redactSecrets(text).text,
  });

  return {
    withinMs: { context: 1_500 },
    onIdle: failures.onIdle,
    handlers: {
      async context(request, _messages, signal) {
        if (request.isCompaction) return undefined;
        const hasForgotten = request.isReady() && (await forget(context, { request, layer: LAYER, signal }));
        return (await answer(request, signal)) || hasForgotten ? request.show() : undefined;
      },
    },
  };

  /** Returns whether a hint was added. */
  async function answer(request: ContextRequest, signal: AbortSignal): Promise<boolean> {
    const { find, history, sessionID } = request;
    const repetitions = await failures.learn(sessionID, history.messages);
    if (repetitions.length === 0 || !request.isReady()) return false;
    const additions = planHints(history, repetitions)
      .filter(({ result }) => !isExtendedBy(LAYER, find(result.key)))
      .map(({ result, repetition }): Addition => {
        log.info(
          LAYER,
          `${repetition.before.tool} failed as before in ${sessionID}: ${repetition.before.call}`,
        );
        return { behind: result, text: formatHint(repetition.before) };
      });
    return extend(context, { sessionID, layer: LAYER, additions, signal });
  }
}
