import type { Message, ToolPart, ToolState } from "../../src/io/message.js";
import { MORNING } from "./fake-clock.js";

let ids = 0;

/** A message as OpenCode passes it to the plugin. */
export function user(text: string, sessionID = "ses_1"): Message {
  return { info: info("user", sessionID), parts: [{ type: "text", text }] };
}

/** An answer with these calls. */
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

/** The results of a message's calls as a model would get them. */
export function outputs(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool" ? [(part as ToolPart).state.output ?? ""] : [])),
  );
}

/** The same history with new message ids, as in a host's fork. */
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

/** The file path in a preview. */
export function pathIn(preview: string | undefined): string {
  return /^(\/|C:\\).*[\\/]tool-results[\\/].*\.txt$/m.exec(preview ?? "")?.[0] ?? `no path in: ${preview}`;
}
