/** What an action on a entry would free and cost, or why it is not possible. Pure. */
import { formatCount } from "../../../src/base/format.js";
import { isClearable, MARKER_TOKENS } from "../../../src/context/clear-input.js";
import { readInputKey, STEERING, type Standing } from "../../../src/context/replay.js";
import type { Message, ToolPart } from "../../../src/io/message.js";
import type { DecisionKey } from "../../../src/messages/history.js";
import type { Action, ActionCost, ContextItem } from "../../../src/status/context-items.js";
import type { Entry, Seen, Surroundings, TurnEntry } from "./entries.js";

/** Share of the budget that may be pinned: a cut shows all of it again, beside the notes and the newest messages. */
export const PINNED_SHARE_OF_BUDGET = 0.2;
/** More than a marker has, whatever it names. */
const LEAST_CHARACTERS = 320;
/** Tokens of the lines around what is brought back. */
const AROUND_TOKENS = 50;

export interface Acted {
  entry: Entry;
  standing: Standing | undefined;
  given: Surroundings;
}

/** What the action costs, or why it is not possible; `undefined` if it would change nothing. */
export function planAction(action: Action, item: ContextItem, acted: Acted): ActionCost | string | undefined {
  switch (action) {
    case "drop":
      return planDrop(item, acted);
    case "pin":
      return planPin(item, acted);
    case "unpin":
      return item.isPinned ? FREE : undefined;
    case "expand":
      return planExpand(item, acted);
    case "undo-cut":
      return planUndo(item, acted);
  }
}

const FREE: ActionCost = { frees: 0, cacheLost: 0 };

function planDrop(item: ContextItem, { given, standing, entry }: Acted): ActionCost | string | undefined {
  if (item.isPinned) return "it is pinned: unpin it first";
  if (item.state === "dropped" || item.state === "cleared") return undefined;
  const back = findBack(standing, given.seen);
  if (back) return price(Math.ceil(back.text.length * given.tokensPerCharacter), back.index, given);
  const why = entry.kind === "turn" ? findTurnFault(entry, given) : findToolFault(item, entry, given);
  if (why !== undefined) return why;
  const frees = item.tokens - MARKER_TOKENS;
  const isLong = frees > 0 && item.tokens > LEAST_CHARACTERS * given.tokensPerCharacter;
  return isLong
    ? price(frees, entry.index, given)
    : "it is hardly longer than the line that would stand for it";
}

function findToolFault(item: ContextItem, entry: Entry, { namedTools }: Surroundings): string | undefined {
  const tool = item.tool ?? "";
  if (entry.kind !== "result" || item.state === "spilled" || isClearable(tool, namedTools)) return undefined;
  return `results of ${tool} are not cleared; microCompact.tools can name it, and its whole turn can be dropped`;
}

function findTurnFault({ end, index, results }: TurnEntry, { seen }: Surroundings): string | undefined {
  const { find, history } = seen;
  for (let at = index; at < end; at++)
    if (!history.keyOf(at)) return "OpenCode gives no time for its messages";
  const isRunning = history.messages
    .slice(index, end)
    .some(({ parts }) => parts.some((part) => isOpenCall(part)));
  if (isRunning) return "a call of it has not ended";
  const pinned = results.some((result) => find(result.key)?.pinned ?? find(readInputKey(result).key)?.pinned);
  return pinned ? "something in it is pinned: unpin that first" : undefined;
}

function isOpenCall(part: Message["parts"][number]): boolean {
  const { status } = (part as Partial<ToolPart>).state ?? {};
  return part.type === "tool" && (status === "pending" || status === "running");
}

function planPin(item: ContextItem, { given, entry }: Acted): ActionCost | string | undefined {
  if (item.isPinned) return undefined;
  if (item.state === "dropped" || item.state === "cleared")
    return "it is not in the context; expand brings it back";
  if (entry.kind === "turn" && !entry.isOver) return "the turn is not over yet";
  const room = given.budgetTokens * PINNED_SHARE_OF_BUDGET - given.pinnedTokens;
  const wanted = entry.kind === "turn" ? item.wholeTokens : item.tokens;
  return wanted <= room
    ? FREE
    : `pins may take ${formatCount(given.budgetTokens * PINNED_SHARE_OF_BUDGET)} tokens in all, of which ${formatCount(Math.max(0, room))} are left`;
}

