/**
 * What stands in a session's context, one item for each thing that can be steered: written by the plugin behind a request
 * to `.opencode/strata/state/screen/<sessionID>.context.json`, largest first, at most MOST_ITEMS.
 */
import { join } from "node:path";
import { parseJson } from "../base/records.js";
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
import { type Files, readText } from "../io/files.js";
import type { Folders } from "../project/folders.js";

export const MOST_ITEMS = 300;

const STATES = ["whole", "spilled", "cleared", "dropped", "cut", "expanded"] as const;
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
  /** What that costs once, in dollars, beyond what the next request costs anyway; absent if prices are unknown. */
  dollars?: number;
}

export const ACTIONS = ["drop", "pin", "unpin", "expand", "undo-cut"] as const;
export type Action = (typeof ACTIONS)[number];

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
export async function readContextItems(
  files: Pick<Files, "read">,
  folders: Pick<Folders, "screens">,
  sessionID: string,
): Promise<ContextItems | undefined> {
  const text = await readText(files, planItemsPath(folders, sessionID));
  return text === undefined ? undefined : parseContextItems(parseJson(text));
}
