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

/** Reads a session; throws if the file is not one. */
export function readSession(path: string): RecordedSession {
  const { cwd = "", id, turns } = JSON.parse(readFileSync(path, "utf8")) as Partial<RecordedSession>;
  if (
    id === undefined ||
    !turns?.every(({ steps, user }) => typeof user === "string" && Array.isArray(steps))
  )
    throw new Error(`${path} is not a recorded session: expected { id, cwd, turns: [{ user, steps }] }`);
  const fill = ({ args = {}, result = "", ...call }: Partial<RecordedCall>) => ({ ...call, args, result });
  const complete = (step: RecordedStep) => ({ ...step, calls: step.calls.map(fill) as RecordedCall[] });
  return { id, cwd, turns: turns.map((turn) => ({ ...turn, steps: turn.steps.map(complete) })) };
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
