/**
 * Failed calls: what failed is written to `.opencode/memory/errors.log`, and what resolved it; a call that has just
 * failed as it did before is answered with that, behind its result, before that is first sent.
 */
import { formatError } from "../../../src/error.js";
import type { LayerFactory } from "../../../src/layer-context.js";
import { waitAtMost } from "../../../src/seams/clock.js";
import { redactSecrets } from "../../../src/secrets/secrets.js";
import { type Addition, extend } from "../../../src/view/extend.js";
import { isExtendedBy } from "../../../src/view/known-decisions.js";
import type { ContextRequest } from "../../../src/view/request.js";
import { createFailures } from "./failures.js";
import { formatHint } from "./hint.js";
import { planHints } from "./plan.js";

const LAYER = "errors";
/** How long a turn waits; well below the hook's own deadline. */
const WITHIN_MS = 1_500;

export const createErrors: LayerFactory = (context) => {
  const { clock, config, files, folders, host, locks, log, seal } = context;
  if (!config.errors.enabled) return undefined;
  const failures = createFailures({
    ...{ files, locks, log, seal },
    path: folders.errorLog,
    lock: folders.errorLock,
    project: host.directory,
    redact: (text) => redactSecrets(text).text,
  });

  return {
    name: LAYER,
    cost: 5,
    onIdle: failures.onIdle,
    handlers: {
      async context(request) {
        if (request.isCompaction) return undefined;
        const waited = await waitAtMost(clock, WITHIN_MS, (signal) => answer(request, signal));
        if (waited.kind === "done") return waited.value ? request.show() : undefined;
        const why =
          waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${WITHIN_MS} ms`;
        log.error(LAYER, `cannot say what failed before in ${request.sessionID}: ${why}`);
        return undefined;
      },
    },
  };

  /** Whether something was decided. */
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
};
