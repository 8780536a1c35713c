import type { Tool } from "../../../src/kernel/tool.js";
import type { MemoryToolsContext } from "./common.js";
import { createKeepTool } from "./keep.js";
import { createRecallTool } from "./recall.js";
import { createRememberTool } from "./remember.js";
import { createUpdateTool } from "./update.js";

/**
 * The agent's memory tools. Their definitions are part of every request, so they never change during a session, and a test
 * counts their tokens.
 */
export function createMemoryTools(context: MemoryToolsContext): Tool[] {
  const { agentJudge } = context;
  return [
    createRememberTool(context),
    createRecallTool(context),
    createUpdateTool(context),
    ...(agentJudge ? [createKeepTool(agentJudge)] : []),
  ];
}
