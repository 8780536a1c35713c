import * as z from "zod";
import { byAnyone, byUserOrHigher, enabled, whole } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { goalDistance, goalRefresh, toolCallThreshold, updateThreshold } = defaults.sessionMemory;

const sessionMemory = z.strictObject({
  enabled: enabled("Layer 3: notes on the running session."),
  updateThreshold: byUserOrHigher(
    whole(
      512,
      1_000_000,
      updateThreshold,
      "Tokens by which the session has to grow before the small model updates the notes.",
    ),
  ),
  toolCallThreshold: byUserOrHigher(
    whole(
      1,
      1_000,
      toolCallThreshold,
      "Number of tool calls that are needed, too, before the small model updates the notes.",
    ),
  ),
  goalRefresh: byAnyone(
    whole(
      0,
      1_000,
      goalRefresh,
      "Number of tool calls that are needed before the agent is reminded of your request, each time. 0: never.",
    ),
  ),
  goalDistance: byAnyone(
    whole(
      0,
      1_000_000,
      goalDistance,
      "Tokens that must have followed your request, or the last reminder, before the agent is reminded, too.",
    ),
  ),
});

export const schemas = { sessionMemory };

declare module "../../src/config/schema.js" {
  interface Config {
    sessionMemory: z.output<typeof sessionMemory>;
  }
  interface StrataOptions {
    sessionMemory?: z.input<typeof sessionMemory>;
  }
}
