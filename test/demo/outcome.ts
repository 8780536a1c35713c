/** What became of a tool call: what the model was sent of its result, and where the whole of it lies. */
import { existsSync, statSync } from "node:fs";
import type { ModelRequest } from "../host/stage/model-request.js";

/** A tool call with its result, as a request carried them. */
export interface Outcome {
  callID: string;
  tool: string;
  args: Record<string, unknown>;
  /** The result, as the model got it. */
  text: string;
  sentBytes: number;
  /** Size of the whole of it. */
  wholeBytes: number;
  /** Whether the model got it whole, as OpenCode has cut it, or as a preview of Strata's. */
  standing: "whole" | "cut" | "preview";
  /** The file to look into for what the model did not get. */
  lookIn: string | undefined;
  /** The file that Strata moved it to. */
  movedTo: string | undefined;
}

/** All tool calls of a request that have a result, by call id, in order. */
export function readOutcomes(request: ModelRequest): Map<string, Outcome> {
  const calls = new Map(
    request.messages
      .flatMap((message) => message.tool_calls ?? [])
      .map(({ id, function: { name, arguments: args } }) => [id, { tool: name, args: JSON.parse(args) }]),
  );
  return new Map(
    request.toolResults().map(({ callID, text }) => {
      const { tool = "unknown", args = {} } = calls.get(callID) ?? {};
      return [callID, { callID, tool, args, text, ...readStanding(tool, args, text) }];
    }),
  );
}

/** Whether a tool result is a preview of Strata's. */
function isPreview(text: string): boolean {
  return text.startsWith("[Strata] This ");
}

/** The file that a preview names: the whole of its second line. */
function readMovedTo(preview: string): string {
  return preview.split("\n")[1] ?? "";
}

type Standing = Pick<Outcome, "sentBytes" | "wholeBytes" | "standing" | "lookIn" | "movedTo">;

function readStanding(tool: string, args: Record<string, unknown>, text: string): Standing {
  const sentBytes = Buffer.byteLength(text);
  // Read shows the text of a file, of which there is no need to look at a copy.
  const source = tool === "read" ? String(args.filePath) : undefined;
  if (isPreview(text)) {
    const movedTo = readMovedTo(text);
    const lookIn = source ?? movedTo;
    return { sentBytes, wholeBytes: sizeOf(lookIn), standing: "preview", lookIn, movedTo };
  }
  const cutTo = source !== undefined && isCappedRead(text) ? source : readHostFile(text);
  if (cutTo !== undefined) {
    return { sentBytes, wholeBytes: sizeOf(cutTo), standing: "cut", lookIn: cutTo, movedTo: undefined };
  }
  return { sentBytes, wholeBytes: sentBytes, standing: "whole", lookIn: undefined, movedTo: undefined };
}

/** The host's Read stops at 50 KB and says so at the end. */
function isCappedRead(text: string): boolean {
  return /\n\(Output capped at [^\n]*\)\n<\/content>\s*$/.test(text);
}

/** Where the host keeps the whole of a result that it has cut. */
function readHostFile(text: string): string | undefined {
  const path = /\bFull output saved to: (\/.*\/tool-output\/.*)$/m.exec(text)?.[1];
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** 0 where there is no file: that is found out, and said, when the run is checked. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
