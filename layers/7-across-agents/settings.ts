import * as z from "zod";
import { byAnyone, enabled } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { onConflict } = defaults.crossAgent;

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
