/** `memory_keep`: the agent keeps what it was asked about, in the user's own words. See judge/agent-judge.ts. */

import { defineTool, type Tool } from "../../../src/kernel/tool.js";
import { KEEP_TOOL } from "../../../src/memory/candidates/question.js";
import type { keepArguments } from "./arguments.js";

export interface Keeper {
  /** Keeps what the letters stand for; returns what became of each. Rejects with what is open if one is unknown. */
  keep(letters: string, sessionID: string): Promise<string>;
}

export function createKeepTool(judge: Keeper): Tool {
  return defineTool<typeof keepArguments>({
    name: KEEP_TOOL,
    description: "Keep what Strata asked: a, c directive.",
    parameters: { properties: { letters: { type: "string" } }, required: ["letters"] },
    loadCheck: async () => (await import("./arguments.js")).keepArguments,
    execute: ({ letters }, { sessionID }) => judge.keep(letters, sessionID),
  });
}
