/**
 * Layer 7: agents and instances share what they know.
 *
 *     a subagent begins     with what the session knows that started it, behind its first message
 *     a subagent has ended  the files it touched stand in the notes of the session that started it
 *     fork                  the agent has tasks done on copies of its own session, which share its prompt cache
 */

import { createFamily } from "../../src/agents/family.js";
import { formatError } from "../../src/error.js";
import type { LayerFactory } from "../../src/layer-context.js";
import { waitAtMost } from "../../src/seams/clock.js";
import { createForking } from "./fork.js";
import { createSubagents } from "./subagents.js";

export const LAYER = "across-agents";
/** How long a turn waits for what is to be told; well below the hook's own deadline. */
const WITHIN_MS = 1_500;

export const createAcrossAgents: LayerFactory = (context) => {
  const { clock, config, decisions, host, log, savings } = context;
  if (!config.crossAgent.enabled) return undefined;
  const family = createFamily(host);
  const forking = createForking(context, family);
  const subagents = createSubagents(context, family);

  return {
    name: LAYER,
    cost: 7,
    tools: [forking.tool],
    handlers: {
      async context(request, messages) {
        forking.notice(request, messages);
        if (request.isCompaction || !request.isReady()) return undefined;
        const { sessionID } = request;
        const waited = await waitAtMost(clock, WITHIN_MS, async (signal) => {
          await subagents.noteEnded(request);
          const made = await subagents.brief(request);
          if (made.length === 0) return false;
          signal.throwIfAborted();
          await decisions.record(sessionID, LAYER, made);
          savings.record({ session: sessionID, layer: LAYER, event: "extended", results: made.length });
          return true;
        });
        if (waited.kind === "done") return waited.value ? request.show() : undefined;
        const why =
          waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${WITHIN_MS} ms`;
        log.error(LAYER, `cannot tell ${sessionID} what others know: ${why}`);
        return undefined;
      },

      event(event) {
        family.hear(event);
        return undefined;
      },
    },
  };
};
