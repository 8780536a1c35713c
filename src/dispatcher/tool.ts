import * as z from "zod";
import { CHARACTERS_PER_TOKEN } from "../view/learned-size.js";
import type { ToolCall } from "./hooks.js";

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

/** The host leaves the limits of values out of what it sends (measured); they are checked all the same. */
const NOT_SENT = new Set([
  "additionalProperties",
  "exclusiveMinimum",
  "format",
  "maxItems",
  "maxLength",
  "maximum",
  "minItems",
  "minLength",
  "minimum",
  "pattern",
]);

/** What the definitions take of a request, as the host sends them. Pure. */
export function estimateToolTokens(tools: readonly Tool[]): number {
  const definitions = tools.map(({ description, name, parameters }) => ({
    type: "function",
    function: { name, description, parameters: z.toJSONSchema(parameters) },
  }));
  return definitions.reduce(
    (sum, one) => sum + Math.ceil(JSON.stringify(one, leaveOut).length / CHARACTERS_PER_TOKEN),
    0,
  );
}

/** A property of that name has a schema for its value, and stays. */
const leaveOut = (key: string, value: unknown): unknown =>
  NOT_SENT.has(key) && typeof value !== "object" ? undefined : value;
