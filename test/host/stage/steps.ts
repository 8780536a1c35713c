/**
 * Small builders for the steps of a scripted model, one per request, so that a script reads like a
 * dialogue:
 *
 *     model.script(call("read", { filePath }), say("It is a list of names."));
 *
 * A step is plain data; `model-answer.ts` turns it into bytes on the wire.
 */

import { HOST } from "./which-host.js";

/** A tool call of an answer. Without an `id` the model assigns the next one (`call_1`, …). */
export interface PlannedCall {
  tool: string;
  args: Record<string, unknown>;
  id?: string;
}

/** An answer that is text. */
export interface SayStep {
  kind: "say";
  text: string;
  usage?: ReportedUsage;
}

/** An answer that calls one tool, or several in parallel. */
export interface CallsStep {
  kind: "calls";
  /** What the answer says before its calls; nothing by default. */
  text?: string;
  calls: PlannedCall[];
  usage?: ReportedUsage;
}

/** A refusal: an HTTP status and an error body. */
export interface FailStep {
  kind: "fail";
  status: number;
  message: string;
}

/** Headers, then silence. */
export interface StallStep {
  kind: "stall";
}

/** The model's reaction to one request. */
export type Step = SayStep | CallsStep | FailStep | StallStep;

/** Token counts to report instead of the measured ones. */
export interface ReportedUsage {
  promptTokens?: number;
  cachedTokens?: number;
  outputTokens?: number;
}

/** Answers with this text. */
export function say(text: string): SayStep {
  return { kind: "say", text };
}

/** Answers with one tool call. `id` forces a call id, for example one already used. */
export function call(
  tool: string,
  args: Record<string, unknown> = {},
  options: { id?: string } = {},
): CallsStep {
  return { kind: "calls", calls: [{ ...(HOST === 2 ? toCall2(tool, args) : { tool, args }), ...options }] };
}

/** Answers with several tool calls at once: `calls(call("a"), call("b"))`. */
export function calls(...steps: CallsStep[]): CallsStep {
  return { kind: "calls", calls: steps.flatMap((step) => step.calls) };
}

/** Refuses with an HTTP status. The host retries 429 and 5xx after seconds, other 4xx not at all. */
export function fail(status: number, message = `scripted failure ${status}`): FailStep {
  return { kind: "fail", status, message };
}

/** Sends headers and then nothing until the client disconnects or the model closes. */
export function stall(): StallStep {
  return { kind: "stall" };
}

/** The same answer with these token counts, so that a window can be full without megabytes of prompt. */
export function reporting<T extends SayStep | CallsStep>(step: T, usage: ReportedUsage): T {
  return { ...step, usage };
}

const NAMES_2: Readonly<Record<string, string>> = { bash: "shell", task: "subagent", apply_patch: "patch" };

/** A call of OpenCode 1's tools as OpenCode 2 has them. */
function toCall2(tool: string, args: Record<string, unknown>): PlannedCall {
  if (tool === "bash") {
    const { description: _, ...rest } = args;
    return { tool: "shell", args: rest };
  }
  if (tool === "task") {
    const { subagent_type: agent, ...rest } = args;
    return { tool: "subagent", args: { ...rest, agent } };
  }
  if (tool === "skill") return { tool, args: { id: args.name } };
  const { filePath, ...rest } = args;
  return { tool: NAMES_2[tool] ?? tool, args: filePath === undefined ? args : { path: filePath, ...rest } };
}
