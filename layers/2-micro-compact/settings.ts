import * as z from "zod";
import { byAnyone, enabled, whole } from "../../src/config/owners.js";
import { defaults } from "./defaults.js";

const { cacheMinutes, floor, horizon, idleMinutes, tools } = defaults.microCompact;

const microCompact = z.strictObject({
  enabled: enabled("Layer 2: old tool results are cleared when that costs no prompt cache, or pays back."),
  idleMinutes: byAnyone(
    whole(
      1,
      1_440,
      idleMinutes,
      "Minutes without a request after which any provider's prompt cache counts as cold.",
    ),
  ),
  cacheMinutes: byAnyone(
    z
      .record(z.string(), z.number().min(0.01).max(1_440))
      .default(cacheMinutes)
      .describe(
        'Minutes for which a provider keeps the prompt cache, by "provider/model", where * stands for any characters, for example {"anthropic/*": 60}. Default: 5 for Anthropic\'s models, 60 for OpenAI\'s, 180 for DeepSeek\'s, idleMinutes for others.',
      ),
  ),
  keepRecent: byAnyone(
    z
      .number()
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe(
        "Number of newest results that are never cleared. Without it, the last two, and as many of the last five, or of the last three answers, as have 6,000 tokens together.",
      ),
  ),
  horizon: byAnyone(
    whole(
      1,
      200,
      horizon,
      "Number of further requests within which clearing has to pay back while the cache is warm.",
    ),
  ),
  tools: byAnyone(
    z
      .record(z.string(), z.boolean())
      .default(tools)
      .describe(
        'Other tools whose results are cleared once a later call repeats them or 20 answers have followed, by name or pattern, where * stands for any characters, for example {"task": true, "docs_*": true}.',
      ),
  ),
  floor: byAnyone(whole(0, 1_000_000, floor, "Tokens. A batch that frees less is not cleared.")),
});

export const schemas = { microCompact };

declare module "../../src/config/schema.js" {
  interface Config {
    microCompact: z.output<typeof microCompact>;
  }
  interface StrataOptions {
    microCompact?: z.input<typeof microCompact>;
  }
}
