import * as z from "zod";
import { byAnyone, byUser, enabled, whole } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { maxErrorHistory, onRepeat } = defaults.errors;

const errors = z.strictObject({
  enabled: enabled(
    "Failures are remembered in errors.log, and a repeated failure is answered with what resolved it.",
  ),
  onRepeat: byUser(
    z
      .enum(["tell", "refuse"])
      .default(onRepeat)
      .describe(
        "How to treat a call that is known to fail: tell what worked, or also refuse the call, once in a session.",
      ),
  ),
  maxErrorHistory: byAnyone(
    whole(10, 1_000, maxErrorHistory, "Number of newest lines of errors.log that are used."),
  ),
});

export const schemas = { errors };

declare module "../../src/config/schema.js" {
  interface Config {
    errors: z.output<typeof errors>;
  }
  interface StrataOptions {
    errors?: z.input<typeof errors>;
  }
}
