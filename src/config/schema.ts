/**
 * Schema of the settings: those of the kernel, and those of each layer. `config.schema.json`, `docs/settings.md` and
 * messages about wrong values come from here. Defaults are in `kernel-defaults.ts` and in each layer's `defaults.ts`.
 */
import * as z from "zod";
import { logLevels } from "../record/log.js";
import { list, textLike, whole } from "./fields.js";
import { kernelDefaults } from "./kernel-defaults.js";
import { byUser, byUserOrLower } from "./owners.js";
import type { SettingsPart } from "./part.js";

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
  dailyCalls: byUserOrLower(whole(0, 100_000, dailyCalls, "Calls a day, over all instances.")),
  dailyTokens: byUserOrLower(whole(0, 1_000_000_000, dailyTokens, "Tokens a day, over all instances.")),
  model: byUser(
    textLike(/^[^/\s]+\/\S+$/, "provider/model")
      .optional()
      .describe('The model to use, as "provider/model". Default: the host\'s small model.'),
  ),
});

const trust = z.strictObject({
  projects: byUser(
    list(
      textLike(/^(\/|[A-Za-z]:[\\/])/, "/home/me/shop", "/home/me/clients/*"),
      kernelDefaults.trust.projects,
      "Projects whose committed memories count as yours. Absolute paths; a path that ends in /* covers everything below it.",
    ),
  ),
  remotes: byUser(
    list(
      textLike(/^[^\s/@:*]+(\/[^\s/@:*]+)*\/([^\s/@:*]+|\*)$/, "github.com/acme/shop", "github.com/acme/*"),
      kernelDefaults.trust.remotes,
      "Git remotes whose clones' memories count as yours. As host/owner/name; host/owner/* covers all of that owner's repositories.",
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
  background: background.prefault({}),
  trust: trust.prefault({}),
  log: log.prefault({}),
  linkedFolders: byUser(
    folderList(
      "Folders, as absolute paths, to which .opencode, or a folder of Strata in it, may be a link. Strata follows no other link out of the project and switches off what needs that folder.",
    ),
  ),
  committedFolders: byUser(
    folderList(
      "Folders of Strata, as absolute paths, that you commit on purpose: tool-results, session-memory or memory below an .opencode. Strata leaves their .gitignore alone.",
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
