/**
 * Which pages there are, and how most are made: a list to pick from, and a page about what was picked, with what can be done
 * and what is known.
 */

import { fit } from "../base/columns.js";
import { toPrintable } from "../base/printable.js";
import type { SessionScreen } from "../status/session-screen.js";
import type { Actions, Changed } from "./actions.js";
import type { ScreenHost, SelectKey, SelectOption, SelectPage } from "./screen-host.js";

/** What opens a page. */
export interface Opening {
  /** Loads the store's code. */
  loadActions(): Promise<Actions>;
  host: ScreenHost;
  /** The figures of the session on the screen. */
  shown: SessionScreen | undefined;
  nowMs(): number;
}

/** What a page works with. */
export interface Pages extends Opening {
  actions: Actions;
}

export const PAGE_NAMES = ["memory", "context", "recall", "keep", "notes"] as const;
export type PageName = (typeof PAGE_NAMES)[number];
export type Page = PageName | "memories" | "todo" | "undo";

/** Pages that take words behind the name; with words behind another name the server half answers. */
const WITH_WORDS: ReadonlySet<PageName> = new Set(["memory", "recall"]);

/**
 * What a submitted prompt asks for, with the words behind the name, or `undefined` if it is not for a page. `/keep 3fa2b1`
 * and the like have an answer that needs no page: the server half gives it. Pure.
 */
export function readSubmitted(text: string): { page: PageName; words: string } | undefined {
  const [, name = "", words = ""] = /^\/([a-z-]+)(?:[ \t]+([^\n]*))?\s*$/.exec(text) ?? [];
  const page = PAGE_NAMES.find((one) => one === name);
  if (!page || (words.trim() !== "" && !WITH_WORDS.has(page))) return undefined;
  return { page, words: words.trim() };
}

/* The commands of the screen half: names, titles and keys. */

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
  { name: "strata.context", title: "Strata: see and change the context", page: "context", key: "<leader>k" },
  { name: "strata.memories", title: "Strata: memories", page: "memories" },
  { name: "strata.recall", title: "Strata: search memories and conversations", page: "recall" },
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

/** OpenCode 1.18.33 shows so many columns of a row's title. */
export const ROW_COLUMNS = 61;

/** A text as a row's title. */
export const toRow = (text: string, most = ROW_COLUMNS): string => fit(toPrintable(text), most);

/* A list, and a page about each of its items. */

/** The id of an item, and what a key has decided about it. */
export type Picked<Deed> = string | { id: string; deed: Deed };
/** Keys that decide about the item at the cursor. */
export const planDeeds = <Deed>(
  ...keys: readonly (readonly [key: string, title: string, deed: Deed])[]
): SelectKey<Picked<Deed>>[] =>
  keys.map(([key, title, deed]) => ({ key, title, choose: (picked) => ({ id: String(picked), deed }) }));
/** What was chosen on the page of an item; a row only shows a fact. */
export type Choice<Deed> = Deed | "back" | { row: string };

export interface Browsed<Item extends { id: string }, Deed extends string> {
  read(): Promise<readonly Item[]>;
  /** Told instead of an empty list. */
  none?: readonly [title: string, text: string];
  list(items: readonly Item[]): SelectPage<Picked<Deed>>;
  /** The item as it is now; without it, as it is in the list. */
  open?(id: string): Promise<Item>;
  page(item: Item): SelectPage<Choice<Deed>>;
  /** Says what was done; `undefined` if the user does not want it after all. */
  act(item: Item, deed: Deed): Promise<Changed | undefined>;
  /** Does the item's page stay open after this? */
  stays?(deed: Deed): boolean;
}

export async function browse<Item extends { id: string }, Deed extends string>(
  { host }: Pages,
  on: Browsed<Item, Deed>,
): Promise<void> {
  for (let current: string | undefined; ; ) {
    const items = await on.read();
    if (items.length === 0 && on.none) return host.dialogs.alert(...on.none);
    const page = on.list(items);
    const picked = await host.dialogs.select({ ...page, ...(current !== undefined && { current }) });
    current = typeof picked === "object" ? picked.id : picked;
    const item = items.find(({ id }) => id === current);
    if (!item) return;
    if (typeof picked === "object") tell(host, await on.act(item, picked.deed));
    else if (!(await visit(host, on, item))) return;
  }
}

/** Resolves with `false` once the user has closed the page, `true` to go back to the list. */
export async function visit<Item extends { id: string }, Deed extends string>(
  host: Pages["host"],
  on: Browsed<Item, Deed>,
  listed: Item,
): Promise<boolean> {
  for (;;) {
    const item = on.open ? await on.open(listed.id) : listed;
    const chosen = await host.dialogs.select(on.page(item));
    if (chosen === undefined) return false;
    if (chosen === "back") return true;
    if (typeof chosen === "object") continue;
    const changed = await on.act(item, chosen);
    tell(host, changed);
    if (changed && !on.stays?.(chosen)) return true;
  }
}

export function tell({ dialogs }: Pages["host"], changed: Changed | undefined): void {
  if (changed) dialogs.toast(toPrintable(changed.what), changed.isDone ? "success" : "error");
}

/** The page of an item: what can be done, then what is known, by heading. */
export function planItemPage<Deed extends string>(
  title: string,
  deeds: readonly (readonly [deed: Deed, title: string, description?: string])[],
  facts: Readonly<Record<string, readonly string[]>>,
): SelectPage<Choice<Deed>> {
  return {
    title: toRow(title),
    options: [
      ...deeds.map(
        ([value, name, description]): SelectOption<Choice<Deed>> => ({
          ...{ title: name, value, category: "Do" },
          ...(description !== undefined && { description }),
        }),
      ),
      { title: "Back to the list", value: "back", category: "Do" },
      ...Object.entries(facts).flatMap(([category, lines]) =>
        lines.map(
          (line, at): SelectOption<Choice<Deed>> => ({
            ...{ title: toRow(line), category },
            value: { row: `${category} ${at}` },
          }),
        ),
      ),
    ],
  };
}
