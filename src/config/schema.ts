/** All settings: those of the kernel here, those of each layer in its `index.ts`. */
import { logLevels } from "../io/log.js";
import {
  type Allowed,
  byAnyone,
  byName,
  byUser,
  byUserOrLower,
  describeSetting,
  either,
  flag,
  isSetting,
  listOf,
  oneOf,
  only,
  type Setting,
  type SettingsGroup,
  type SettingsPart,
  textLike,
  type Values,
  whole,
} from "./setting.js";

const flagOrAuto = either(flag, only("auto"));
const folders: Allowed<string[]> = { type: "array", items: textLike(/^([\\/]|[A-Za-z]:[\\/])/) };
const folderList = (what: string): Setting<string[]> => byUser(folders, [], what);

const kernelSettings = {
  enabled: byAnyone(
    flag,
    true,
    "Master switch: false switches off all layers and the plugin's own model calls.",
  ),
  background: {
    enabled: byUserOrLower(
      flagOrAuto,
      "auto",
      'Whether Strata makes model calls of its own. "auto": only if a small model other than the main one is configured.',
    ),
    dailyCalls: byUserOrLower(
      whole(0, 100_000),
      100,
      "Background calls a day, over all instances in the project.",
    ),
    dailyTokens: byUserOrLower(
      whole(0, 1_000_000_000),
      200_000,
      "Tokens of background calls a day, over all instances in the project.",
    ),
    model: byUser(
      textLike(/^[^/\s]+\/\S+$/, "provider/model"),
      undefined,
      'The model for these calls, as "provider/model". Default: the host\'s small model.',
    ),
  },
  trust: {
    projects: byUser(
      listOf(textLike(/^(\/|[A-Za-z]:[\\/])/, "/home/me/shop", "/home/me/clients/*")),
      [],
      "Projects whose committed memories count as yours, as absolute paths. A path that ends in /* covers everything below it.",
    ),
    remotes: byUser(
      listOf(
        textLike(/^[^\s/@:*]+(\/[^\s/@:*]+)*\/([^\s/@:*]+|\*)$/, "github.com/acme/shop", "github.com/acme/*"),
      ),
      [],
      "Git remotes whose clones' memories count as yours, as host/owner/name. host/owner/* covers all of that owner's repositories.",
    ),
  },
  sync: {
    pullOnStart: byUserOrLower(
      flag,
      true,
      "Whether a start pulls memories from the remote of strata sync, in the background.",
    ),
    worktrees: byUserOrLower(
      flagOrAuto,
      "auto",
      'Whether a linked git worktree uses the memories of the main one. "auto": only if it has none of its own.',
    ),
  },
  search: {
    enabled: byUserOrLower(
      flag,
      true,
      "Whether what you and the agent say in this project is indexed for search, in your own state folder. false removes this project from the index; in your own configuration, it removes the whole index.",
    ),
    maxBytes: byUserOrLower(
      whole(1_000_000, 100_000_000_000),
      200_000_000,
      "Maximum bytes of that index, for all projects together. Beyond it the oldest text is removed, and those sessions are found by title only.",
    ),
    acrossProjects: byUserOrLower(
      flag,
      false,
      "Whether an agent can search what was said in your other projects. You always can.",
    ),
  },
  prices: byUser(
    byName(oneOf(["tokens", "requests", "input only"])),
    {},
    'What you pay for, or what your quota counts, by "provider/model", where * stands for any characters, for example {"ollama/*": "input only"}. "tokens": every token the same, cached or not; "requests": requests, whatever their size; "input only": what is not read from the cache, and answers. Default: the host\'s prices, or, where it has none, the list prices of the model\'s family.',
  ),
  tools: {
    short: byAnyone(
      flag,
      false,
      "Shortens the definitions of OpenCode's own tools, which stand in every request: by half in OpenCode 1, by a sixth in 2. In OpenCode 1 from its next start on, in 2 for new sessions.",
    ),
    leaveOut: byAnyone(
      listOf<string>({ type: "string", minLength: 1 }),
      [],
      "OpenCode 2: tools that new sessions are not offered, by name or pattern, where * stands for any characters. /context lists tools that were not called. In OpenCode 1, use permission in opencode.json.",
    ),
  },
  log: {
    level: byUser(oneOf(logLevels), "info", "Log level of .opencode/strata/strata.log."),
  },
  linkedFolders: folderList(
    "Absolute paths of folders that .opencode, or a folder of Strata in it, may link to. Other links out of the project are not followed, and the features that need them are off.",
  ),
  committedFolders: folderList(
    "Absolute paths of folders that you commit on purpose: tool-results, session-memory or memory in an .opencode folder. Strata leaves their .gitignore alone.",
  ),
};

/** All settings in force. Each layer adds its groups by declaration merging. */
export interface Config extends Values<typeof kernelSettings> {}

/** Settings as written in the plugin tuple or under the `memory` key of an opencode.json. Every field is optional. */
export type StrataOptions = Partly<Config>;

/** Groups with fewer settings; lists and maps stay as they are. */
type Partly<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]?: Partly<T[K]> | undefined }
    : T;

/** What was set of the limits that only their use can compare (`byUserOrLowerLimit`): by the user, and by project files. */
export interface Limits {
  readonly users: StrataOptions;
  readonly projects: StrataOptions;
}

export const composeSettings = (parts: readonly SettingsPart[]): SettingsGroup =>
  Object.assign({}, ...parts, kernelSettings);

/** Text of the published `config.schema.json`, with which editors check and complete settings. */
export function formatConfigSchema(settings: SettingsGroup): string {
  const { default: _, ...root } = formatGroup(settings);
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return `${JSON.stringify({ $schema, ...root, description: "Settings of opencode-strata." }, null, 2)}\n`;
}

function formatGroup(group: SettingsGroup): Record<string, unknown> {
  const fields = Object.entries(group).map(([name, one]) => [
    name,
    isSetting(one) ? formatSetting(one) : formatGroup(one),
  ]);
  return {
    ...{ default: {}, type: "object" },
    ...{ properties: Object.fromEntries(fields), additionalProperties: false },
  };
}

const formatSetting = (setting: Setting): Record<string, unknown> => ({
  ...(setting.usual !== undefined && { default: setting.usual }),
  description: describeSetting(setting),
  ...setting.allowed,
});
