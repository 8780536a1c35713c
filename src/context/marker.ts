import { isAbsolute, relative } from "node:path";
import { formatCount } from "../base/format.js";
import type { ToolPart } from "../io/message.js";
import type { Supersession } from "./superseded.js";

export interface Marked {
  part: ToolPart;
  /** Size of the file's content. */
  bytes: number;
  /** Path of the whole result. */
  file: string;
  /** The agent's working directory, to which OpenCode's tools resolve relative paths. */
  directory: string;
  superseded?: Supersession | undefined;
  /** Its first word; default: "Cleared". */
  verb?: MarkerVerb | undefined;
}

export type MarkerVerb = "Cleared" | "Dropped by the user";

/** Estimated tokens of a marker. */
export const MARKER_TOKENS = 30;

/**
 * The marker that replaces a cleared result: what it was, how it was superseded, and its path. The call right above it
 * says what it was about. Every request of a long session sends hundreds of markers, so each word costs as much as a
 * page a day.
 */
export function formatMarker({ part, bytes, file, directory, superseded, verb = "Cleared" }: Marked): string {
  const { exit } = part.state.metadata ?? {};
  const what = [
    `${part.tool} result`,
    ...(typeof exit === "number" ? [`exit status ${exit}`] : []),
    `${formatCount(bytes)} bytes`,
    ...(superseded === undefined ? [] : [superseded]),
  ];
  return `[Strata] ${verb}: ${what.join(", ")}; whole in ${formatPath(file, directory)}`;
}

/** Relative to the working directory if it lies inside it. */
export function formatPath(path: string, directory: string): string {
  const inside = relative(directory, path);
  return isAbsolute(path) && inside !== "" && inside.length < path.length ? inside : path;
}
