/** Histories of every shape that OpenCode may pass. */

import type { Message, MessageInfo, Part, ToolPart, ToolState } from "../../src/io/message.js";
import { MORNING } from "./fake-clock.js";
import { fc } from "./property.js";

/** A message without its time. */
export interface Step {
  role: "user" | "assistant";
  parts: readonly PartStep[];
  /** Milliseconds since the previous message. */
  pauseMs: number;
  /** An answer with the provider's count, an aborted one, a summary by the host, or a failed one. */
  ending: "ended" | "broken off" | "summary" | "failed summary";
  /** Whether the provider read from its cache. */
  isCached: boolean;
}

type PartStep = Part | { type: "call"; tool: string; path: number; state: Partial<ToolState> };

const SECOND = 1_000;
const pauseMs = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 5, max: 90 }).map((seconds) => seconds * SECOND) },
  fc.constantFrom(7 * 60 * SECOND, 2 * 3_600 * SECOND, 24 * 3_600 * SECOND),
);

/** Distinct lines, so that no two results are equal by chance. */
const long = fc
  .record({
    seed: fc.nat(9_999),
    width: fc.integer({ min: 5, max: 60 }),
    lines: fc.integer({ min: 8, max: 220 }),
  })
  .map(({ seed, width, lines }) => `${seed} ${"x".repeat(width)}\n`.repeat(lines));
const output = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 5, arbitrary: long },
  fc.integer({ min: 60, max: 2_500 }).map((count) => "🦆\r\n".repeat(count)),
);
const HOST_FILE = "/data/tool-output/tool_1";
const state: fc.Arbitrary<Partial<ToolState>> = fc.oneof(
  { weight: 10, arbitrary: output.map((text) => ({ status: "completed", output: text })) },
  output.map((text) => ({ status: "error", error: text })),
  output.map((text) => ({ status: "error", error: "gone", metadata: { interrupted: true, output: text } })),
  output.map((text) => ({
    status: "completed",
    output: text,
    attachments: [{ type: "file", url: "data:," }],
  })),
  output.map((text) => ({
    status: "completed",
    output: `${text}\nFull output saved to: ${HOST_FILE}`,
    metadata: { truncated: true, outputPath: HOST_FILE },
  })),
  fc.constantFrom({ status: "pending" }, { status: "running" }),
);
const toolCall: fc.Arbitrary<PartStep> = fc.record({
  type: fc.constant("call" as const),
  tool: fc.constantFrom(
    "read",
    "read",
    "bash",
    "bash",
    "grep",
    "edit",
    "write",
    "task",
    "skill",
    "todowrite",
    "mcp_x",
  ),
  path: fc.nat(4),
  state,
});
const saidPart: fc.Arbitrary<PartStep> = fc.constantFrom<Part>(
  { type: "text", text: "so" },
  { type: "text", text: "Never use eval, because it is slow." },
  { type: "text", text: "synthetic", synthetic: true },
  { type: "text", text: "" },
);
const answerPart = fc.oneof(
  { weight: 5, arbitrary: toolCall },
  saidPart,
  fc.constantFrom<PartStep>({ type: "reasoning", text: "hm" }, { type: "step-start" }),
);
const ending = fc.oneof(
  { weight: 12, arbitrary: fc.constant("ended" as const) },
  fc.constantFrom("broken off" as const, "failed summary" as const),
);
const isCached = fc.boolean();
const answerStep: fc.Arbitrary<Step> = fc.record({
  role: fc.constant("assistant" as const),
  parts: fc.array(answerPart, { maxLength: 7 }),
  pauseMs,
  ending,
  isCached,
});
const userStep: fc.Arbitrary<Step> = fc.record({
  role: fc.constant("user" as const),
  parts: fc.array(saidPart, { maxLength: 2 }),
  pauseMs,
  ending: fc.constant("ended" as const),
  isCached,
});

/** A working session: few user messages and many answers with calls. */
export const session: fc.Arbitrary<Step[]> = fc
  .tuple(
    userStep,
    fc.array(fc.oneof({ weight: 5, arbitrary: answerStep }, userStep), { minLength: 3, maxLength: 22 }),
  )
  .map(([first, rest]) => [first, ...rest]);

/** Steps of all kinds in any order, including summaries by the host. */
export const disorder: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    answerStep,
    userStep,
    answerStep.map((step): Step => ({ ...step, role: "user" })),
    answerStep.map(
      (step): Step => ({ ...step, ending: "summary", parts: [{ type: "text", text: "In short." }] }),
    ),
  ),
  { minLength: 1, maxLength: 14 },
);

const MODEL = { providerID: "acme", modelID: "large" };

/** The message of a step at a time; call ids repeat in every message. */
export function placeStep(step: Step, index: number, created: number | undefined): Message {
  const { role, ending: end } = step;
  const time =
    created === undefined
      ? undefined
      : { created, ...(role === "assistant" && { completed: created + SECOND }) };
  const info: MessageInfo = {
    id: `msg_${index}`,
    sessionID: "ses_1",
    role,
    agent: "build",
    ...(time && { time }),
    ...(role === "user" ? { model: MODEL } : MODEL),
    ...(end.endsWith("summary") && { summary: true, finish: "stop" }),
    ...((end === "broken off" || end === "failed summary") && { error: { name: "UnknownError" } }),
  };
  const parts = step.parts.map((part, n) => (isCallStep(part) ? placeCall(part, n, created) : part));
  return { info, parts };
}

/** Start time of each step. */
export function planTimes(steps: readonly Step[]): number[] {
  let now = MORNING;
  return steps.map(({ pauseMs: pause }) => {
    now += pause;
    return now;
  });
}

/** The answer with the provider's token count. */
export function countAnswer(
  message: Message,
  { ending: end, isCached: cached }: Step,
  promptTokens: number,
): Message {
  if (message.info.role !== "assistant" || end !== "ended") return message;
  const read = cached ? Math.floor(promptTokens * 0.9) : 0;
  const tokens = { input: promptTokens - read, output: 50, reasoning: 0, cache: { read, write: 0 } };
  return { ...message, info: { ...message.info, tokens } };
}

function isCallStep(part: PartStep): part is Extract<PartStep, { type: "call" }> {
  return part.type === "call";
}

function placeCall(
  { tool, path, state: given }: Extract<PartStep, { type: "call" }>,
  n: number,
  created: number | undefined,
): ToolPart {
  const filePath = `/project/src/file-${path}.ts`;
  const inputs: Record<string, Record<string, unknown>> = {
    bash: { command: `npm test ${path}${"\nnpm run check".repeat(path * 20)}` },
    grep: { pattern: `p${path}` },
    skill: { name: `skill ${path}` },
    edit: { filePath, oldString: "old\n".repeat(path * 30), newString: "new\n".repeat(path * 60) },
    write: { filePath, content: "line\n".repeat(path * 90) },
    todowrite: {
      todos: Array.from({ length: 1 + path * 5 }, () => ({ content: "todo", status: "pending" })),
    },
  };
  return {
    type: "tool",
    tool,
    callID: `call_${n}`,
    state: {
      status: "completed",
      input: inputs[tool] ?? { filePath },
      ...given,
      ...(created !== undefined && { time: { start: created + n } }),
    },
  };
}
