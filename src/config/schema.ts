/**
 * Schema of the settings: those of the kernel, and those of each layer. `config.schema.json`, `docs/settings.md` and
 * messages about wrong values come from here. Defaults are in `part.ts` and in each layer's `defaults.ts`.
 */
import * as z from "zod";
import { logLevels } from "../io/log.js";
import { byAnyone, byUser, byUserOrLower, list, textLike, whole } from "./owners.js";
import { kernelDefaults, type SettingsPart } from "./part.js";

const { dailyCalls, dailyTokens } = kernelDefaults.background;
const background = z.strictObject({
  enabled: byUserOrLower(
    z
      .union([z.boolean(), z.literal("auto")])
      .default(kernelDefaults.background.enabled)
      .describe(
        'Whether Strata makes model calls of its own. "auto": only if a small model other than the main one is configured.',
      ),
  ),
  dailyCalls: byUserOrLower(
    whole(0, 100_000, dailyCalls, "Background calls a day, over all instances in the project."),
  ),
  dailyTokens: byUserOrLower(
    whole(
      0,
      1_000_000_000,
      dailyTokens,
      "Tokens of background calls a day, over all instances in the project.",
    ),
  ),
  model: byUser(
    textLike(/^[^/\s]+\/\S+$/, "provider/model")
      .optional()
      .describe('The model for these calls, as "provider/model". Default: the host\'s small model.'),
  ),
});

const trust = z.strictObject({
  projects: byUser(
    list(
      textLike(/^(\/|[A-Za-z]:[\\/])/, "/home/me/shop", "/home/me/clients/*"),
      kernelDefaults.trust.projects,
      "Projects whose committed memories count as yours, as absolute paths. A path that ends in /* covers everything below it.",
    ),
  ),
  remotes: byUser(
    list(
      textLike(/^[^\s/@:*]+(\/[^\s/@:*]+)*\/([^\s/@:*]+|\*)$/, "github.com/acme/shop", "github.com/acme/*"),
      kernelDefaults.trust.remotes,
      "Git remotes whose clones' memories count as yours, as host/owner/name. host/owner/* covers all of that owner's repositories.",
    ),
  ),
});

const { pullOnStart, worktrees } = kernelDefaults.sync;
const sync = z.strictObject({
  pullOnStart: byUserOrLower(
    z
      .boolean()
      .default(pullOnStart)
      .describe("Whether a start pulls memories from the remote of strata sync, in the background."),
  ),
  worktrees: byUserOrLower(
    z
      .union([z.boolean(), z.literal("auto")])
      .default(worktrees)
      .describe(
        'Whether a linked git worktree uses the memories of the main one. "auto": only if it has none of its own.',
      ),
  ),
});

const log = z.strictObject({
  level: byUser(
    z.enum(logLevels).default(kernelDefaults.log.level).describe("Log level of .opencode/strata/strata.log."),
  ),
});

const folderList = (what: string) =>
  z
    .array(z.string().regex(/^([\\/]|[A-Za-z]:[\\/])/, "an absolute path"))
    .default([])
    .describe(what);

const kernelSchema = z.strictObject({
  enabled: byAnyone(
    z
      .boolean()
      .default(kernelDefaults.enabled)
      .describe("Master switch: false switches off all layers and the plugin's own model calls."),
  ),
  background: background.prefault({}),
  trust: trust.prefault({}),
  sync: sync.prefault({}),
  log: log.prefault({}),
  linkedFolders: byUser(
    folderList(
      "Absolute paths of folders to which a link may lead that replaces .opencode or a folder of Strata in it. Any other link out of the project is not followed, and the features that need it are off.",
    ),
  ),
  committedFolders: byUser(
    folderList(
      "Absolute paths of folders that you commit on purpose: tool-results, session-memory or memory in an .opencode folder. Strata leaves their .gitignore alone.",
    ),
  ),
});

/** All settings in force. Each layer adds its groups by declaration merging, in its `settings.ts`. */
export interface Config extends z.output<typeof kernelSchema> {}

/** Settings as written in the plugin tuple or under the `memory` key of an opencode.json. Every field is optional. */
export interface StrataOptions extends z.input<typeof kernelSchema> {}

export type ConfigSchema = z.ZodType<Config, StrataOptions>;

/** Schema of all settings: the layers', in order, and the kernel's. */
export async function loadSchema(parts: readonly SettingsPart[]): Promise<ConfigSchema> {
  const groups = await Promise.all(parts.map((part) => part.loadSchemas()));
  const ofLayers = groups.flatMap(Object.entries).map(([name, group]) => [name, group.prefault({})] as const);
  return z
    .strictObject({ ...Object.fromEntries(ofLayers), ...kernelSchema.shape })
    .describe("Settings of opencode-strata.") as unknown as ConfigSchema;
}

/** Text of the published `config.schema.json`, with which editors check and complete settings. */
export function formatConfigSchema(schema: ConfigSchema): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { io: "input" }), null, 2)}\n`;
}
