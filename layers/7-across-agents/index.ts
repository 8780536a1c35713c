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
import { extend } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import { type FileKind, STATE_DAYS } from "../../src/kernel/expired-files.js";
import type { Tool } from "../../src/kernel/layer.js";
import type { LayerContext, LayerDefinition, LayerParts } from "../../src/kernel/layer-context.js";
import { createCoordination } from "./coordination.js";
import { defaults } from "./defaults.js";
import { createForking } from "./fork.js";
import { createSubagents } from "./subagents.js";

const STATE = ".opencode/strata/state";
const MAIL_DAYS = 30;

export const files: readonly FileKind[] = [
  { path: `${STATE}/leases.json` },
  {
    path: `${STATE}/edits/<day>.jsonl`,
    expiry: { what: "edits of a past day", days: STATE_DAYS, atStart: true },
  },
  {
    path: `${STATE}/mail/<id>.jsonl`,
    expiry: { what: "out-of-date messages", days: MAIL_DAYS, atStart: true },
  },
  // Expires as the messages beside it, whose pattern it matches.
  { path: `${STATE}/mail/<id>.cursor.jsonl` },
];

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

/* Delegated work: subagents start with a brief from their parent, forks with its whole context. */

export interface Delegation {
  readonly tool: Tool;
  /** Returns whether something was added. Rejects if it cannot be recorded. */
  extend(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
  /** The request is about to be sent with these messages. */
  notice(request: ContextRequest, messages: readonly Message[]): void;
}

export function createDelegation(context: LayerContext, layer: string): Delegation {
  const forking = createForking(context);
  const subagents = createSubagents(context, layer);

  return {
    tool: forking.tool,
    notice: forking.notice,

    async extend(request, signal) {
      await subagents.noteEnded(request);
      const additions = await subagents.brief(request);
      return extend(context, { sessionID: request.sessionID, layer, additions, signal });
    },
  };
}
