/**
 * What stands in a session's context, one item for each thing that can be steered: written by the plugin behind a request
 * to `.opencode/strata/state/screen/<sessionID>.context.json`, largest first, at most MOST_ITEMS.
 */
import { join } from "node:path";
import { StrataError } from "../base/error.js";
import { formatCount, formatMoney, formatTokens } from "../base/format.js";
import {
  anyObject,
  count,
  each,
  isVersion,
  list,
  number,
  object,
  oneOf,
  optional,
  parserOf,
  string,
  unchecked,
} from "../base/shape.js";
import { toLine } from "../base/text.js";
import type { Files } from "../io/files.js";
import { readState } from "../io/state-file.js";
import type { Folders } from "../project/folders.js";

export const MOST_ITEMS = 300;

const STATES = ["whole", "spilled", "shrunk", "cleared", "dropped", "cut", "expanded"] as const;
export type ItemState = (typeof STATES)[number];

const KINDS = ["result", "input", "turn", "cut", "summary"] as const;
export type ItemKind = (typeof KINDS)[number];

export interface ContextItem {
  /** What commands name it by, as `r-3fa2b1c`: the same in every request, after a restart and in a fork. */
  id: string;
  kind: ItemKind;
  /** Number of the user's message it belongs to, from 1. */
  turn: number;
  tool?: string;
  /** Path, command or pattern of the call; the beginning of the words for a turn. */
  name: string;
  /** Tokens as sent now, and whole. */
  tokens: number;
  wholeTokens: number;
  /** Number of answers since. */
  age: number;
  state: ItemState;
  isPinned: boolean;
  /** Why the agent no longer needs it, such as "read again later". */
  superseded?: string;
  /** File with the whole text, once there is one. */
  file?: string;
  /** What each possible action would free and lose; absent actions are impossible, `not` says why. */
  actions: Partial<Record<Action, ActionCost>>;
  not?: Partial<Record<Action, string>>;
}

export interface ActionCost {
  /** Tokens no longer sent from the next request on; negative for what comes back. */
  frees: number;
  /** Tokens that have to be written to the prompt cache again, if it is warm by then. */
  cacheLost: number;
  /** What that costs once, in dollars, beyond what the next request costs anyway; absent if the host has no price. */
  dollars?: number;
}

export const ACTIONS = ["drop", "pin", "unpin", "expand", "undo-cut"] as const;
export type Action = (typeof ACTIONS)[number];

export const ACTION_NAMES: Readonly<Record<Action, string>> = {
  drop: "Drop",
  pin: "Pin",
  unpin: "Unpin",
  expand: "Expand",
  "undo-cut": "Undo the cut",
};

/** The file of a session. */
export interface ContextItems {
  v: 1;
  session: string;
  /** Time of the request, ISO 8601, UTC. */
  time: string;
  /** Tokens of the request, and those at which notes replace history. */
  tokens: number;
  budget: number;
  /** Number of items that did not fit in `items`; they are the smallest. */
  omitted: number;
  /** Largest first. */
  items: ContextItem[];
}

/**
 * What a person asked for: one line each in `projects/<id>/context-requests.jsonl` of the user's state folder, appended by
 * the TUI half and the command line, applied and recorded by the plugin before the next request of that session.
 */
export interface ContextRequestLine {
  v: 1;
  id: string;
  time: string;
  session: string;
  action: Action;
  /** `ContextItem.id`. */
  item: string;
}

const isItem = object<ContextItem>({
  ...each(string, "id", "name"),
  kind: oneOf(KINDS),
  ...each(count, "turn", "tokens", "wholeTokens", "age"),
  ...each(optional(string), "tool", "superseded", "file"),
  state: oneOf(STATES),
  isPinned: unchecked,
  actions: anyObject,
  not: optional(anyObject),
});

/** `undefined` if the value has another shape. */
export const parseContextItems = parserOf(
  object<ContextItems>({
    v: isVersion,
    ...each(string, "session", "time"),
    ...each(number, "tokens", "budget", "omitted"),
    items: list(isItem),
  }),
);

