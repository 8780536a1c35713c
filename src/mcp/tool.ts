/** A tool of the server. Its definition costs the client tokens in every request, so texts are short. */
import type { z } from "zod";
import { formatError, StrataError } from "../base/error.js";
import type { ClientContext } from "./client-context.js";

export interface McpTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** Strict: an unknown argument is an error that lists the valid ones. */
  readonly input: Input;
  readonly effect: Effect;
  /** In the default set, without `--tools`. */
  readonly isDefault?: true;
  /** The plugin does the same in OpenCode, with a tool or automatically. */
  readonly isPlugins?: true;
  /** Arguments that name a project file; `all` if the tool needs one. Neither is offered over HTTP. */
  readonly files?: "all" | readonly string[];
  /** Arguments that only a server with `--private` offers. */
  readonly privateArguments?: readonly string[];
  /**
   * Gets validated arguments. A call that cannot be carried out changes nothing and throws a `StrataError` that says why
   * and what to do.
   */
  run(args: z.output<Input>, client: ClientContext, call: McpCall): Promise<string>;
}

/**
 * `read`: changes nothing. `write`: the same client can revert it. `destroy`: removes from view. `ask`: like `write`, and
 * asks a server on the network.
 */
export type Effect = "read" | "write" | "destroy" | "ask";

export interface McpCall {
  /** Id of the request, unique per client. */
  id: string;
  signal: AbortSignal;
}

/** Types the arguments of `run` by the tool's schema. */
export function defineTool<Input extends z.ZodObject>(tool: McpTool<Input>): McpTool {
  return tool as unknown as McpTool;
}

export const refuse = (why: string): StrataError => new StrataError("EMCP", why);

/** A refusal without its code, which says nothing to a model. */
export const formatRefusal = (thrown: unknown): string =>
  thrown instanceof StrataError ? thrown.message : formatError(thrown);
