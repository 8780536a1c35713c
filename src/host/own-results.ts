/**
 * What a tool has returned in a session of our own, before its model reads it: only as much as the session's bounds
 * let through. Nothing of it is left where they cannot say.
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
/** A search may show a hundred files, each of which is read. */
const WITHIN_MS = 10_000;

/** Answers the host's hook behind a tool. Leaves alone what goes on in other sessions. */
export function cleanOwnResults({
  clock,
  log,
  ownSessions,
}: OwnResultsOptions): NonNullable<Hooks["tool.execute.after"]> {
  return async (call, result) => {
    if (!ownSessions.has(call?.sessionID)) return;
    const { output } = result;
    // Beside the text stand what people are shown of it and pictures, which nobody can look for keys in.
    Object.assign(result, { output: "(not shown)", metadata: {}, attachments: undefined });
    if (typeof output !== "string") return;
    const cleaned = await waitAtMost(clock, WITHIN_MS, () =>
      ownSessions.cleanResult(call.sessionID, call.tool, call.args, output),
    );
    if (cleaned.kind === "done") result.output = cleaned.value;
    else {
      const why =
        cleaned.kind === "failed" ? formatError(cleaned.thrown) : `it took more than ${WITHIN_MS} ms`;
      log.warn(SOURCE, `the result of ${call.tool} is not shown to our model: ${why}`);
    }
  };
}
