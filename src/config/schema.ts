/**
 * Every setting, with its default, its limits and what it is for. `config.schema.json` and the table in the README
 * come from here; nothing else says what is allowed.
 */
import * as z from "zod";
import { logLevels } from "../record/log.js";

const enabled = (what: string) => z.boolean().default(true).describe(what);
const whole = (least: number, most: number, usual: number, what: string) =>
  z.number().int().min(least).max(most).default(usual).describe(what);

const toolResults = z.strictObject({
  enabled: enabled("Layer 1: large tool results go to a file, a preview stays in the context."),
  threshold: whole(4_096, 10_000_000, 30_000, "Bytes. A result larger than this goes to a file."),
  perTool: z
    .record(z.string(), z.union([z.number().int().min(4_096).max(10_000_000), z.literal(false)]))
    .default({})
    .describe(
      'Bytes by tool name, where * stands for any characters, for example {"read": 50000, "github_*": 16000}. false: never.',
    ),
  turnBudget: whole(
    20_000,
    10_000_000,
    200_000,
    "Characters. The results of one answer's calls that stay in the context are together no larger; the largest go first.",
  ),
  maxAgeDays: whole(
    1,
    3_650,
    30,
    "Days. A file that no context has used for so long is removed at the next start.",
  ),
  maxTotalMegabytes: whole(
    10,
    1_000_000,
    1_000,
    "Megabytes. Over this the files longest unused are removed at the next start, but none that a live session names.",
  ),
});

const microCompact = z.strictObject({
  enabled: enabled("Layer 2: old tool results are cleared when that costs no prompt cache, or pays back."),
});

const sessionMemory = z.strictObject({
  enabled: enabled("Layer 3: notes on the running session."),
  updateThreshold: whole(
    512,
    1_000_000,
    4_096,
    "Tokens of growth before a model brings the notes up to date.",
  ),
  toolCallThreshold: whole(1, 1_000, 10, "Tool calls before a model brings the notes up to date."),
});

const autoCompact = z.strictObject({
  enabled: enabled("Layer 4: the context is compacted by itself."),
  threshold: whole(10_000, 10_000_000, 140_000, "Tokens. Never above what the model's window allows."),
  retryLimit: whole(1, 10, 3, "Failures in a row after which it is off for the session."),
});

const autoMemory = z.strictObject({
  enabled: enabled("Layer 5: what was decided, preferred and learned is remembered."),
  maxLines: whole(10, 2_000, 200, "Lines of the index MEMORY.md."),
  maxSize: whole(1_000, 250_000, 25_000, "Bytes of the index MEMORY.md."),
});

const dream = z.strictObject({
  enabled: enabled("Layer 6: memory is tidied in the background."),
  interval: whole(60_000, 2_592_000_000, 3_600_000, "Milliseconds between two runs."),
  maxRuntime: whole(1_000, 3_600_000, 600_000, "Milliseconds one run may take."),
});

const background = z.strictObject({
  enabled: z
    .union([z.boolean(), z.literal("auto")])
    .default("auto")
    .describe(
      'Model calls of our own. "auto": only where a small model other than the main one is configured.',
    ),
  dailyCalls: whole(0, 100_000, 100, "Calls a day, counted over all instances."),
  dailyTokens: whole(0, 1_000_000_000, 200_000, "Tokens a day, counted over all instances."),
  model: z
    .string()
    .regex(/^[^/\s]+\/\S+$/, "provider/model")
    .optional()
    .describe('The model to use, as "provider/model"; without it the host\'s small model.'),
});

const log = z.strictObject({
  level: z.enum(logLevels).default("info").describe("How much .opencode/strata/strata.log tells."),
});

/** The settings of Strata: the options of the plugin tuple, or the `memory` key of an opencode.json. */
export const configSchema = z
  .strictObject({
    toolResults: toolResults.prefault({}),
    microCompact: microCompact.prefault({}),
    sessionMemory: sessionMemory.prefault({}),
    autoCompact: autoCompact.prefault({}),
    autoMemory: autoMemory.prefault({}),
    dream: dream.prefault({}),
    crossAgent: z
      .strictObject({ enabled: enabled("Layer 7: subagents and instances share what they know.") })
      .prefault({}),
    recall: z
      .strictObject({ enabled: enabled("Memories that match are shown with a message.") })
      .prefault({}),
    errors: z.strictObject({ enabled: enabled("Failed actions are remembered.") }).prefault({}),
    background: background.prefault({}),
    log: log.prefault({}),
  })
  .describe("Settings of opencode-strata.");

export type Config = z.output<typeof configSchema>;
/** What a person writes: every field may be left out. */
export type StrataOptions = z.input<typeof configSchema>;
