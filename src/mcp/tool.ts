/** What a tool is, which tools a client gets, and the arguments that several tools share. */
import { basename, resolve } from "node:path";
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { formatError, StrataError } from "../base/error.js";
import type { Tool } from "../kernel/layer.js";
import { type Memory, memoryTypes } from "../memory/memory.js";
import { WRONG_ARGUMENT } from "../operations/command.js";
import type { Project } from "../operations/project.js";
import type { ClientContext, SharedContextOptions } from "./client.js";

/** A tool of the server. Its definition costs the client tokens in every request, so texts are short. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** Strict: an unknown argument is an error that lists the valid ones. */
  readonly input: z.ZodObject;
  readonly effect: keyof typeof hints;
  /**
   * `plugins`: the plugin does the same in OpenCode, with a tool or automatically. `default`: so it does, and the tool is
   * offered without `--tools`.
   */
  readonly set?: "default" | "plugins" | undefined;
  /** Arguments that name a project file; `all` if the tool needs one. Neither is offered over HTTP. */
  readonly files?: "all" | readonly string[];
  /** Arguments that only a server with `--private` offers. */
  readonly privateArguments?: readonly string[];
  /**
   * Gets validated arguments. A call that cannot be carried out changes nothing and throws a `StrataError` that says why
   * and what to do.
   */
  run(args: Record<string, unknown>, client: ClientContext, call: McpCall): Promise<string>;
}

export interface McpCall {
  /** Id of the request, unique per client. */
  id: string;
  signal: AbortSignal;
}

type Given<Shape extends z.ZodRawShape> = Omit<McpTool, "input" | "run"> & {
  readonly input: Shape;
  run(args: z.output<z.ZodObject<Shape>>, client: ClientContext, call: McpCall): Promise<string>;
};

/** Types the arguments of `run` by the tool's fields. */
export const defineTool = <Shape extends z.ZodRawShape>(tool: Given<Shape>): McpTool =>
  ({ ...tool, input: z.strictObject(tool.input) }) as unknown as McpTool;

/** What each effect means; without hints, clients assume the worst. */
const hints = {
  read: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  /** The same client can revert it. */
  write: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  destroy: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  /** Like `write`, and asks a server on the network. */
  ask: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
} as const satisfies Readonly<Record<string, ToolAnnotations>>;

export const refuse = (why: string): StrataError => new StrataError("EMCP", why);

/** A refusal without its code, which says nothing to a model. */
export const formatRefusal = (thrown: unknown): string =>
  thrown instanceof StrataError ? thrown.message : formatError(thrown);

export function callPlugins(
  tool: Tool,
  args: object,
  { core, id: client }: ClientContext,
  { id, signal }: McpCall,
): Promise<string> {
  const call = { tool: tool.name, sessionID: core.session ?? client, callID: id, messageID: id };
  return tool.execute(args as never, call, signal);
}

/* Which tools a client gets, and how the protocol describes them. Pure. */

/**
 * Leaves out tools and arguments that this server does not allow or the client already has. `isBesidePlugin`: the client is
 * OpenCode, and its plugin serves the same project.
 */
export function planOffer(
  wanted: readonly McpTool[],
  { allowsFiles, allowsPrivate, isBesidePlugin }: SharedContextOptions & { isBesidePlugin: boolean },
): McpTool[] {
  return wanted
    .filter(({ files, set }) => !(set && isBesidePlugin) && (allowsFiles || files !== "all"))
    .map((tool) => {
      const closed = [
        ...(allowsFiles || tool.files === "all" ? [] : (tool.files ?? [])),
        ...(allowsPrivate ? [] : (tool.privateArguments ?? [])),
      ];
      const open = Object.entries(tool.input.shape).filter(([name]) => !closed.includes(name));
      return closed.length === 0 ? tool : { ...tool, input: z.strictObject(Object.fromEntries(open)) };
    });
}

/** The tools that `--tools` names: `all`, `default`, or names separated by commas. @throws WRONG_ARGUMENT */
export function chooseTools(all: readonly McpTool[], given: string = "default"): readonly McpTool[] {
  if (given === "all") return all;
  if (given === "default") return all.filter(({ set }) => set === "default");
  const names = given.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !all.some((tool) => tool.name === name));
  if (unknown === undefined) return all.filter(({ name }) => names.includes(name));
  const why = `--tools: expected all, default, or names such as recall,remember; got "${unknown}". docs/mcp.md lists them`;
  throw new StrataError(WRONG_ARGUMENT, why);
}

export function describeTool({ description, effect, input, name }: McpTool) {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return { name, description, inputSchema: inputSchema as { type: "object" }, annotations: hints[effect] };
}

/* Arguments that several tools share. */

/** Memory types, and the names that other tools use; `conversation` means session notes, not a memory type. */
const CATEGORIES = [...memoryTypes, "fact"] as const;
export const CONVERSATION = "conversation";

const words = (least: number, most: number): z.ZodString => z.string().trim().min(least).max(most);

export const args = {
  category: z.enum(CATEGORIES),
  anyCategory: z.enum([...CATEGORIES, CONVERSATION]),
  memoryID: words(1, 300),
  query: words(1, 1_000),
  content: words(3, 10_000),
  remark: words(1, 2_000),
  reason: words(1, 300),
  entity: words(1, 300),
  entities: z.array(words(1, 120)).max(20),
  limit: z.number().int().min(1).max(100),
  days: z.number().int().min(0).max(36_500),
  project: words(1, 1_000),
  path: words(1, 1_000),
  /** Becomes part of a file name and of a line that others see. */
  sessionID: z
    .string()
    .trim()
    .regex(/^[\w-]{1,50}$/, "expected 1 to 50 letters, digits, _ or -"),
};

/**
 * The scope that `project` names: "global", or this project by its name or folder. @throws StrataError for any other
 * project, since a server serves only one.
 */
export function readScope({ cli, root }: Project, given: string | undefined): Memory["scope"] | undefined {
  if (given === undefined) return undefined;
  if (given === "global") return "global";
  if (given === basename(root) || resolve(cli.folder, given) === root) return "project";
  throw refuse(
    `This server serves ${basename(root)} (${root}) and global memories; "${given}" is neither. Omit project, or start strata mcp --project ${given}.`,
  );
}
