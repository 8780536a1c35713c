/** Other plugins that change what is sent or keep memories of their own. */
export interface ConflictingPlugin {
  /** Names under which npm has it. */
  matches: RegExp;
  /** What both do; continues "NAME in FILE …". */
  overlap: string;
  /** How to let only one of them do it. */
  todo: string;
}

const REMOVE = "remove one of the two from the plugin list";

export const conflictingPlugins: readonly ConflictingPlugin[] = [
  {
    matches: /(^|\/)opencode-(dcp|dynamic-context-pruning)$/,
    overlap:
      "prunes old tool results, as layers 1 and 2 do; each breaks the prompt cache that the other preserves",
    todo: `${REMOVE}, or set toolResults.enabled and microCompact.enabled to false`,
  },
  {
    matches: /(^|\/)oh-my-open(code|agent)(-slim)?$/,
    overlap: "may compact before the host does and truncate tool results, as layers 1, 2 and 4 do",
    todo: "turn off its hooks that compact and truncate (disabled_hooks in its own file), or set autoCompact.enabled and microCompact.enabled to false",
  },
  {
    matches: /magic-context$/,
    overlap: "replaces history and keeps memories, as layers 2 to 5 do",
    todo: REMOVE,
  },
  {
    matches: /(^|\/)opencode-supermemory$/,
    overlap: "adds memories to messages and compacts by itself, as layers 4 and 5 do",
    todo: `${REMOVE}, or set autoMemory.enabled, recall.enabled and autoCompact.enabled to false`,
  },
  {
    matches: /(^|\/)(context-mode|opencode-acp|opencode-mem)$/,
    overlap: "keeps results or memories out of the context in its own way",
    todo: REMOVE,
  },
];

/** The entry for a plugin of this name, if there is one. */
export function findConflictingPlugin(name: string): ConflictingPlugin | undefined {
  return conflictingPlugins.find(({ matches }) => matches.test(name));
}