function planExpand(item: ContextItem, { given }: Acted): ActionCost | string | undefined {
  if (item.state === "whole" || item.state === "expanded") return undefined;
  const added = item.wholeTokens + AROUND_TOKENS;
  const why = findNoRoom(added, given);
  if (why !== undefined) return why;
  return withDollars({ frees: -added, cacheLost: 0 }, given);
}

function planUndo(item: ContextItem, { given, entry }: Acted): ActionCost | string {
  if (entry.kind !== "cut")
    return "OpenCode hands plugins no message from before its own summary, so Strata cannot send them again; in OpenCode, undo the summary (/undo) or fork the session at a message before it";
  const added = item.wholeTokens - item.tokens;
  const why = findNoRoom(added, given);
  if (why !== undefined) return why;
  // The notes come first, so everything behind the system prompt is new to the cache.
  return withDollars({ frees: -added, cacheLost: given.cachedFrom(entry.index) }, given);
}

function findNoRoom(added: number, { budgetTokens, tokens }: Surroundings): string | undefined {
  const free = Math.max(0, budgetTokens - tokens);
  if (added <= free) return undefined;
  return `it needs about ${formatCount(added)} tokens, and ${formatCount(free)} are left until notes replace history at ${formatCount(budgetTokens)}`;
}

/** Cached tokens behind it are written again. */
function price(frees: number, index: number, given: Surroundings): ActionCost {
  const cacheLost = Math.max(0, given.cachedFrom(index) - frees);
  return withDollars({ frees, cacheLost }, given);
}

function withDollars(cost: ActionCost, { rates }: Surroundings): ActionCost {
  const { cached, dollars, written } = rates;
  if (dollars === undefined) return cost;
  const tokens = cost.cacheLost * (written - cached) + Math.max(0, -cost.frees) * written;
  return { ...cost, dollars: Math.round(tokens * dollars) / 1_000_000 };
}

/*
 * What a person has brought back: the whole text follows a message or result of that time, as an extension by a layer of its
 * own, and an "expanded" decision about the entry says where. Pure.
 */

export interface Back {
  /** What the text follows. */
  carrier: DecisionKey;
  /** Index of its message in the history. */
  index: number;
  layer: string;
  text: string;
}

const BETWEEN = "\n";

/** The text of an "expanded" decision. */
export const formatCarrier = (key: string, layer: string): string => `${key}${BETWEEN}${layer}`;

/** Layer name of the text of one entry: a message is extended once by each. */
export const planLayer = (id: string): string => `${STEERING}/${id}`;

/** `undefined` if it was not brought back, or is no longer sent. */
export function findBack(standing: Standing | undefined, seen: Seen): Back | undefined {
  const said = standing?.expanded?.text ?? "";
  const at = said.lastIndexOf(BETWEEN);
  if (at === -1) return undefined;
  const [key, layer] = [said.slice(0, at), said.slice(at + 1)];
  const carrier = seen.find(key);
  const text = carrier?.extended?.find((one) => one.layer === layer)?.text;
  const place = text === undefined || carrier?.cleared ? undefined : findPlace(key, seen);
  return place && text !== undefined ? { ...place, layer, text } : undefined;
}

/** Of a message or result that is sent. */
function findPlace(
  key: string,
  { find, history, shownFrom }: Seen,
): Pick<Back, "carrier" | "index"> | undefined {
  const from = shownFrom();
  const result = history.results(from).find((one) => one.key === key);
  if (result) {
    const answer = history.keyOf(result.index);
    if (answer && find(answer.key)?.dropped) return undefined;
    return { carrier: { day: result.day, key }, index: result.index };
  }
  for (let index = from; index < history.messages.length; index++) {
    const found = history.keyOf(index);
    if (found?.key === key) return { carrier: found, index };
  }
  return undefined;
}
