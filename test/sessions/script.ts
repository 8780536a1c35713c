/** Turns a recorded session into the script that is played in a project. */
import { isRecord } from "../../src/base/shape.js";
import { call, type PlannedCall } from "../host/stage/steps.js";
import type { RecordedCall, RecordedSession, RecordedStep } from "./recorded-session.js";

/** An answer of the script. */
export interface ScriptStep {
  at: number | undefined;
  say: string;
  calls: RecordedCall[];
}

/** A user's message and the answers to it: all of them call tools but the last. */
export interface ScriptTurn {
  user: string;
  at: number | undefined;
  steps: ScriptStep[];
}

/** Moves all paths from the recorded folder into the project and merges answers that the host would end a turn at. */
export function planScript({ cwd, turns }: RecordedSession, folder: string): ScriptTurn[] {
  const moved = movePaths(turns, cwd, folder);
  return moved.map(({ user, at, steps }) => ({ user, at, steps: mergeSteps(steps) }));
}

/** The host ends a turn at an answer without a call, so such an answer is said with the next. */
function mergeSteps(steps: readonly RecordedStep[]): ScriptStep[] {
  const merged: ScriptStep[] = [];
  let said: string[] = [];
  for (const [index, { at, say = "", calls }] of steps.entries()) {
    if (say !== "") said.push(say);
    if (calls.length === 0 && index < steps.length - 1) continue;
    merged.push({ at, say: said.join("\n\n"), calls });
    said = [];
  }
  const last = merged.at(-1);
  if (!last || last.calls.length > 0) merged.push({ at: undefined, say: "Done.", calls: [] });
  return merged;
}

/** Replaces the folder in every string of the value. */
function movePaths<T>(value: T, from: string, to: string): T {
  const move = (one: unknown): unknown => {
    if (typeof one === "string") return from === "" ? one : one.replaceAll(from, to);
    if (Array.isArray(one)) return one.map(move);
    if (!isRecord(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, move(inner)]));
  };
  return move(value) as T;
}

/** The arguments as the host's tool gets them; those of a tool that the host lacks go into `input`. */
export function argumentsOf({ tool, name, args }: RecordedCall): Record<string, unknown> {
  return tool === "other" ? { name: name ?? "other", input: args.input ?? {} } : args;
}

/** The call as the host that runs has it. */
export function toPlanned(recorded: RecordedCall, id?: string): PlannedCall {
  const [planned] = call(recorded.tool, argumentsOf(recorded), id === undefined ? {} : { id }).calls;
  return planned as PlannedCall;
}
