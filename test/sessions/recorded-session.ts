/**
 * A recorded agent session, as a JSON file:
 *
 *     { id, cwd, turns: [{ user, at?, steps: [{ at?, say?, calls: [{ tool, name?, args, result, error? }] }] }] }
 *
 * `at` is in milliseconds. `tool` is OpenCode's name for what the agent called, with OpenCode's fields in `args`;
 * `other` is a tool that OpenCode does not have, and `name` is its own. Paths begin with `cwd`, if it is there. Missing
 * arguments and results are empty ones.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anyObject, type Check, list, number, object, optional, string } from "../../src/base/shape.js";

/** One tool call with its recorded answer. */
export interface RecordedCall {
  tool: string;
  name?: string | undefined;
  args: Record<string, unknown>;
  result: string;
  /** Whether the call failed. */
  error?: boolean | undefined;
}

/** One answer of the model. */
export interface RecordedStep {
  at?: number | undefined;
  say?: string | undefined;
  calls: RecordedCall[];
}

/** A user's message and the answers to it. */
export interface RecordedTurn {
  user: string;
  at?: number | undefined;
  steps: RecordedStep[];
}

export interface RecordedSession {
  id: string;
  /** The folder that the agent worked in; empty if it is not known. */
  cwd: string;
  turns: RecordedTurn[];
}

/** As in the file. */
interface WrittenCall extends Omit<RecordedCall, "args" | "result"> {
  args?: Record<string, unknown> | undefined;
  result?: string | undefined;
}

interface WrittenStep extends Omit<RecordedStep, "calls"> {
  calls: WrittenCall[];
}

interface WrittenTurn extends Omit<RecordedTurn, "steps"> {
  steps: WrittenStep[];
}

interface WrittenSession {
  id: string;
  cwd?: string | undefined;
  turns: WrittenTurn[];
}

const isFlag: Check<boolean> = (value): value is boolean => typeof value === "boolean";
const isCall = object<WrittenCall>({
  tool: string,
  name: optional(string),
  args: optional<Record<string, unknown>>(anyObject),
  result: optional(string),
  error: optional(isFlag),
});
const isStep = object<WrittenStep>({ at: optional(number), say: optional(string), calls: list(isCall) });
const isTurn = object<WrittenTurn>({ user: string, at: optional(number), steps: list(isStep) });
const isSession = object<WrittenSession>({ id: string, cwd: optional(string), turns: list(isTurn) });

/** Reads a session; throws if the file is not one. */
export function readSession(path: string): RecordedSession {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (isSession(value)) return complete(value);
  throw new Error(`${path} is not a recorded session: expected { id, cwd, turns: [{ user, steps }] }`);
}

function complete({ id, cwd = "", turns }: WrittenSession): RecordedSession {
  const fill = ({ args = {}, result = "", ...call }: WrittenCall): RecordedCall => ({
    ...call,
    args,
    result,
  });
  return {
    id,
    cwd,
    turns: turns.map(({ steps, ...turn }) => ({
      ...turn,
      steps: steps.map(({ calls, ...step }) => ({ ...step, calls: calls.map(fill) })),
    })),
  };
}

/** Reads the sessions of a folder, all of them or those named, in order of their names. */
export function readSessions(folder: string, names: readonly string[] = []): RecordedSession[] {
  const found = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .sort();
  const missing = names.filter((name) => !found.includes(name));
  if (found.length === 0 || missing.length > 0)
    throw new Error(
      `${folder} has no session ${missing.join(", ")}; it has: ${found.join(", ") || "no .json file"}`,
    );
  return found
    .filter((name) => names.length === 0 || names.includes(name))
    .map((name) => readSession(join(folder, `${name}.json`)));
}
