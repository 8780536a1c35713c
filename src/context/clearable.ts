/** What can be taken out of the context with a marker in its place: old results, and long inputs of old calls. */

import { findByName } from "../base/patterns.js";
import type { Result } from "../messages/history.js";
import type { KnownDecision } from "./known-decision.js";
import type { Supersession } from "./superseded.js";

export interface ResultToClear {
  kind: "result";
  result: Result;
  /** The text currently shown for it. */
  shown: string;
  /** Layer 1's decision about it. */
  judged?: KnownDecision | undefined;
  superseded?: Supersession | undefined;
}

export interface InputToClear {
  kind: "input";
  /** The result of the call. */
  result: Result;
  /** Names of the fields to clear. */
  fields: readonly string[];
  /** Their length. */
  characters: number;
}

/** OpenCode's tools with repeatable results; those of MCP servers, subagents and others only if the settings name them. */
const CLEARED_TOOLS = new Set(["read", "bash", "grep", "glob", "list", "websearch", "webfetch"]);

export const isRepeatable = (tool: string): boolean => CLEARED_TOOLS.has(tool);

/** May results of this tool be cleared at all? `named`: the settings' other tools, by name or pattern. */
export const isClearable = (tool: string, named: Readonly<Record<string, boolean>>): boolean =>
  isRepeatable(tool) || findByName(named, tool) === true;
