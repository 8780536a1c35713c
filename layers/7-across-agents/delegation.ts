/** Delegated work: subagents start with a brief from their parent, forks with its whole context. */

import { extend } from "../../src/context/extend.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Message } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import type { Tool } from "../../src/kernel/tool.js";
import { createForking } from "./fork.js";
import { createSubagents } from "./subagents.js";

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
