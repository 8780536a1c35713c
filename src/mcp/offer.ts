/** Decides which tools a client gets, and with which arguments. Pure. */
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { StrataError } from "../base/error.js";
import { WRONG_ARGUMENT } from "../operations/command.js";
import type { SharedContextOptions } from "./shared-context.js";
import type { Effect, McpTool } from "./tool.js";

export interface OfferOptions extends SharedContextOptions {
  /** The client is OpenCode, and its plugin serves the same project. */
  isBesidePlugin: boolean;
}

/** Leaves out tools and arguments that this server does not allow or the client already has. */
export function planOffer(
  wanted: readonly McpTool[],
  { allowsFiles, allowsPrivate, isBesidePlugin }: OfferOptions,
): McpTool[] {
  return wanted
    .filter(({ files, isPlugins }) => !(isPlugins && isBesidePlugin) && (allowsFiles || files !== "all"))
    .map((tool) => {
      const closed = [
        ...(allowsFiles || tool.files === "all" ? [] : (tool.files ?? [])),
        ...(allowsPrivate ? [] : (tool.privateArguments ?? [])),
      ];
      return closed.length === 0 ? tool : { ...tool, input: withoutFields(tool.input, closed) };
    });
}

function withoutFields({ shape }: z.ZodObject, names: readonly string[]): z.ZodObject {
  return z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => !names.includes(name))));
}

/** The tools that `--tools` names: `all`, `default`, or names separated by commas. @throws WRONG_ARGUMENT */
export function chooseTools(all: readonly McpTool[], given: string = "default"): readonly McpTool[] {
  if (given === "all") return all;
  if (given === "default") return all.filter(({ isDefault }) => isDefault);
  const names = given.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !all.some((tool) => tool.name === name));
  if (unknown === undefined) return all.filter(({ name }) => names.includes(name));
  throw new StrataError(
    WRONG_ARGUMENT,
    `--tools: expected all, default, or names such as recall,remember; "${unknown}" came. docs/mcp.md lists them`,
  );
}

/** A tool as the protocol describes it. */
export function describeTool({ description, effect, input, name }: McpTool) {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return { name, description, inputSchema: inputSchema as { type: "object" }, annotations: hints[effect] };
}

/** Without hints, clients assume the worst. */
const hints: Readonly<Record<Effect, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  destroy: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  ask: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
};

/** Says what is wrong with the arguments, and lists the valid ones. */
export function formatFaults({ input, name }: McpTool, { issues }: z.ZodError): string {
  const faults = issues.map(({ message, path }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  const known = Object.keys(input.shape);
  const has = known.length === 0 ? "no arguments" : `the arguments ${known.join(", ")}`;
  return `Nothing was done. ${faults.join("; ")}. ${name} has ${has}.`;
}
