/**
 * A recorded agent session, as a JSON file:
 *
 *     { id, cwd, turns: [{ user, at?, steps: [{ at?, say?, calls: [{ tool, name?, args, result, error? }] }] }] }
 *
 * `at` is in milliseconds. `tool` is OpenCode's name for what the agent called, with OpenCode's fields in `args`;
 * `other` is a tool that OpenCode does not have, and `name` is its own. Paths begin with `cwd`, if it is there. Missing
 * arguments and results are empty ones.
 */
import type { PlayedCall } from "../../src/trial/look-ups.js";

/** One tool call with its recorded answer. */
export interface RecordedCall extends PlayedCall {
  name?: string | undefined;
  /** Exit code of a command; by default what the result says. */
  exit?: number | undefined;
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

/** The session in parsed JSON; throws if it is none. */
export function readRecorded(value: unknown, path: string): RecordedSession {
  const { cwd = "", id, turns } = value as Partial<RecordedSession>;
  if (
    id === undefined ||
    !turns?.every(({ steps, user }) => typeof user === "string" && Array.isArray(steps))
  )
    throw new Error(`${path} is not a recorded session: expected { id, cwd, turns: [{ user, steps }] }`);
  const fill = ({ args = {}, result = "", ...call }: Partial<RecordedCall>) => ({ ...call, args, result });
  const complete = (step: RecordedStep) => ({ ...step, calls: step.calls.map(fill) as RecordedCall[] });
  return { id, cwd, turns: turns.map((turn) => ({ ...turn, steps: turn.steps.map(complete) })) };
}
