/** Other plugins that change what is sent or keep a memory of their own, by the names under which npm has them. */
export interface Rival {
  matches: RegExp;
  /** What it does that Strata does too. */
  overlap: string;
  /** What to switch off so that one of the two does it. */
  todo: string;
}

const REMOVE = "take one of the two out of the plugin list";

export const rivals: readonly Rival[] = [
  {
    matches: /(^|\/)opencode-(dcp|dynamic-context-pruning)$/,
    overlap:
      "prunes old tool results, as layers 1 and 2 do: each breaks the prompt cache that the other keeps whole",
    todo: `${REMOVE}, or set toolResults.enabled and microCompact.enabled to false`,
  },
  {
    matches: /(^|\/)oh-my-open(code|agent)(-slim)?$/,
    overlap: "may compact ahead of the host and cut tool results, as layers 1, 2 and 4 do",
    todo: "switch off its hooks that compact and truncate (disabled_hooks in its own file), or set autoCompact.enabled and microCompact.enabled to false",
  },
  {
    matches: /magic-context$/,
    overlap: "replaces history and keeps memories, as layers 2 to 5 do",
    todo: REMOVE,
  },
  {
    matches: /(^|\/)opencode-supermemory$/,
    overlap: "puts memories into messages and compacts by itself, as layers 4 and 5 do",
    todo: `${REMOVE}, or set autoMemory.enabled, recall.enabled and autoCompact.enabled to false`,
  },
  {
    matches: /(^|\/)(context-mode|opencode-acp|opencode-mem)$/,
    overlap: "keeps results or memories out of the context in its own way",
    todo: REMOVE,
  },
];

/** The rival that a plugin of this name is, if it is one. */
export function findRival(name: string): Rival | undefined {
  return rivals.find(({ matches }) => matches.test(name));
}
