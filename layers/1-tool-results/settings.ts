import * as z from "zod";
import { byAnyone, enabled, whole } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { maxAgeDays, maxTotalMegabytes, perTool, threshold, turnBudget } = defaults.toolResults;
const thresholdBytes = z.number().int().min(4_096).max(10_000_000);

const toolResults = z.strictObject({
  enabled: enabled("Layer 1: large tool results are moved to a file, and a preview stays in the context."),
  threshold: byAnyone(
    thresholdBytes.default(threshold).describe("Bytes. A larger result is moved to a file."),
  ),
  perTool: byAnyone(
    z
      .record(z.string(), z.union([thresholdBytes, z.literal(false)]))
      .default(perTool)
      .describe(
        'The threshold by tool name, in bytes, where * stands for any characters, for example {"read": 50000, "github_*": 16000}. false: results of the tool are never moved.',
      ),
  ),
  turnBudget: byAnyone(
    whole(
      20_000,
      10_000_000,
      turnBudget,
      "Characters that the results of one answer's calls may take together in the context. Above this the largest are moved.",
    ),
  ),
  maxAgeDays: byAnyone(
    whole(
      1,
      3_650,
      maxAgeDays,
      "Days. A file that no context has used for longer is removed at the next start.",
    ),
  ),
  maxTotalMegabytes: byAnyone(
    whole(
      10,
      1_000_000,
      maxTotalMegabytes,
      "Megabytes. Above this the least recently used files are removed at the next start, except those of sessions used in the last seven days.",
    ),
  ),
});

export const schemas = { toolResults };

declare module "../../src/config/schema.js" {
  interface Config {
    toolResults: z.output<typeof toolResults>;
  }
  interface StrataOptions {
    toolResults?: z.input<typeof toolResults>;
  }
}
