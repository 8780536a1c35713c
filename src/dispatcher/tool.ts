import type { z } from "zod";
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
  /** What the model is told of the arguments; part of every request. */
  readonly parameters: ToolParameters;
  /** What the arguments are checked with; loaded when the tool is first called. A test compares it with `parameters`. */
  loadCheck(): Promise<Parameters>;
  /** How long it may take; by default 10 s. */
  readonly deadlineMs?: number;
  execute(
    args: z.output<Parameters>,
    call: ToolCall & { messageID: string },
    signal: AbortSignal,
  ): Promise<string>;
}

/** A JSON Schema of the arguments: an object with these. Limits of values are checked and not told. */
export interface ToolParameters {
  /** In the order in which they are sent, as are the fields of each; a description is a few words. */
  readonly properties: Readonly<Record<string, ToolProperty>>;
  /** The others may be left out. Absent where all may. */
  readonly required?: readonly string[];
}

export interface ToolProperty {
  readonly description?: string;
  readonly type: "array" | "boolean" | "number" | "string";
  readonly enum?: readonly string[];
  readonly items?: ToolProperty;
}

/** Lets `execute` have arguments of the tool's own type, and hands it back as any tool. */
export function defineTool<Parameters extends z.ZodObject>(tool: Tool<Parameters>): Tool {
  return tool as unknown as Tool;
}

/** As the host sends it, to the letter. Pure. */
export function formatParameters({ properties, required }: ToolParameters): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties,
    ...(required && { required }),
  };
}

/** What the definitions take of a request, as the host sends them. Pure. */
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
