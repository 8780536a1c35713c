import type { ToolPart } from "../io/message.js";

/**
 * File with the full text of a result that the host has truncated. The host names it in the text as well, so a tool that
 * sets the field for its own purposes is ignored.
 */
export function findCutPath({ state: { metadata } }: ToolPart, text: string): string | undefined {
  const path = metadata?.outputPath;
  return metadata?.truncated === true && typeof path === "string" && text.includes(path) ? path : undefined;
}
