/**
 * Layer 7: agents and instances know of each other. Costs no model call.
 *
 *     turn            this instance makes itself known, with the session that works
 *     context         letters from other sessions, and a word on who else edits a file, behind what is newest
 *     toolArguments   before an edit: is somebody else at work on the file?
 *     event           who works, who has ended, who has read their letters
 *     tools           lease, send_message
 */
import { formatError } from "../../src/error.js";
import type { LayerFactory } from "../../src/layer-context.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { createCoordination } from "./coordination.js";

const LAYER = "across-agents";
/** How long a turn waits for what is to be told; well below the hook's own deadline. */
const WITHIN_MS = 1_500;

export const createAcrossAgents: LayerFactory = (context) => {
  const { clock, config, log } = context;
  if (!config.crossAgent.enabled) return undefined;
  const coordination = createCoordination(context, LAYER);

  return {
    name: LAYER,
    cost: 7,
    tools: coordination.tools,
    handlers: {
      turn({ sessionID }) {
        coordination.begin(sessionID);
        return undefined;
      },

      async context(request) {
        if (request.isCompaction || !request.isReady()) return undefined;
        coordination.notice(request);
        const waited = await waitAtMost(clock, WITHIN_MS, (signal) => coordination.extend(request, signal));
        if (waited.kind === "done") return waited.value ? request.show() : undefined;
        const why =
          waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${WITHIN_MS} ms`;
        log.error(LAYER, `cannot tell ${request.sessionID} what others say: ${why}`);
        return undefined;
      },

      toolArguments: (call, args) => coordination.check(call, args),

      event(event) {
        coordination.hear(event);
        return undefined;
      },
    },
    dispose: coordination.dispose,
  };
};
