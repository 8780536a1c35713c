import { isAbsolute, relative } from "node:path";
import type { ToolPart } from "../../src/conversation/message.js";
import { formatCount } from "../../src/format.js";
import type { Supersession } from "./superseded.js";

export interface Marked {
  part: ToolPart;
  /** Size of what is in the file. */
  bytes: number;
  /** Where the whole result lies. */
  file: string;
  /** Where the agent works: OpenCode's tools take paths as seen from there. */
  directory: string;
  superseded?: Supersession | undefined;
}

/** Tokens that a marker takes, for planning. */
export const MARKER_TOKENS = 30;

/**
 * What stands for a cleared result: what it was, how it was superseded, and where it lies. What the call was about
 * stands right above it, in the call. Hundreds of markers are sent with every request of a long session: each word
 * of this one costs as much as a page a day.
 */
export function formatMarker({ part, bytes, file, directory, superseded }: Marked): string {
  const { exit } = part.state.metadata ?? {};
  const what = [
    `${part.tool} result`,
    ...(typeof exit === "number" ? [`exit status ${exit}`] : []),
    `${formatCount(bytes)} bytes`,
    ...(superseded === undefined ? [] : [superseded]),
  ];
  return `[Strata] Cleared: ${what.join(", ")}; whole in ${formatPath(file, directory)}`;
}

function formatPath(path: string, directory: string): string {
  const inside = relative(directory, path);
  return isAbsolute(path) && inside !== "" && inside.length < path.length ? inside : path;
}
