/** Prompts one of our own sessions and waits for the turn to end; time, tokens and retries are bounded. */
import type { PluginInput } from "@opencode-ai/plugin";
import type { AssistantMessage, Part } from "@opencode-ai/sdk";
import { formatError } from "../../base/error.js";
import { type Clock, type Waited, waitAtMost } from "../../io/clock.js";
import type { UsedTokens } from "../../io/host.js";

export interface Asking {
  /** Never rejects. Breaking off ends only the wait: the host continues the turn until it is aborted. */
  ask(sessionID: string, body: PromptBody, limits: AskLimits): Promise<Ending>;
  /** The host's answer, or `undefined` after `deadlineMs` (5 s) or an error. */
  bounded<T>(call: (signal: AbortSignal) => Promise<T>, deadlineMs?: number): Promise<T | undefined>;
}

export interface AskLimits {
  signal: AbortSignal;
  deadlineMs: number;
  /** Calls `breakOff` once the turn is bound to fail. Call the returned function to stop watching. */
  watch(breakOff: (trouble: Trouble) => void): () => void;
}

/** Why one of our turns is bound to fail. */
export interface Trouble {
  reason: string;
  /** The provider refused the request; the host would retry it without limit. */
  isRefusal: boolean;
}

export interface Answer {
  info: AssistantMessage;
  parts: Part[];
}

/** How the wait for an answer ended. */
export type Ending = { kind: "answered"; answer: Answer } | { kind: "brokenOff"; trouble: Trouble };

export type PromptBody = NonNullable<Parameters<PluginInput["client"]["session"]["prompt"]>[0]["body"]>;

const CALL_DEADLINE_MS = 5_000;

export const NO_TOKENS: UsedTokens = { input: 0, output: 0, cacheRead: 0 };

export function createAsking(client: PluginInput["client"], clock: Clock): Asking {
  return {
    async ask(id, body, { signal, deadlineMs, watch }) {
      let breakOff = (_trouble: Trouble): void => {};
      const brokenOff = new Promise<Ending>((resolve) => {
        breakOff = (trouble) => resolve({ kind: "brokenOff", trouble });
      });
      const callOff = (): void => breakOff({ reason: "called off", isRefusal: false });
      signal.addEventListener("abort", callOff, { once: true });
      const unwatch = watch(breakOff);
      const answered = waitAtMost(clock, deadlineMs, () => client.session.prompt({ path: { id }, body }));
      try {
        return await Promise.race([answered.then((waited) => readWaited(waited, deadlineMs)), brokenOff]);
      } finally {
        unwatch();
        signal.removeEventListener("abort", callOff);
      }
    },

    async bounded(call, deadlineMs = CALL_DEADLINE_MS) {
      const waited = await waitAtMost(clock, deadlineMs, call);
      return waited.kind === "done" ? waited.value : undefined;
    },
  };
}

function readWaited(
  waited: Waited<{ data: Answer | undefined; error: unknown }>,
  deadlineMs: number,
): Ending {
  const brokenOff = (reason: string): Ending => ({
    kind: "brokenOff",
    trouble: { reason, isRefusal: false },
  });
  if (waited.kind === "overran") return brokenOff(`no answer within ${deadlineMs / 1_000} s`);
  if (waited.kind === "failed") return brokenOff(formatError(waited.thrown));
  const { data, error } = waited.value;
  return data ? { kind: "answered", answer: data } : brokenOff(`the host refused: ${readMessage(error)}`);
}

/** Tokens of one answer, as the provider reported them. */
export function readTokens({ tokens }: Pick<AssistantMessage, "tokens">): UsedTokens {
  return {
    input: tokens.input + tokens.cache.write,
    output: tokens.output + tokens.reasoning,
    cacheRead: tokens.cache.read,
  };
}

export function sumTokens(all: readonly UsedTokens[]): UsedTokens {
  const sum = { ...NO_TOKENS };
  for (const { input, output, cacheRead } of all) {
    sum.input += input;
    sum.output += output;
    sum.cacheRead += cacheRead;
  }
  return sum;
}

/** Text parts only, without tool calls. */
export function readText(parts: readonly { type: string; text?: unknown }[]): string {
  return parts.map(({ type, text }) => (type === "text" && typeof text === "string" ? text : "")).join("");
}

/** The message of a host error. */
export function readMessage(error: unknown): string {
  const { name, data } = (error ?? {}) as { name?: unknown; data?: { message?: unknown } };
  return String(data?.message ?? name ?? "it did not say why");
}
