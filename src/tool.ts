import * as z from "zod";
import type { ToolCall } from "./dispatcher/hooks.js";
import { CHARACTERS_PER_TOKEN } from "./view/context-size.js";

/**
 * A tool that the agent can call. Its definition costs tokens in every request: short names, short descriptions.
 *
 * Contract: `execute` gets arguments that fit; the host checks none (measured), `src/host/tools.ts` does. It answers
 * with the text for the model. What cannot be done throws a `StrataError` that says why and what to do; then nothing
 * has been changed.
 */
export interface Tool<Parameters extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** Every field with a description of a few words; optional ones marked so. */
  readonly parameters: Parameters;
  /** How long it may take; by default 10 s. */
  readonly deadlineMs?: number;
  execute(
    args: z.output<Parameters>,
    call: ToolCall & { messageID: string },
    signal: AbortSignal,
  ): Promise<string>;
}

/** Lets `execute` have arguments of the tool's own type, and hands it back as any tool. */
export function defineTool<Parameters extends z.ZodObject>(tool: Tool<Parameters>): Tool {
  return tool as unknown as Tool;
}

/** What the definitions take of a request, about as the host sends them. Pure. */
export function estimateToolTokens(tools: readonly Tool[]): number {
  const definitions = tools.map(({ description, name, parameters }) => ({
    type: "function",
    function: { name, description, parameters: z.toJSONSchema(parameters) },
  }));
  return definitions.reduce(
    (sum, one) => sum + Math.ceil(JSON.stringify(one).length / CHARACTERS_PER_TOKEN),
    0,
  );
}
