import * as z from "zod";
import { enabled, whole } from "../../src/config/fields.js";
import { byAnyone, byUser } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { retryLimit, summaryTimeout, threshold } = defaults.autoCompact;

const autoCompact = z.strictObject({
  enabled: enabled("Layer 4: history is compacted automatically."),
  threshold: byAnyone(
    whole(
      10_000,
      10_000_000,
      threshold,
      "Tokens. Compaction starts here, or earlier if the model's window is smaller.",
    ),
  ),
  retryLimit: byUser(
    whole(1, 10, retryLimit, "Consecutive failures after which automatic summaries are off for the session."),
  ),
  summaryTimeout: byUser(
    whole(
      1_000,
      3_600_000,
      summaryTimeout,
      "Milliseconds after which a summary by the host is aborted; summarising a full window takes up to a minute.",
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
