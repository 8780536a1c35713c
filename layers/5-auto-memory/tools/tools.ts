/**
 * The agent's memory tools. Their definitions are part of every request, so they never change during a session, and a test
 * counts their tokens. What they do is loaded with the first call.
 */
import { defineTool, type Tool } from "../../../src/kernel/layer.js";
import { KEEP_TOOL } from "../../../src/memory/candidates/candidate.js";
import { memoryTypes } from "../../../src/memory/memory.js";
import type { MemoryToolsContext } from "./remember.js";

const text = { type: "string" } as const;

export function createMemoryTools(context: MemoryToolsContext): Tool[] {
  const { agentJudge } = context;
  return [
    createRememberTool(context),
    createRecallTool(context),
    createUpdateTool(context),
    ...(agentJudge ? [createKeepTool(agentJudge)] : []),
  ];
}

const createRememberTool = (context: MemoryToolsContext): Tool =>
  defineTool({
    name: "memory_remember",
    description:
      "Keep at once a correction, rule, decision with reason or hard-won fact; not the task, its state or what code or git says. directive, preference, feedback, pattern: the user's sentence. Also: title, aliases[], tags[], entities[], importance (0-1), sensitivity (private), scope (global), expires (date).",
    parameters: {
      properties: { content: text, type: { ...text, enum: memoryTypes } },
      required: ["content", "type"],
    },
    loadCheck: async () => (await import("./remember.js")).rememberArguments,
    execute: async (args, call) => (await import("./remember.js")).remember(context, args, call),
  });

export const createRecallTool = (context: MemoryToolsContext): Tool =>
  defineTool({
    name: "memory_recall",
    description:
      "What earlier sessions decided or learned. Also: id, entity (#34, path), type, archived, conversations.",
    parameters: { properties: { query: text } },
    loadCheck: async () => (await import("./recall.js")).recallArguments,
    execute: async (args, { sessionID }) => (await import("./recall.js")).recall(context, args, sessionID),
  });

const ACTIONS = ["edit", "archive", "restore", "resolve", "reopen", "link", "unlink", "pin", "unpin"];

export const createUpdateTool = (context: MemoryToolsContext): Tool =>
  defineTool({
    name: "memory_update",
    description: "Change a memory; archive what no longer holds. Also: title, to (link), reason.",
    parameters: {
      properties: { id: text, action: { ...text, enum: ACTIONS }, content: text },
      required: ["id", "action"],
    },
    loadCheck: async () => (await import("./update.js")).updateArguments,
    execute: async (args, call) => (await import("./update.js")).update(context, args, call),
  });

/** The agent keeps what it was asked about, in the user's own words. See judge/agent-judge.ts. */
const createKeepTool = (judge: NonNullable<MemoryToolsContext["agentJudge"]>): Tool =>
  defineTool({
    name: KEEP_TOOL,
    description: "Keep what Strata asked: a, c directive.",
    parameters: { properties: { letters: text }, required: ["letters"] },
    loadCheck: async () => (await import("./remember.js")).keepArguments,
    execute: ({ letters }, { sessionID }) => judge.keep(letters, sessionID),
  });
