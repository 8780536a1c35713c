/**
 * Layer 7: agents and instances know of each other, and share what they know. Costs no model call of ours.
 *
 *     a subagent begins     with what the session knows that started it, behind its first message
 *     a subagent has ended  the files it touched stand in the notes of the session that started it
 *     fork                  the agent has tasks done on copies of its own session, which share its prompt cache
 *     a turn begins         this instance makes itself known to the others in the project
 *     a message comes       from another session, behind what is newest
 *     before an edit        is another instance at work on the file? The agent is told, or the edit does not run
 *     lease, send_message   the agent says what it works on, and writes to others
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
  const delegation = createDelegation(context, DELEGATION_LAYER);
  const coordination = createCoordination(context, LAYER);

  return {
    name: LAYER,
    cost: 7,
    servesForks: ["toolArguments"],
    tools: [delegation.tool, ...coordination.tools],
    handlers: {
      turn({ sessionID }) {
        coordination.begin(sessionID);
        return undefined;
      },

      async context(request, messages) {
        if (request.isCompaction || !request.isReady()) return undefined;
        delegation.notice(request, messages);
        coordination.notice(request);
        const waited = await waitAtMost(clock, WITHIN_MS, async (signal) => {
          const hasBriefed = await delegation.extend(request, signal);
          return (await coordination.extend(request, signal)) || hasBriefed;
        });
        if (waited.kind === "done") return waited.value ? request.show() : undefined;
        const why =
          waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${WITHIN_MS} ms`;
        log.error(LAYER, `cannot tell ${request.sessionID} what others know and say: ${why}`);
        // What was recorded before that is shown from now on, so it has to be in this request too.
        return request.show();
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
