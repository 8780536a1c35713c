import type { Message, MessageInfo, ModelName, Part, ToolPart } from "../../src/io/message.js";
import type { FakeClock } from "./fake-clock.js";

/** A running session: every message takes time on the clock and ends before the next begins. */
export interface Session {
  readonly messages: Message[];
  user(text: string, info?: Partial<MessageInfo>): Message;
  /** An answer with these calls. The provider reports `sent` prompt tokens, `cached` of them from its cache. */
  answer(calls: readonly ToolPart[], options?: AnswerOptions): Message;
}

export interface AnswerOptions {
  sent?: number;
  cached?: number;
  text?: string;
  info?: Partial<MessageInfo>;
}

export const MODEL: ModelName = { providerID: "acme", modelID: "large" };
const SECONDS = 1_000;

export function createSession(clock: FakeClock, sessionID = "ses_1"): Session {
  const messages: Message[] = [];
  const add = (info: Omit<MessageInfo, "id" | "sessionID" | "agent">, parts: readonly Part[]): Message => {
    const message = { info: { id: `msg_${messages.length}`, sessionID, agent: "build", ...info }, parts };
    messages.push(message);
    return message;
  };
  return {
    messages,
    user(text, info = {}) {
      clock.advance(10 * SECONDS);
      return add({ role: "user", model: MODEL, time: { created: clock.now() }, ...info }, [
        { type: "text", text },
      ]);
    },
    answer(calls, { sent = 20_000, cached = sent - 1_000, text, info = {} } = {}) {
      clock.advance(1 * SECONDS);
      const created = clock.now();
      clock.advance(5 * SECONDS);
      const tokens = {
        input: sent - cached,
        output: 100,
        reasoning: 0,
        cache: { read: cached, write: 0 },
      };
      const time = { created, completed: clock.now() };
      const said: Part[] = text === undefined ? [] : [{ type: "text", text }];
      return add({ role: "assistant", ...MODEL, time, tokens, ...info }, [...calls, ...said]);
    },
  };
}

/** Tokens reported for an aborted answer. */
export const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
