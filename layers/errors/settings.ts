import * as z from "zod";
import { enabled } from "../../src/config/fields.js";

const errors = z.strictObject({
  enabled: enabled(
    "Failures are remembered in errors.log, and a repeated failure is answered with what resolved it.",
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
