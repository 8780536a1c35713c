/**
 * Watches the host's own compactions and reports their outcome to the breaker. Aborts one that the provider keeps
 * refusing or never answers, since it would block the user's turn for ever.
 */
import { isRecord } from "../../src/base/shape.js";
import { countUsableTokens, type ModelWindow } from "../../src/context/windows.js";
import type { MessageInfo } from "../../src/io/message.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { findEventSession, type HostEvent } from "../../src/messages/events.js";
import { countReportedTokens, isEndedAnswer } from "../../src/messages/history.js";
import type { Breakers } from "./breakers.js";

export interface CompactionWatch {
  /** Call when the host is about to summarise the session. */
  begin(sessionID: string): void;
  /** Remembers the window of the session's model. */
  noteWindow(sessionID: string, window: ModelWindow): void;
  hear(event: HostEvent): Promise<void>;
  /** Stops all deadlines. */
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
  /** Running compactions by session, each with the function that cancels its deadline. */
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
      // Idle without a summary: the user aborted it. End the watch, so that the next turn is not aborted by us.
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
      `the session could not be compacted (${why}). You can send your last message again.`,
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

/** Whether the user or a program aborted the session, which says nothing about summaries. */
function isAbort(error: unknown): boolean {
  return isRecord(error) && error.name === "MessageAbortedError";
}

function describeError(error: unknown): string {
  if (!isRecord(error)) return "an error";
  const message = isRecord(error.data) ? error.data.message : undefined;
  return `${String(error.name)}: ${String(message)}`.slice(0, 300);
}
