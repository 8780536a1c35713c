import type { Message, ToolPart, ToolState } from "../../src/conversation/message.js";
import { MORNING } from "./fake-clock.js";

let ids = 0;

/** A message as OpenCode hands it to the plugin. */
export function user(text: string, sessionID = "ses_1"): Message {
  return { info: info("user", sessionID), parts: [{ type: "text", text }] };
}

/** An answer with these calls in it. */
export function answer(calls: ToolPart[], sessionID = "ses_1"): Message {
  return {
    info: info("assistant", sessionID),
    parts: [{ type: "step-start" }, ...calls, { type: "step-finish" }],
  };
}

/** Each message is a millisecond younger than the one before. */
function info(role: string, sessionID: string): Message["info"] {
  const created = MORNING + ++ids;
  return { id: `msg_${created}`, sessionID, role, time: { created } };
}

export interface CallOptions {
  callID?: string;
  startMs?: number;
  state?: Partial<ToolState>;
}

/** A call that has ended with this output. */
export function call(tool: string, output: string, { callID, startMs, state }: CallOptions = {}): ToolPart {
  const start = startMs ?? MORNING + ++ids;
  return {
    type: "tool",
    tool,
    callID: callID ?? `call_${++ids}`,
    state: {
      status: "completed",
      input: {},
      output,
      metadata: {},
      time: { start, end: start + 5 },
      ...state,
    },
  };
}

/** What a model would be sent of a message's calls. */
export function outputs(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool" ? [(part as ToolPart).state.output ?? ""] : [])),
  );
}

/** The same history under new message ids, as a fork of the host's has it. */
export function fork(messages: readonly Message[], sessionID: string): Message[] {
  return messages.map((message) => ({
    ...message,
    info: { ...message.info, id: `msg_${++ids}`, sessionID },
  }));
}

/** `count` lines of `width` characters. */
export function lines(count: number, width = 40): string {
  return Array.from({ length: count }, (_, index) => `${index + 1} `.padEnd(width, "x")).join("\n");
}

/** The path of the file that a preview names. */
export function pathIn(preview: string | undefined): string {
  return /^\/.*\/tool-results\/.*\.txt$/m.exec(preview ?? "")?.[0] ?? `no path in: ${preview}`;
}
