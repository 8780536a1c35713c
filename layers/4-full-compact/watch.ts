/**
 * Watches the host's own compactions and tells the breaker what became of them. One that a provider keeps refusing, or
 * never answers, is broken off: it would hold up the user's turn for ever.
 */

import { countReportedTokens, isEndedAnswer } from "../../src/conversation/history.js";
import type { MessageInfo } from "../../src/conversation/message.js";
import { findEventSession, type HostEvent } from "../../src/dispatcher/hooks.js";
import type { LayerContext } from "../../src/layer-context.js";
import { isRecord } from "../../src/records.js";
import { countUsableTokens, type ModelWindow } from "../../src/view/windows.js";
import type { Breakers } from "./breakers.js";

export interface CompactionWatch {
  /** The host is about to have the session summarised. */
  begin(sessionID: string): void;
  /** What fits into the window of the session's model. */
  noteWindow(sessionID: string, window: ModelWindow): void;
  hear(event: HostEvent): Promise<void>;
  /** Waits for nothing any more. */
  end(): void;
}

export interface CompactionWatchOptions extends LayerContext {
  breakers: Breakers;
}

export function createCompactionWatch({
  breakers,
  clock,
  config,
  host,
  toasts,
}: CompactionWatchOptions): CompactionWatch {
  /** Compactions under way, by session: each with what cancels its deadline. */
  const running = new Map<string, () => void>();
  const windows = new Map<string, ModelWindow>();

  return {
    begin(sessionID) {
      end(sessionID);
      const timeoutMs = config.autoCompact.summaryTimeout;
      const giveUp = () => void breakOff(sessionID, `no summary after ${formatDuration(timeoutMs)}`);
      running.set(sessionID, clock.after(timeoutMs, giveUp));
    },

    noteWindow: (sessionID, window) => void windows.set(sessionID, window),

    async hear({ type, properties }) {
      const { error, info, sessionID, status } = properties;
      if (type === "session.idle" || type === "session.deleted") leave(findEventSession(properties));
      if (type === "message.updated" && isAnswer(info)) {
        return breakers.hear(info.sessionID, { kind: "answered", fits: fits(info) });
      }
      if (typeof sessionID !== "string" || !running.has(sessionID)) return;
      // Idle without a summary: the user has broken it off, and what comes next is not to be broken off by us.
      if (type === "session.compacted" || type === "session.deleted" || type === "session.idle")
        end(sessionID);
      else if (type === "session.error" && isAbort(error)) end(sessionID);
      else if (type === "session.error") await fail(sessionID, describeError(error));
      else if (
        type === "session.status" &&
        isRetry(status) &&
        status.attempt >= config.autoCompact.retryLimit
      )
        await breakOff(sessionID, String(status.message), status.attempt);
    },

    end() {
      for (const sessionID of [...running.keys()]) end(sessionID);
    },
  };

  function leave(sessionID: string | undefined): void {
    if (sessionID !== undefined) breakers.leave(sessionID);
  }

  function fits({ sessionID, tokens }: MessageInfo): boolean {
    const window = windows.get(sessionID);
    return window !== undefined && countReportedTokens(tokens) < countUsableTokens(window);
  }

  function end(sessionID: string): boolean {
    running.get(sessionID)?.();
    return running.delete(sessionID);
  }

  async function fail(sessionID: string, why: string, attempts = 1): Promise<void> {
    if (end(sessionID)) await breakers.hear(sessionID, { kind: "failed", why, attempts });
  }

  async function breakOff(sessionID: string, why: string, attempts?: number): Promise<void> {
    if (!running.has(sessionID)) return;
    await fail(sessionID, why, attempts);
    host.abortSession(sessionID);
    toasts.show(
      `the session could not be compacted (${why}). Your last message can be sent again.`,
      "warning",
    );
  }
}

function isAnswer(info: unknown): info is MessageInfo {
  if (!isRecord(info) || !isRecord(info.time) || info.time.completed === undefined) return false;
  return isEndedAnswer({ info: info as unknown as MessageInfo, parts: [] });
}

function isRetry(status: unknown): status is { attempt: number; message?: unknown } {
  return isRecord(status) && status.type === "retry" && typeof status.attempt === "number";
}

function formatDuration(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} s` : `${Math.round(ms / 6_000) / 10} minutes`;
}

/** The user, or a program, has ended what the session was doing: that says nothing about summaries. */
function isAbort(error: unknown): boolean {
  return isRecord(error) && error.name === "MessageAbortedError";
}

function describeError(error: unknown): string {
  if (!isRecord(error)) return "an error";
  const message = isRecord(error.data) ? error.data.message : undefined;
  return `${String(error.name)}: ${String(message)}`.slice(0, 300);
}
