/** Work that is handed on: to subagents, which begin with what their parent knows, and to forks, which know all of it. */

import type { Message } from "../../src/conversation/message.js";
import type { HostEvent } from "../../src/dispatcher/hooks.js";
import type { Tool } from "../../src/dispatcher/tool.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { ContextRequest } from "../../src/view/request.js";
import { createFamily } from "./family.js";
import { createForking } from "./fork.js";
import { createSubagents } from "./subagents.js";

export interface Delegation {
  readonly tool: Tool;
  /** Whether something was decided. Rejects when it cannot be recorded. */
  extend(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
  /** This is about to be sent. */
  notice(request: ContextRequest, messages: readonly Message[]): void;
  hear(event: HostEvent): void;
}

export function createDelegation(context: LayerContext, layer: string): Delegation {
  const { decisions, host, savings } = context;
  const family = createFamily(host);
  const forking = createForking(context, family);
  const subagents = createSubagents(context, { family, layer });

  return {
    tool: forking.tool,
    notice: forking.notice,
    hear: family.hear,

    async extend(request, signal) {
      const { sessionID } = request;
      await subagents.noteEnded(request);
      const made = await subagents.brief(request);
      if (made.length === 0) return false;
      await decisions.record(sessionID, layer, made, signal);
      savings.record({ session: sessionID, layer, event: "extended", results: made.length });
      return true;
    },
  };
}