export const planItemsPath = ({ screens }: Pick<Folders, "screens">, sessionID: string): string =>
  join(screens, `${sessionID}${ITEMS_ENDING}`);

export const ITEMS_ENDING = ".context.json";

/** The items as last written; `undefined` if there are none, or they cannot be understood. */
export const readContextItems = (
  files: Pick<Files, "read">,
  folders: Pick<Folders, "screens">,
  sessionID: string,
): Promise<ContextItems | undefined> =>
  readState(files, planItemsPath(folders, sessionID), parseContextItems);

/* What stands in a context, as text: for `/context` where no screen half is loaded, and for `strata context`. Pure. */

interface TableOptions {
  /** Number of items shown. */
  most: number;
  /** Characters of a line. */
  width: number;
  /** What a person types before an action: "strata" or "/context". */
  command: string;
}

const USUAL_ACTIONS = "drop, pin, unpin, expand, undo-cut";
const LEAST_NAME = 16;

export function formatItems(
  { budget, items, omitted, tokens }: ContextItems,
  { command, most, width }: TableOptions,
): string {
  const shown = items.slice(0, most);
  const share = budget > 0 ? ` (${Math.round((tokens / budget) * 100)} %)` : "";
  const head = `${formatCount(tokens)} tokens of ${formatCount(budget)}${share} in the context of this session.`;
  if (shown.length === 0)
    return `${head}\nNothing in it can be changed yet: no tool was called, and no turn has ended.`;
  const rows = shown.map((item) => [
    ...[item.id, formatCount(item.tokens), String(item.turn), String(item.age)],
    ...[formatName(item), formatState(item)],
  ]);
  const table = formatTable([["id", "tokens", "turn", "age", "what", "state"], ...rows], width);
  const left = items.length - shown.length + omitted;
  return [
    head,
    "",
    ...table,
    ...(left > 0 ? [`… and ${formatCount(left)} smaller ones`] : []),
    "",
    `${command} ACTION ID changes one, with your next message: ${USUAL_ACTIONS}. Age is counted in answers.`,
  ].join("\n");
}

/** The columns are aligned; the one before the last is shortened to fit the width. */
function formatTable(rows: readonly (readonly string[])[], width: number): string[] {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  const named = columns - 2;
  const others = widths.reduce((sum, one, at) => (at === named ? sum : sum + one), 0) + 2 * (columns - 1);
  const room = Math.min(widths[named] ?? 0, Math.max(LEAST_NAME, width - others));
  return rows.map((row) =>
    row
      .map((cell, at) => {
        if (at === named) return toLine(cell, room - 1).padEnd(room);
        const isNumber = at > 0 && at < named;
        return isNumber ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
      })
      .join("  ")
      .trimEnd(),
  );
}

const formatState = ({ isPinned, state, superseded }: ContextItem): string =>
  [state, isPinned && "pinned", superseded].filter(Boolean).join(", ");

/** What an action will do, before it is done. */
export function formatCost(item: ContextItem, action: Action, cost: ActionCost): string {
  const name = `${item.id} (${formatName(item)})`;
  if (action === "pin") return `${name} will be pinned: no layer moves it. That costs nothing.`;
  if (action === "unpin") return `${name} will be unpinned: layers may move it again. That costs nothing.`;
  const { cacheLost, dollars, frees } = cost;
  const money = dollars === undefined || dollars === 0 ? "" : `, about ${formatMoney(dollars)}`;
  const again = `${formatCount(cacheLost)} cached tokens are written again`;
  const lost = `${cacheLost === 0 ? "no cached tokens are lost" : again}${money}`;
  if (action === "drop")
    return `${name} will leave the context with your next message: about ${formatCount(frees)} tokens fewer in each request; ${lost}. Its whole text stays in a file that the context names.`;
  const what =
    action === "expand"
      ? "will come back whole, once, after your next message"
      : "will be undone: the messages before it are sent again";
  return `${name} ${what}: about ${formatCount(-frees)} tokens more in each request; ${lost}.`;
}

