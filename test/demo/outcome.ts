/** What became of a tool call: what the model was sent of its result, and where the whole of it lies. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { HOST } from "../host/stage/which-host.js";
import type { WorkCall } from "./story.js";

/**
 * What stands in a request for the result of a call: the whole of it, what OpenCode has left of it, a preview of
 * Strata's, Strata's line that it was cleared, or nothing, since history was replaced.
 */
export type RecordedDecisions = "whole" | "cut" | "preview" | "cleared" | "gone";

/** A tool call with its result, as a request carried them. */
export interface Outcome {
  call: WorkCall;
  standing: RecordedDecisions;
  /** The result, as the model got it. */
  text: string;
  sentBytes: number;
  /** Size of the whole of it, where there is a file of it. */
  wholeBytes: number;
  /** The file to look into for what the model does not have. */
  lookIn: string | undefined;
  /** The file that Strata keeps it in. */
  movedTo: string | undefined;
}

/**
 * What stands for a call in a request; `text` is `undefined` where the request has no result of it. Paths in it are as
 * seen from the folder.
 */
export function readOutcome(call: WorkCall, text: string | undefined, folder: string): Outcome {
  // Read shows the text of a file, of which there is no need to look at a copy.
  const source = call.tool === "read" ? String(call.args.filePath) : undefined;
  const standing = readStanding(call, text);
  const movedTo = isStrata(standing) ? readMovedTo(text ?? "", folder) : undefined;
  const lookIn = standing === "whole" ? undefined : (source ?? movedTo ?? readHostFile(text ?? ""));
  const sentBytes = Buffer.byteLength(text ?? "");
  const wholeBytes = lookIn === undefined ? sentBytes : sizeOf(lookIn);
  return { call, standing, text: text ?? "", sentBytes, wholeBytes, lookIn, movedTo };
}

function readStanding(call: WorkCall, text: string | undefined): RecordedDecisions {
  if (text === undefined) return "gone";
  if (text.startsWith("[Strata] Cleared")) return "cleared";
  if (text.startsWith("[Strata] ")) return "preview";
  const isCut = call.tool === "read" ? isCappedRead(call, text) : readHostFile(text) !== undefined;
  return isCut ? "cut" : "whole";
}

function isStrata(standing: RecordedDecisions): boolean {
  return standing === "preview" || standing === "cleared";
}

/** The file that a preview or the line of a cleared result names. */
function readMovedTo(text: string, folder: string): string | undefined {
  const path =
    /^\[Strata\] Cleared: (?:.*; )?whole in (.*\.txt)$/.exec(text)?.[1] ?? /^(\/.*\.txt)$/m.exec(text)?.[1];
  return path && resolve(folder, path);
}

/** The host's Read stops at 50 KB and says so at the end; OpenCode 2 says the same where the asked-for lines end. */
function isCappedRead({ args }: WorkCall, text: string): boolean {
  const end = text.slice(-500);
  if (HOST === 1) return /\n\(Output capped at [^\n]*\)\n<\/content>\s*$/.test(end);
  const next = /\n\[Output truncated\. Continue reading with offset: (\d+)\]$/.exec(end)?.[1];
  return next !== undefined && Number(next) - Number(args.offset ?? 1) < Number(args.limit ?? MAX_LINES);
}

/** What Read shows at most, unless less is asked for. */
const MAX_LINES = 2_000;

/** Where the host keeps the whole of a result that it has cut. */
const HOST_FILE =
  HOST === 1
    ? /\bFull output saved to: (\/.*\/tool-output\/.*)$/m
    : /(?:\[full output|truncated; full content) saved to (\/.*\/(?:shell|tool-output)\/.*?)(?:\]| \.\.\.)$/m;

function readHostFile(text: string): string | undefined {
  const path = HOST_FILE.exec(text)?.[1];
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** 0 where there is no file: that is found out, and said, when the run is checked. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
