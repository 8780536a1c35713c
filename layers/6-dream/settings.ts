import * as z from "zod";
import { byUserOrHigher, byUserOrLower, enabled, whole } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { interval, maxRuntime } = defaults.dream;

const dream = z.strictObject({
  enabled: enabled("Layer 6: memory is tidied in the background."),
  interval: byUserOrHigher(
    whole(60_000, 2_592_000_000, interval, "Minimum number of milliseconds between two automatic dreams."),
  ),
  maxRuntime: byUserOrLower(whole(1_000, 3_600_000, maxRuntime, "Milliseconds that one dream may take.")),
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
