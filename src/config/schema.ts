/**
 * Every setting, with its limits, what it is for and who may set it (`owners.ts`). `config.schema.json` comes from
 * here and so does what a message about a wrong value says; the default values stand in `defaults.ts`.
 */
import * as z from "zod";
import { logLevels } from "../record/log.js";
import { defaults } from "./defaults.js";
import { byAnyone, byUser, byUserOrLower } from "./owners.js";

const enabled = (what: string) => byAnyone(z.boolean().default(true).describe(what));
const whole = (least: number, most: number, usual: number, what: string) =>
  z.number().int().min(least).max(most).default(usual).describe(what);
const textLike = (pattern: RegExp, ...examples: string[]) => z.string().regex(pattern).meta({ examples });
const list = (item: z.ZodString, usual: readonly string[], what: string) =>
  z.array(item).readonly().default(usual).describe(what);

const thresholdBytes = z.number().int().min(4_096).max(10_000_000);

const toolResults = z.strictObject({
  enabled: enabled("Layer 1: large tool results go to a file, a preview stays in the context."),
  threshold: byAnyone(
    thresholdBytes
      .default(defaults.toolResults.threshold)
      .describe("Bytes. A result larger than this goes to a file."),
  ),
  perTool: byAnyone(
    z
      .record(z.string(), z.union([thresholdBytes, z.literal(false)]))
      .default(defaults.toolResults.perTool)
      .describe(
        'Bytes by tool name, where * stands for any characters, for example {"read": 50000, "github_*": 16000}. false: never.',
      ),
  ),
  turnBudget: byAnyone(
    whole(
      20_000,
      10_000_000,
      defaults.toolResults.turnBudget,
      "Characters. The results of one answer's calls that stay in the context are together no larger; the largest go first.",
    ),
  ),
  maxAgeDays: byAnyone(
    whole(
      1,
      3_650,
      defaults.toolResults.maxAgeDays,
      "Days. A file that no context has used for so long is removed at the next start.",
    ),
  ),
  maxTotalMegabytes: byAnyone(
    whole(
      10,
      1_000_000,
      defaults.toolResults.maxTotalMegabytes,
      "Megabytes. Over this the files longest unused are removed at the next start, but none that a live session names.",
    ),
  ),
});

const { floor, horizon, idleMinutes, keepRecent } = defaults.microCompact;
const microCompact = z.strictObject({
  enabled: enabled("Layer 2: old tool results are cleared when that costs no prompt cache, or pays back."),
  idleMinutes: byAnyone(
    whole(
      1,
      1_440,
      idleMinutes,
      "Minutes without a request after which the prompt cache counts as cold, with any provider.",
    ),
  ),
  cacheMinutes: byAnyone(
    z
      .record(z.string(), z.number().min(0.01).max(1_440))
      .default(defaults.microCompact.cacheMinutes)
      .describe(
        'Minutes that a provider keeps the prompt cache, by "provider/model", where * stands for any characters, for example {"anthropic/*": 60}. Without it 5 for Anthropic\'s models, idleMinutes for others.',
      ),
  ),
  keepRecent: byAnyone(whole(0, 100, keepRecent, "So many of the newest results are never cleared.")),
  horizon: byAnyone(
    whole(
      1,
      40,
      horizon,
      "Further requests to count on: while the cache is warm, clearing has to pay back within so many.",
    ),
  ),
  floor: byAnyone(whole(0, 1_000_000, floor, "Tokens. What frees less is not worth a batch.")),
});

const { goalRefresh, updateThreshold, toolCallThreshold } = defaults.sessionMemory;
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
      "Tool calls on one request after which the model is reminded of it, and again after as many. 0: never.",
    ),
  ),
});

const { threshold, retryLimit, summaryTimeout } = defaults.autoCompact;
const autoCompact = z.strictObject({
  enabled: enabled("Layer 4: the context is compacted by itself."),
  threshold: byAnyone(
    whole(10_000, 10_000_000, threshold, "Tokens. Never above what the model's window allows."),
  ),
  retryLimit: byUser(whole(1, 10, retryLimit, "Failures in a row after which it is off for the session.")),
  summaryTimeout: byUser(
    whole(
      1_000,
      3_600_000,
      summaryTimeout,
      "Milliseconds. A summary of the host's that takes longer is broken off; that of a full window takes up to a minute.",
    ),
  ),
});

const { maxLines, maxSize } = defaults.autoMemory;
const autoMemory = z.strictObject({
  enabled: enabled("Layer 5: what was decided, preferred and learned is remembered."),
  maxLines: byAnyone(whole(10, 2_000, maxLines, "Lines of the index MEMORY.md.")),
  maxSize: byAnyone(whole(1_000, 250_000, maxSize, "Bytes of the index MEMORY.md.")),
});

