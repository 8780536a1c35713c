/**
 * Layer 7: agents and instances know of each other and share what they know. Makes no model calls of its own.
 *
 *     a subagent begins     a brief from its parent session follows its first message
 *     a subagent has ended  the notes of its parent list the files it touched
 *     fork                  runs tasks on copies of the agent's session, which share its prompt cache
 *     a turn begins         announces this instance to the others in the project
 *     a message arrives     from another session, and is added at the tail
 *     before an edit        warns the agent, or refuses the edit, if another instance works on the file
 *     lease, send_message   the agent claims what it works on, and writes to other agents
 *     /agenda               shows open work in all sessions and instances
 */
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/kernel/layer-definition.js";
import { createCoordination } from "./coordination.js";
import { defaults } from "./defaults.js";
import { createDelegation } from "./delegation.js";
import { files } from "./files.js";

const LAYER = "across-agents";
/** Layer name in the decision on a subagent's first message, which messages may extend too under theirs. */
const DELEGATION_LAYER = "across-agents/delegation";

export const acrossAgents: LayerDefinition = {
  name: LAYER,
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
    commands: coordination.commands,
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