/** "frees 12.3K, loses 8.1K of cache ($0.02)". */
function formatPrice({ actions }: ContextItem, action: Action): string {
  const { cacheLost = 0, dollars = 0, frees = 0 } = actions[action] ?? {};
  const money = dollars > 0 ? ` (${formatMoney(dollars)})` : "";
  return [
    ...(frees > 0 ? [`frees ${formatTokens(frees)}`] : []),
    ...(frees < 0 ? [`adds ${formatTokens(-frees)}`] : []),
    cacheLost > 0 ? `loses ${formatTokens(cacheLost)} of cache${money}` : "loses no cache",
  ].join(", ");
}

/** With what it is in words, and what a person can do about it at what price. */
export const describeItem = (item: ContextItem) => ({
  ...item,
  what: formatName(item),
  steps: ACTIONS.filter((one) => item.actions[one]).map((action) => ({
    ...{ action, name: ACTION_NAMES[action], price: formatPrice(item, action) },
  })),
});

/* Which item a person means, and whether the action is possible. Every error is thrown before anything is asked for. */

const SHORTEST_ID = 4;

/**
 * The one with this id, or with the only id that begins so. `what` they are is for the message.
 *
 * @throws StrataError NO_ITEM or MANY_ITEMS. `listing` is the command that lists them.
 */
export function findByID<T extends { id: string }>(
  all: readonly T[],
  given: string,
  { listing, shortest, what }: { listing: string; shortest: number; what: string },
): T {
  const wanted = given.toLowerCase();
  const exact = all.find(({ id }) => id === wanted);
  if (exact) return exact;
  const found = wanted.length < shortest ? [] : all.filter(({ id }) => id.startsWith(wanted));
  const [only] = found;
  if (only && found.length === 1) return only;
  const none = `expected the id of ${what}, got "${given}"; ${listing} lists them. Nothing was changed`;
  if (!only) throw new StrataError("NO_ITEM", none);
  const named = found.map(({ id }) => id).join(", ");
  const many = `"${given}" begins the ids ${named}; write one of them whole. Nothing was changed`;
  throw new StrataError("MANY_ITEMS", many);
}

/** The item for an action; `undo-cut` needs no id, as there is at most one cut to undo. @throws as above */
export function findWanted(
  items: readonly ContextItem[],
  action: Action,
  given: string | undefined,
  listing: string,
): ContextItem {
  const what = "something in the context";
  if (given !== undefined) return findByID(items, given, { listing, shortest: SHORTEST_ID, what });
  const cut = items.find(({ actions, not }) => (actions["undo-cut"] ?? not?.["undo-cut"]) !== undefined);
  if (action === "undo-cut" && cut) return cut;
  const why = action === "undo-cut" ? "history was not cut" : `expected an id after ${action}, got none`;
  throw new StrataError("NO_ITEM", `${why}; ${listing} lists what is in the context. Nothing was changed`);
}

/** @throws StrataError NOT_POSSIBLE, which says why. */
export function requireAction(item: ContextItem, action: Action): ActionCost {
  const cost = item.actions[action];
  if (cost) return cost;
  const state = item.isPinned ? `${item.state} and pinned` : item.state;
  const why = item.not?.[action] ?? `${action} changes nothing about a ${item.kind} that is ${state}`;
  throw new StrataError("NOT_POSSIBLE", `${item.id} (${formatName(item)}): ${why}. Nothing was changed`);
}

/** What an item is, in a few words. */
export function formatName(item: Pick<ContextItem, "kind" | "name" | "tool" | "turn">): string {
  const { kind, name, tool, turn } = item;
  if (kind === "turn") return `the agent's turn ${turn}: ${name}`;
  if (kind === "cut") return `the notes for ${name}`;
  if (kind === "summary") return "OpenCode's summary";
  const what = `${tool ?? "call"} ${name}`.trim();
  return kind === "input" ? `input of ${what}` : what;
}
