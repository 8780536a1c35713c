import * as z from "zod";
import { enabled, whole } from "../../src/config/fields.js";
import { byAnyone, byUser } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { goalRefresh, toolCallThreshold, updateThreshold } = defaults.sessionMemory;

const sessionMemory = z.strictObject({
  enabled: enabled("Layer 3: notes on the running session."),
  updateThreshold: byUser(
    whole(512, 1_000_000, updateThreshold, "Tokens of growth before a model updates the notes."),
  ),
  toolCallThreshold: byUser(
    whole(1, 1_000, toolCallThreshold, "Tool calls before a model updates the notes."),
  ),
  goalRefresh: byAnyone(
    whole(
      0,
      1_000,
      goalRefresh,
      "The model is reminded of a request after every this many tool calls on it. 0: never.",
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
