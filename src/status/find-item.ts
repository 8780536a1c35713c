/** Which item a person means, and whether the action is possible. Every error is thrown before anything is asked for. */
import { StrataError } from "../base/error.js";
import type { Action, ActionCost, ContextItem } from "./context-items.js";

const SHORTEST_ID = 4;

/** Has this the form of an item's id? No other id of Strata has. */
export const isItemID = (given: string): boolean => /^[ritcs]-[0-9a-z]+$/i.test(given);

/**
 * The item with this id, or with the only id that begins so.
 *
 * @throws StrataError NO_ITEM or MANY_ITEMS. `listing` is the command that lists them.
 */
export function findItem(items: readonly ContextItem[], given: string, listing: string): ContextItem {
  const wanted = given.toLowerCase();
  const exact = items.find(({ id }) => id === wanted);
  if (exact) return exact;
  const found = wanted.length < SHORTEST_ID ? [] : items.filter(({ id }) => id.startsWith(wanted));
  const [only] = found;
  if (only && found.length === 1) return only;
  if (!only)
    throw new StrataError(
      "NO_ITEM",
      `expected the id of something in the context, "${given}" came; ${listing} lists them. Nothing was asked for`,
    );
  const named = found.map(({ id }) => id).join(", ");
  throw new StrataError(
    "MANY_ITEMS",
    `"${given}" begins the ids ${named}; write one of them whole. Nothing was asked for`,
  );
}

/** The same for an action; `undo-cut` needs no id, as there is at most one cut to undo. */
export function findWanted(
  items: readonly ContextItem[],
  action: Action,
  given: string | undefined,
  listing: string,
): ContextItem {
  if (given !== undefined) return findItem(items, given, listing);
  const cut = items.find(({ actions, not }) => (actions["undo-cut"] ?? not?.["undo-cut"]) !== undefined);
  if (action === "undo-cut" && cut) return cut;
  const what = action === "undo-cut" ? "history was not cut" : `expected an id after ${action}, none came`;
  throw new StrataError("NO_ITEM", `${what}; ${listing} lists what is in the context. Nothing was asked for`);
}

/** @throws StrataError NOT_POSSIBLE, which says why. */
export function requireAction(item: ContextItem, action: Action): ActionCost {
  const cost = item.actions[action];
  if (cost) return cost;
  const state = item.isPinned ? `${item.state} and pinned` : item.state;
  const why = item.not?.[action] ?? `${action} changes nothing about a ${item.kind} that is ${state}`;
  throw new StrataError("NOT_POSSIBLE", `${item.id} (${formatName(item)}): ${why}. Nothing was asked for`);
}

/** What an item is, in a few words. */
export function formatName({
  kind,
  name,
  tool,
  turn,
}: Pick<ContextItem, "kind" | "name" | "tool" | "turn">): string {
  if (kind === "turn") return `the agent's turn ${turn}: ${name}`;
  if (kind === "cut") return `the notes for ${name}`;
  if (kind === "summary") return "OpenCode's summary";
  const what = `${tool ?? "call"} ${name}`.trim();
  return kind === "input" ? `input of ${what}` : what;
}
