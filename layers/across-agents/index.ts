/**
 * Layer 7: agents and instances share what they know. Costs no model call of ours.
 *
 *     a subagent begins     with what the session knows that started it, behind its first message
 *     a subagent has ended  the files it touched stand in the notes of the session that started it
 *     fork                  the agent has tasks done on copies of its own session, which share its prompt cache
 */
import { formatError } from "../../src/error.js";
import type { LayerFactory } from "../../src/layer-context.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { createDelegation } from "./delegation.js";

const LAYER = "across-agents";
/** How long a turn waits for what is to be told; well below the hook's own deadline. */
const WITHIN_MS = 1_500;

export const createAcrossAgents: LayerFactory = (context) => {
  const { clock, config, log } = context;
  if (!config.crossAgent.enabled) return undefined;
  const delegation = createDelegation(context, LAYER);

  return {
    name: LAYER,
    cost: 7,
    tools: [delegation.tool],
    handlers: {
      async context(request, messages) {
        if (request.isCompaction || !request.isReady()) return undefined;
        delegation.notice(request, messages);
        const waited = await waitAtMost(clock, WITHIN_MS, (signal) => delegation.extend(request, signal));
        if (waited.kind === "done") return waited.value ? request.show() : undefined;
        const why =
          waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${WITHIN_MS} ms`;
        log.error(LAYER, `cannot tell ${request.sessionID} what others know: ${why}`);
        return undefined;
      },

      event(event) {
        delegation.hear(event);
        return undefined;
      },
    },
  };
};
