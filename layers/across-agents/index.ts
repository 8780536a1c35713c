/**
 * Layer 7: agents and instances know of each other and share what they know. Costs no model call of ours.
 *
 *     delegation     a subagent begins with what its parent knows, which learns what it has touched; the fork tool
 *     coordination   instances, leases, edits of one file by two, messages between sessions
 */
import { formatError } from "../../src/error.js";
import type { LayerFactory } from "../../src/layer-context.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { createCoordination } from "./coordination.js";
import { createDelegation } from "./delegation.js";

const LAYER = "across-agents";
/** As whose a subagent's first message is extended: a letter may be put behind it too. */
const DELEGATION_LAYER = "across-agents/delegation";
/** How long a turn waits for what is to be told; well below the hook's own deadline. */
const WITHIN_MS = 1_500;

export const createAcrossAgents: LayerFactory = (context) => {
  const { clock, config, log } = context;
  if (!config.crossAgent.enabled) return undefined;
  const coordination = createCoordination(context, LAYER);
  const delegation = createDelegation(context, DELEGATION_LAYER);

  return {
    name: LAYER,
    cost: 7,
    tools: [...coordination.tools, delegation.tool],
    handlers: {
      turn({ sessionID }) {
        coordination.begin(sessionID);
        return undefined;
      },

      async context(request, messages) {
        if (request.isCompaction || !request.isReady()) return undefined;
        delegation.notice(request, messages);
        const waited = await waitAtMost(clock, WITHIN_MS, async (signal) => {
          const isBriefed = await delegation.extend(request, signal);
          return (await coordination.extend(request, signal)) || isBriefed;
        });
        if (waited.kind === "done") return waited.value ? request.show() : undefined;
        const why =
          waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${WITHIN_MS} ms`;
        log.error(LAYER, `cannot tell ${request.sessionID} what others know, tried again later: ${why}`);
        return undefined;
      },

      toolArguments: (call, args) => coordination.check(call, args),

      event(event) {
        delegation.hear(event);
        coordination.hear(event);
        return undefined;
      },
    },

    dispose: coordination.leave,
  };
};
