import type { z } from "zod";
import { CHARACTERS_PER_TOKEN } from "../context/learned-size.js";
import type { ToolCall } from "./hooks.js";

/**
 * A tool for the agent. Its definition costs tokens in every request, so names and descriptions are short.
 *
 * Contract: `execute` gets valid arguments: `src/host/tools.ts` checks them, since the host does not (measured). It
 * returns the text for the model. A call that cannot be carried out changes nothing and throws a `StrataError` that says
 * why and what to do.
 */
export interface Tool<Parameters extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /**
   * The usual arguments for the model; part of every request. A rare one is only named in the description, which takes a
   * third of the tokens. The host passes it on (measured), and it is checked like the others.
   */
  readonly parameters: ToolParameters;
  /** Schema that checks the arguments; loaded when the tool is first called. A test compares it with the definition. */
  loadCheck(): Promise<Parameters>;
  /** Time limit; default 10 s. */
  readonly deadlineMs?: number;
  execute(
    args: z.output<Parameters>,
    call: ToolCall & { messageID: string },
    signal: AbortSignal,
  ): Promise<string>;
}

/** JSON Schema of the arguments, an object. Limits of values are checked but not sent. */
export interface ToolParameters {
  /** Sent in this order, as are the fields of each. Descriptions are a few words. */
  readonly properties: Readonly<Record<string, ToolProperty>>;
  /** Required arguments. Absent if all are optional. */
  readonly required?: readonly string[];
}

export interface ToolProperty {
  readonly description?: string;
  readonly type: "array" | "boolean" | "number" | "string";
  readonly enum?: readonly string[];
  readonly items?: ToolProperty;
}

/** Types the arguments of `execute` by the tool's own schema, and returns a plain `Tool`. */
export function defineTool<Parameters extends z.ZodObject>(tool: Tool<Parameters>): Tool {
  return tool as unknown as Tool;
}

/** The parameters exactly as the host sends them. Pure. */
export function formatParameters({ properties, required }: ToolParameters): Record<string, unknown> {
  return {
    type: "object",
    properties,
    ...(required && { required }),
  };
}

/** Tokens that the tool definitions take in a request, as the host sends them. Pure. */
export function estimateToolTokens(tools: readonly Tool[]): number {
  const definitions = tools.map(({ description, name, parameters }) => ({
    type: "function",
    function: { name, description, parameters: formatParameters(parameters) },
  }));
  return definitions.reduce(
    (sum, one) => sum + Math.ceil(JSON.stringify(one).length / CHARACTERS_PER_TOKEN),
    0,
  );
}
