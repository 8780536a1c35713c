/** Records the decisions on the results of one answer. */
import { formatError } from "../../src/base/error.js";
import { type DatedDecision, decide } from "../../src/context/decisions.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { LAYER, type Result, type Spilled } from "./results.js";

/**
 * Records the decisions and returns whether they hold. If they cannot be written, the originals stay, in this instance
 * for good: what was sent once must not change when the disk has room again. Never rejects.
 */
export type ResultRecord = (
  session: string,
  decided: { spilled: readonly Spilled[]; kept: readonly Result[] },
  signal: AbortSignal,
) => Promise<boolean>;

export function createResultRecord({
  background,
  decisions,
  log,
}: Pick<LayerContext, "background" | "decisions" | "log">): ResultRecord {
  return async (session, { kept, spilled }, signal) => {
    const made: DatedDecision[] = [
      ...spilled.map(({ result, text, file }) => decide(result, { outcome: "replaced", text, file })),
      ...kept.map((result) => decide(result, { outcome: "kept" })),
    ];
    if (made.length === 0) return true;
    // A kept result would be kept again if its record were lost, so the turn need not wait for the write.
    if (spilled.length === 0) {
      for (const { key } of made) decisions.remember(session, { key, outcome: "kept" });
      void background.add(() => write(session, made));
      return true;
    }
    return write(session, made, signal);
  };

  async function write(
    session: string,
    made: readonly DatedDecision[],
    signal?: AbortSignal,
  ): Promise<boolean> {
    try {
      await decisions.record(session, LAYER, made, signal);
      return true;
    } catch (thrown) {
      log.error(
        LAYER,
        `cannot record decisions; ${made.length} results stay in the context: ${formatError(thrown)}`,
      );
      for (const { key } of made) decisions.remember(session, { key, outcome: "kept" });
      // A disk that was slow, or failed once, can still record for the next start that they stay.
      const kept = made.map(({ day, key }) => decide({ day, key }, { outcome: "kept" }));
      if (signal) void background.add(() => write(session, kept));
      return false;
    }
  }
}
