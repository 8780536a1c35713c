/**
 * Filters tool results in our own sessions before the model reads them: only what the session's bounds allow remains,
 * and nothing if they cannot decide.
 */
import type { Hooks } from "@opencode-ai/plugin";
import { formatError } from "../error.js";
import type { Log } from "../record/log.js";
import { type Clock, waitAtMost } from "../seams/clock.js";
import type { OwnSessions } from "./own-sessions.js";

export interface OwnResultsOptions {
  clock: Clock;
  log: Log;
  ownSessions: Pick<OwnSessions, "cleanResult" | "has">;
}

const SOURCE = "own sessions";
/** A search can return a hundred files, and each is read. */
const WITHIN_MS = 10_000;

/** Handles the host's `tool.execute.after`; ignores other sessions. */
export function cleanOwnResults({
  clock,
  log,
  ownSessions,
}: OwnResultsOptions): NonNullable<Hooks["tool.execute.after"]> {
  return async (call, result) => {
    if (!ownSessions.has(call?.sessionID)) return;
    const { output } = result;
    // Metadata and attachments go too: they repeat the output or hold pictures, which cannot be searched for secrets.
    Object.assign(result, { output: "(not shown)", metadata: {}, attachments: undefined });
    if (typeof output !== "string") return;
    const cleaned = await waitAtMost(clock, WITHIN_MS, () =>
      ownSessions.cleanResult(call.sessionID, call.tool, call.args, output),
    );
    if (cleaned.kind === "done") result.output = cleaned.value;
    else {
      const why =
        cleaned.kind === "failed" ? formatError(cleaned.thrown) : `it took more than ${WITHIN_MS} ms`;
      log.warn(SOURCE, `result of ${call.tool} withheld from the background model: ${why}`);
    }
  };
}
