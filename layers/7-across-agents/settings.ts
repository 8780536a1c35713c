import * as z from "zod";
import { byAnyone, byUserOrLower, enabled, whole } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { forkTimeout, forkTokens, onConflict } = defaults.crossAgent;

const crossAgent = z.strictObject({
  enabled: enabled("Layer 7: subagents and instances share what they know."),
  onConflict: byAnyone(
    z
      .enum(["warn", "block", "off"])
      .default(onConflict)
      .describe(
        'What happens when the agent edits a file that another instance has leased, or has edited in the last ten minutes. "warn": the agent is warned. "block": the edit is refused. "off": nothing.',
      ),
  ),
  forkTimeout: byUserOrLower(whole(1_000, 3_600_000, forkTimeout, "Milliseconds that one fork may take.")),
  forkTokens: byUserOrLower(
    whole(1_000, 100_000_000, forkTokens, "Tokens that one fork may use. A cached token counts a tenth."),
  ),
});

export const schemas = { crossAgent };

declare module "../../src/config/schema.js" {
  interface Config {
    crossAgent: z.output<typeof crossAgent>;
  }
  interface StrataOptions {
    crossAgent?: z.input<typeof crossAgent>;
  }
}
