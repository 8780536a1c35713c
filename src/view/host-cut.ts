import type { ToolPart } from "../conversation/message.js";

/**
 * The file in which the host keeps the whole of a result that it has cut. The host names it in the text as well: a
 * tool that sets the field for reasons of its own is not believed.
 */
export function findCutPath({ state: { metadata } }: ToolPart, text: string): string | undefined {
  const path = metadata?.outputPath;
  return metadata?.truncated === true && typeof path === "string" && text.includes(path) ? path : undefined;
}
