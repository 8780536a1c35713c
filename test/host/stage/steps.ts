/**
 * What a scripted model can be told to do with one request, as small builders, so that a script reads
 * like a dialogue:
 *
 *     model.script(call("read", { filePath }), say("It is a list of names."));
 *
 * A step is plain data; `model-answer.ts` turns it into bytes on the wire.
 */

/** One tool call of an answer. Without an `id` the model gives it the next of its own (`call_1`, …). */
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

/** The beginning of an answer, then a closed socket. */
export interface HangUpStep {
  kind: "hangUp";
  text: string;
}

/** What the model does with one request. */
export type Step = SayStep | CallsStep | FailStep | StallStep | HangUpStep;

/** Token counts to report in place of the measured ones. */
export interface ReportedUsage {
  promptTokens?: number;
  cachedTokens?: number;
  outputTokens?: number;
}

/** Answers with this text. */
export function say(text: string): SayStep {
  return { kind: "say", text };
}

/** Answers with one tool call. Give `id` to force a call id, for example one that was used before. */
export function call(
  tool: string,
  args: Record<string, unknown> = {},
  options: { id?: string } = {},
): CallsStep {
  return { kind: "calls", calls: [{ tool, args, ...options }] };
}

/** Answers with several tool calls at once: `calls(call("a"), call("b"))`. */
export function calls(...steps: CallsStep[]): CallsStep {
  return { kind: "calls", calls: steps.flatMap((step) => step.calls) };
}

/** Refuses with an HTTP status. The host tries again, after seconds, on 429 and 5xx; not on other 4xx. */
export function fail(status: number, message = `scripted failure ${status}`): FailStep {
  return { kind: "fail", status, message };
}

/** Sends headers and then nothing, until the client goes away or the model is closed. */
export function stall(): StallStep {
  return { kind: "stall" };
}

/** Sends the beginning of an answer and closes the socket. */
export function hangUp(text = "I was about to"): HangUpStep {
  return { kind: "hangUp", text };
}

/** The same answer, reporting these token counts: a window can be "full" without megabytes of prompt. */
export function reporting<T extends SayStep | CallsStep>(step: T, usage: ReportedUsage): T {
  return { ...step, usage };
}
