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
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import { createCoordination } from "./coordination.js";
import { defaults } from "./defaults.js";
import { createDelegation } from "./delegation.js";
import { files } from "./files.js";

const LAYER = "across-agents";
/** As whose a subagent's first message is extended: a letter may be put behind it too. */
const DELEGATION_LAYER = "across-agents/delegation";

export const acrossAgents: LayerDefinition = {
  name: LAYER,
  cost: 7,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files,
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const delegation = createDelegation(context, DELEGATION_LAYER);
  const coordination = createCoordination(context, LAYER);

  return {
    withinMs: { context: 1_500 },
    servesForks: ["toolArguments"],
    tools: [delegation.tool, ...coordination.tools],
    handlers: {
      turn({ sessionID }) {
        coordination.begin(sessionID);
        return undefined;
      },

      async context(request, messages, signal) {
        if (request.isCompaction || !request.isReady()) return undefined;
        delegation.notice(request, messages);
        coordination.notice(request);
        const hasBriefed = await delegation.extend(request, signal);
        const hasTold = await coordination.extend(request, signal);
        return hasBriefed || hasTold ? request.show() : undefined;
      },

      toolArguments: (call, args) => coordination.check(call, args),

      event(event) {
        coordination.hear(event);
        return undefined;
      },
    },
    dispose: coordination.dispose,
  };
}
