import * as z from "zod";
import { byAnyone, byUser, byUserOrLower, enabled, whole } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { coldThreshold, retryLimit, summaryTimeout, threshold } = defaults.autoCompact;

const autoCompact = z.strictObject({
  enabled: enabled("Layer 4: history is compacted automatically."),
  threshold: byAnyone(
    whole(
      10_000,
      10_000_000,
      threshold,
      "Tokens. Compaction starts at this size, or earlier if the model's window is smaller.",
    ),
  ),
  coldThreshold: byAnyone(
    z
      .union([z.literal(false), z.number().int().min(10_000).max(10_000_000)])
      .default(coldThreshold)
      .describe(
        "Tokens from which notes replace history at the first request after an hour or longer, if the prompt cache is cold. false: only `threshold` counts then, too.",
      ),
  ),
  retryLimit: byUserOrLower(
    whole(
      1,
      10,
      retryLimit,
      "Consecutive failed summaries after which automatic ones are off for the session.",
    ),
  ),
  summaryTimeout: byUser(
    whole(
      1_000,
      3_600_000,
      summaryTimeout,
      "Milliseconds after which the host's own summary is aborted. A summary of a full window takes up to a minute.",
    ),
  ),
});

export const schemas = { autoCompact };

declare module "../../src/config/schema.js" {
  interface Config {
    autoCompact: z.output<typeof autoCompact>;
  }
  interface StrataOptions {
    autoCompact?: z.input<typeof autoCompact>;
  }
}
