import * as z from "zod";
import { enabled, whole } from "../../src/config/fields.js";
import { byUser, byUserOrLower } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { interval, maxRuntime, maxTokens } = defaults.dream;

const dream = z.strictObject({
  enabled: enabled("Layer 6: tidies memory in the background."),
  interval: byUser(whole(60_000, 2_592_000_000, interval, "Milliseconds between dreams.")),
  maxRuntime: byUser(whole(1_000, 3_600_000, maxRuntime, "Time limit of one dream, in milliseconds.")),
  maxTokens: byUserOrLower(
    whole(1_000, 1_000_000, maxTokens, "Token limit of the model in one dream; cached tokens count a tenth."),
  ),
});

export const schemas = { dream };

declare module "../../src/config/schema.js" {
  interface Config {
    dream: z.output<typeof dream>;
  }
  interface StrataOptions {
    dream?: z.input<typeof dream>;
  }
}
