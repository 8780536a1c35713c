/** The commands of the screen half: names, titles and keys. */
import type { Page } from "./page.js";

export interface ScreenCommand {
  name: string;
  title: string;
  page: Page;
  /** Where the server half offers no command of that name. */
  slash?: string;
  /** Behind the leader key; these letters are free in OpenCode 1.18.33 and 2.0.15. */
  key?: string;
}

export const CATEGORY = "Strata";

export const screenCommands: readonly ScreenCommand[] = [
  { name: "strata.memory", title: "Strata: figures and memory", page: "memory", key: "<leader>o" },
  { name: "strata.context", title: "Strata: see and steer the context", page: "context", key: "<leader>k" },
  { name: "strata.memories", title: "Strata: memories", page: "memories" },
  { name: "strata.recall", title: "Strata: search memories and notes", page: "recall" },
  { name: "strata.candidates", title: "Strata: keep or drop candidates", page: "keep" },
  { name: "strata.notes", title: "Strata: notes on this session", page: "notes", slash: "notes" },
  {
    name: "strata.undo",
    title: "Strata: take back the last change of memory",
    page: "undo",
    key: "<leader>z",
  },
];

/**
 * The keys in force. The `keys` of the plugin's options in tui.json replace them by the name's last part, such as
 * `{ "memory": "f6", "context": "none" }`.
 */
export function planKeys(options: unknown): { key: string; cmd: string }[] {
  const given = (options as { keys?: unknown } | null | undefined)?.keys;
  const wanted = typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
  return screenCommands.flatMap(({ key, name }) => {
    const own = wanted[name.slice("strata.".length)];
    const chosen = typeof own === "string" ? own.trim() : key;
    return chosen === undefined || chosen === "" || chosen === "none" ? [] : [{ key: chosen, cmd: name }];
  });
}
