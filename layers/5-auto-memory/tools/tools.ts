import type { Tool } from "../../../src/dispatcher/tool.js";
import type { MemoryToolsContext } from "./common.js";
import { createRecallTool } from "./recall.js";
import { createRememberTool } from "./remember.js";
import { createUpdateTool } from "./update.js";

/**
 * What the agent can do with memory. Their definitions are part of every request: they never change while a session
 * runs, and a test counts their tokens.
 */
export function createMemoryTools(context: MemoryToolsContext): Tool[] {
  return [createRememberTool(context), createRecallTool(context), createUpdateTool(context)];
}
