/**
 * What stands in a session's context, one item for each thing that can be steered: written by the plugin behind a request
 * to `.opencode/strata/state/screen/<sessionID>.context.json`, largest first, at most MOST_ITEMS.
 */
export const MOST_ITEMS = 300;

export type ItemState = "whole" | "spilled" | "cleared" | "dropped" | "cut" | "expanded";

export interface ContextItem {
  /** What commands name it by: the call's id, or the message's for a turn and for a cut. */
  id: string;
  kind: "result" | "input" | "turn" | "cut" | "summary";
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
  /** What each possible action would free and lose, in tokens; absent actions are impossible, `not` says why. */
  actions: Partial<Record<Action, { frees: number; cacheLost: number; dollars?: number }>>;
  not?: Partial<Record<Action, string>>;
}

export type Action = "drop" | "pin" | "unpin" | "expand" | "undo-cut";

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
