/**
 * How the scripted agent looks at what it does not have: it searches the file that holds the result, or reads 120
 * lines of it. There is no file where history was replaced: then it makes the call again, of a command the first
 * 120 lines.
 */
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type CallsStep, call } from "../host/stage/steps.js";
import { numberOf } from "../support/chance.js";
import type { Outcome } from "./outcome.js";
import type { WorkCall } from "./story.js";

/** Lines that a look at a place in a large file takes. */
const LOOK_LINES = 120;

/** A large read, in bytes. */
const LARGE_READ = 20_000;

/**
 * Does the agent take a look at a place of this result at once? At half of those that it did not get whole: the
 * preview, or what OpenCode has left, is enough of the others. And at half of the large reads, as in a recorded
 * session, whether it got them whole or not. The same ones in every run.
 */
export function isNeeded({ call: made, standing, wholeBytes }: Outcome): boolean {
  const isLargeRead = made.tool === "read" && wholeBytes > LARGE_READ;
  return numberOf(made.id) % 2 === 0 && (isLargeRead || standing !== "whole");
}

/** A first look: of two results one is searched, the other read. */
export function lookInto(outcome: Outcome, id: string): CallsStep | undefined {
  const { call: made, standing } = outcome;
  const found =
    made.tool === "read" && standing === "whole"
      ? { ...outcome, standing: "cut" as const, lookIn: String(made.args.filePath) }
      : outcome;
  const isSearch = numberOf(id) % 4 < 2;
  return isSearch ? (searchIn(found, id) ?? lookAgain(found, id)) : lookAgain(found, id);
}

/** A look at some place of it, later on. No call where it still stands in the request. */
export function lookAgain(outcome: Outcome, id: string): CallsStep | undefined {
  const { call: made, standing, lookIn } = outcome;
  if (standing === "whole") return undefined;
  if (lookIn === undefined) return repeat(made, id);
  // A JSON document on one line, of which Read shows the beginning only.
  if (made.tool === "mcp_json") return bash(`tail -c +2049 ${lookIn} | head -c 4000`, id);
  const offset = 1 + (numberOf(id) % Math.max(1, countLines(lookIn) - LOOK_LINES));
  return call("read", { filePath: lookIn, offset, limit: LOOK_LINES }, { id });
}

function searchIn({ call: made, standing, lookIn }: Outcome, id: string): CallsStep | undefined {
  if (standing === "whole" || lookIn === undefined || made.tool === "mcp_json") return undefined;
  const args = { pattern: made.pattern, path: dirname(lookIn), include: basename(lookIn) };
  return call("grep", args, { id });
}

function repeat({ tool, args }: WorkCall, id: string): CallsStep {
  if (tool === "bash") return bash(`(${args.command}) | head -n ${LOOK_LINES}`, id);
  return call(tool, args, { id });
}

function bash(command: string, id: string): CallsStep {
  return call("bash", { command, description: "Look again" }, { id });
}

function countLines(path: string): number {
  return readFileSync(path, "utf8").split("\n").length;
}