const { interval, maxRuntime, maxTokens } = defaults.dream;
const dream = z.strictObject({
  enabled: enabled("Layer 6: memory is tidied in the background."),
  interval: byUser(whole(60_000, 2_592_000_000, interval, "Milliseconds between two runs.")),
  maxRuntime: byUser(whole(1_000, 3_600_000, maxRuntime, "Milliseconds one run may take.")),
  maxTokens: byUserOrLower(
    whole(1_000, 1_000_000, maxTokens, "Tokens the model of one run may take; a cached one counts a tenth."),
  ),
});

const { forkTimeout, forkTokens } = defaults.crossAgent;
const crossAgent = z.strictObject({
  enabled: enabled("Layer 7: subagents and instances share what they know."),
  onConflict: byAnyone(
    z
      .enum(["warn", "block", "off"])
      .default(defaults.crossAgent.onConflict)
      .describe(
        "When the agent edits a file that another instance holds or has edited in the last ten minutes: it is told, or its edit is refused, or nothing.",
      ),
  ),
  forkTimeout: byUser(
    whole(1_000, 3_600_000, forkTimeout, "Milliseconds one fork of the fork tool may take."),
  ),
  forkTokens: byUserOrLower(
    whole(
      1_000,
      100_000_000,
      forkTokens,
      "Tokens one fork may take, those read from the prompt cache counted as a tenth.",
    ),
  ),
});
const recall = z.strictObject({ enabled: enabled("Memories that match a message are shown with it.") });
const errors = z.strictObject({
  enabled: enabled("What failed is remembered in errors.log, and the same failure is answered with it."),
});

const { dailyCalls, dailyTokens } = defaults.background;
const background = z.strictObject({
  enabled: byUserOrLower(
    z
      .union([z.boolean(), z.literal("auto")])
      .default(defaults.background.enabled)
      .describe(
        'Model calls of our own. "auto": only where a small model other than the main one is configured.',
      ),
  ),
  dailyCalls: byUserOrLower(whole(0, 100_000, dailyCalls, "Calls a day, counted over all instances.")),
  dailyTokens: byUserOrLower(
    whole(0, 1_000_000_000, dailyTokens, "Tokens a day, counted over all instances."),
  ),
  model: byUser(
    textLike(/^[^/\s]+\/\S+$/, "provider/model")
      .optional()
      .describe('The model to use, as "provider/model"; without it the host\'s small model.'),
  ),
});

const trust = z.strictObject({
  projects: byUser(
    list(
      textLike(/^(\/|[A-Za-z]:[\\/])/, "/home/me/shop", "/home/me/clients/*"),
      defaults.trust.projects,
      "Memories that come with these projects count as yours. Absolute paths; one that ends in /* means everything below it.",
    ),
  ),
  remotes: byUser(
    list(
      textLike(/^[^\s/@:*]+(\/[^\s/@:*]+)*\/([^\s/@:*]+|\*)$/, "github.com/acme/shop", "github.com/acme/*"),
      defaults.trust.remotes,
      "Memories that come with projects cloned from here count as yours. As host/owner/name; host/owner/* means all of that owner's.",
    ),
  ),
});

const log = z.strictObject({
  level: byUser(
    z.enum(logLevels).default(defaults.log.level).describe("How much .opencode/strata/strata.log tells."),
  ),
});

const folderList = (what: string) =>
  z
    .array(z.string().regex(/^([\\/]|[A-Za-z]:[\\/])/, "an absolute path"))
    .default([])
    .describe(what);

/** The settings of Strata: the options of the plugin tuple, or the `memory` key of an opencode.json. */
export const configSchema = z
  .strictObject({
    toolResults: toolResults.prefault({}),
    microCompact: microCompact.prefault({}),
    sessionMemory: sessionMemory.prefault({}),
    autoCompact: autoCompact.prefault({}),
    autoMemory: autoMemory.prefault({}),
    dream: dream.prefault({}),
    crossAgent: crossAgent.prefault({}),
    recall: recall.prefault({}),
    errors: errors.prefault({}),
    background: background.prefault({}),
    trust: trust.prefault({}),
    log: log.prefault({}),
    linkedFolders: byUser(
      folderList(
        "Folders, as absolute paths, that a link in the place of .opencode or of a folder of ours in it may lead to. Any other link out of the project is left alone, and the part that belongs there is off.",
      ),
    ),
    committedFolders: byUser(
      folderList(
        "Folders of ours, as absolute paths, that are committed on purpose: tool-results, session-memory or memory below an .opencode. Their .gitignore is left as it is.",
      ),
    ),
  })
  .describe("Settings of opencode-strata.");

export type Config = z.output<typeof configSchema>;
/** What a person writes: every field may be left out. */
export type StrataOptions = z.input<typeof configSchema>;
