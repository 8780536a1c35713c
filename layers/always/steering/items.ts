/** The items that people see of a context: size, state, and what each action would free and cost, or why it is impossible. */
import { formatCount } from "../../../src/base/format.js";
import { findLongInput, MARKER_TOKENS } from "../../../src/context/clear-input.js";
import { CHARACTERS_PER_TOKEN, countCharacters } from "../../../src/context/context-size.js";
import {
  type Find,
  findCut,
  findText,
  type KnownDecision,
  type RecordedDecisions,
  readInputKey,
  replay,
  STEERING,
} from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Message, Part, ToolPart } from "../../../src/io/message.js";
import {
  type Action,
  type ActionCost,
  type ContextItem,
  type ContextItems,
  type ItemState,
  MOST_ITEMS,
} from "../../../src/status/context-items.js";
import { type ContextView, type CutEntry, type Entry, LETTERS, type TurnEntry } from "./context-view.js";

const OF_TEXTS = ["drop", "pin", "unpin", "expand"] as const;

export function planItem(entry: Entry, view: ContextView, measured = measure(entry, view)): ContextItem {
  const { answers, request, turns } = view;
  const recorded = request.find(entry.key.key);
  const isText = entry.kind !== "cut" && entry.kind !== "summary";
  const decision = recorded?.dropped ?? recorded?.cleared ?? recorded?.judged ?? recorded?.pinned;
  const item: ContextItem = {
    id: entry.id,
    kind: entry.kind,
    turn: turns[entry.index] ?? 0,
    ...view.describe(entry),
    ...measured,
    age: (answers.at(-1) ?? 0) - (answers[entry.index] ?? 0),
    isPinned: recorded?.pinned !== undefined,
    ...(isText && decision?.file !== undefined && { file: decision.file }),
    actions: {},
  };
  const not: ContextItem["not"] = {};
  for (const action of isText ? OF_TEXTS : (["undo-cut"] as const)) {
    const found = planAction(action, item, entry, view);
    if (typeof found === "string") not[action] = found;
    else if (found) item.actions[action] = found;
  }
  return Object.keys(not).length > 0 ? { ...item, not } : item;
}

type Measured = Pick<ContextItem, "tokens" | "wholeTokens" | "state">;

function measure(entry: Entry, view: ContextView): Measured {
  const { messages, request } = view;
  const toTokens = (characters: number): number => Math.ceil(characters * view.tokensPerCharacter);
  if (entry.kind === "summary") {
    const tokens = toTokens(countCharacters(findShown(view, entry.index, entry.index + 1)));
    return { tokens, wholeTokens: tokens, state: "cut" };
  }
  if (entry.kind === "cut") {
    const tokens = toTokens(entry.cut.text?.length ?? 0);
    const added = toTokens(countCharacters(showUncut(request, entry)) - countCharacters(messages));
    return { tokens, wholeTokens: Math.max(0, tokens + added), state: "cut" };
  }
  const recorded = request.find(entry.key.key);
  const back = toTokens(findBack(recorded, request)?.text.length ?? 0);
  const withBack = (shown: number, wholeTokens: number, state: ItemState): Measured => ({
    tokens: shown + back,
    wholeTokens,
    state: back > 0 ? "expanded" : state,
  });
  if (entry.kind === "turn") {
    const { end, index } = entry;
    const shown = toTokens(countCharacters(findShown(view, index, end)));
    const whole = toTokens(countCharacters(request.history.messages.slice(index, end)));
    return withBack(shown, Math.max(shown, whole), recorded?.dropped ? "dropped" : "whole");
  }
  const { part, text } = entry.result;
  if (entry.kind === "input") {
    const long = findLongInput(part)?.characters ?? JSON.stringify(part.state.input ?? {}).length;
    return withBack(toTokens(recorded?.cleared?.text?.length ?? long), toTokens(long), findState(recorded));
  }
  const file = (recorded?.cleared ?? recorded?.judged)?.file;
  const whole = Math.max(text.length, file === undefined ? 0 : (view.bytesOf(file) ?? 0));
  const shown = findText(entry.result, recorded) ?? text;
  return withBack(toTokens(shown.length), toTokens(whole), findState(recorded));
}

/** Messages as sent, by their indexes in the history. */
function findShown({ messages, request }: ContextView, index: number, end: number): readonly Message[] {
  const shift = request.history.messages.length - messages.length;
  return messages.slice(Math.max(0, index - shift), Math.max(0, end - shift));
}

/** The messages without this cut; an earlier one counts then, if there is any. */
function showUncut({ find, history }: ContextRequest, { key }: CutEntry): readonly Message[] {
  const findUncut: Find = (one) => {
    const recorded = find(one);
    if (one !== key.key || !recorded) return recorded;
    const { cut: _, ...rest } = recorded;
    return rest;
  };
  return replay(history, findUncut, () => findCut(history, findUncut));
}

function findState(recorded: RecordedDecisions | undefined): ItemState {
  if (recorded?.cleared) return recorded.cleared.layer === STEERING ? "dropped" : "cleared";
  const outcome = recorded?.judged?.outcome;
  return outcome === "replaced" ? "spilled" : outcome === "shrunk" ? "shrunk" : "whole";
}

/* What an action would free and cost. */

/** Share of the budget that may be pinned: a cut shows all of it again, beside the notes and the newest messages. */
const PINNED_SHARE_OF_BUDGET = 0.2;
/** More than a marker has, whatever it names. */
const LEAST_CHARACTERS = 320;
/** Tokens of the lines around what is brought back. */
const AROUND_TOKENS = 50;
const FREE: ActionCost = { frees: 0, cacheLost: 0 };

/** What the action costs, or why it is not possible; `undefined` if it would change nothing. */
function planAction(action: Action, item: ContextItem, entry: Entry, view: ContextView) {
  const { budgetTokens } = view.request;
  const isGone = item.state === "dropped" || item.state === "cleared";
  if (action === "unpin") return item.isPinned ? FREE : undefined;
  if (action === "drop") {
    if (item.isPinned) return "it is pinned: unpin it first";
    return isGone ? undefined : planDrop(item, entry, view);
  }
  if (action === "expand") {
    if (item.state === "whole" || item.state === "expanded") return undefined;
    return planMore({ added: item.wholeTokens + AROUND_TOKENS, cacheLost: 0 }, view);
  }
  if (action === "undo-cut") {
    if (entry.kind !== "cut")
      return "OpenCode hands plugins no message from before its own summary, so Strata cannot send them again; in OpenCode, undo the summary (/undo) or fork the session at a message before it";
    // The notes come first, so everything behind the system prompt is new to the cache.
    const cacheLost = view.cachedFrom(entry.index);
    return planMore({ added: item.wholeTokens - item.tokens, cacheLost }, view);
  }
  if (item.isPinned) return undefined;
  if (isGone) return "it is not in the context; expand brings it back";
  if (entry.kind === "turn" && !entry.isOver) return "the turn is not over yet";
  const most = budgetTokens * PINNED_SHARE_OF_BUDGET;
  const room = most - view.pinnedTokens;
  if ((entry.kind === "turn" ? item.wholeTokens : item.tokens) <= room) return FREE;
  return `pins may take ${formatCount(most)} tokens in all, of which ${formatCount(Math.max(0, room))} are left`;
}

function planDrop(item: ContextItem, entry: Entry, view: ContextView): ActionCost | string {
  const { request, tokensPerCharacter } = view;
  const back = findBack(request.find(entry.key.key), request);
  if (back) return priceDrop(Math.ceil(back.text.length * tokensPerCharacter), back.index, view);
  const why = entry.kind === "turn" ? findTurnFault(entry, request) : undefined;
  if (why !== undefined) return why;
  const tool = item.tool ?? "";
  if (entry.kind === "result" && item.state !== "spilled" && !view.isClearable(tool))
    return `results of ${tool} are not cleared; microCompact.tools can name it, and its whole turn can be dropped`;
  const frees = item.tokens - MARKER_TOKENS;
  const isLong = frees > 0 && item.tokens > LEAST_CHARACTERS * tokensPerCharacter;
  if (!isLong) return "it is hardly longer than the line that would stand for it";
  return priceDrop(frees, entry.index, view);
}

function findTurnFault({ end, index, results }: TurnEntry, request: ContextRequest): string | undefined {
  const { find, history } = request;
  const answers = history.messages.slice(index, end);
  if (answers.some((_, at) => !history.keyOf(index + at))) return "OpenCode gives no time for its messages";
  if (answers.some(({ parts }) => parts.some(isOpenCall))) return "a call of it has not ended";
  const pinned = results.some((result) => find(result.key)?.pinned ?? find(readInputKey(result).key)?.pinned);
  return pinned ? "something in it is pinned: unpin that first" : undefined;
}

function isOpenCall(part: Part): boolean {
  const { status } = (part as Partial<ToolPart>).state ?? {};
  return part.type === "tool" && (status === "pending" || status === "running");
}

function priceDrop(frees: number, index: number, view: ContextView): ActionCost {
  return withDollars({ frees, cacheLost: Math.max(0, view.cachedFrom(index) - frees) }, view);
}

function planMore({ added, cacheLost }: { added: number; cacheLost: number }, view: ContextView) {
  const { budgetTokens } = view.request;
  const free = Math.max(0, budgetTokens - view.tokens);
  return added <= free
    ? withDollars({ frees: -added, cacheLost }, view)
    : `it needs about ${formatCount(added)} tokens, and ${formatCount(free)} are left until notes replace history at ${formatCount(budgetTokens)}`;
}

function withDollars(cost: ActionCost, { rates: { cached, dollars, written } }: ContextView): ActionCost {
  if (dollars === undefined) return cost;
  const paid = cost.cacheLost * (written - cached) + Math.max(0, -cost.frees) * written;
  return { ...cost, dollars: Math.round(paid * dollars) / 1_000_000 };
}

/*
 * What a person has brought back: the whole text follows a message or result of that time, as an extension by a layer of its
 * own, and an "expanded" decision about the entry says where.
 */

const BETWEEN = "\n";

export const formatCarrier = (key: string, layer: string): string => `${key}${BETWEEN}${layer}`;

/** `undefined` if it was not brought back, or is no longer sent. */
export function findBack(
  recorded: RecordedDecisions | undefined,
  { find, history, shownFrom }: ContextRequest,
) {
  const where = recorded?.expanded?.text ?? "";
  const at = where.lastIndexOf(BETWEEN);
  if (at === -1) return undefined;
  const [key, layer] = [where.slice(0, at), where.slice(at + 1)];
  const found = find(key);
  const text = found?.extended?.find((one) => one.layer === layer)?.text;
  if (text === undefined || found?.cleared) return undefined;
  const result = history.results(shownFrom()).find((one) => one.key === key);
  if (result) {
    const answer = history.keyOf(result.index);
    const isDropped = answer && find(answer.key)?.dropped !== undefined;
    return isDropped ? undefined : { carrier: { day: result.day, key }, index: result.index, layer, text };
  }
  for (let index = shownFrom(); index < history.messages.length; index++) {
    const carrier = history.keyOf(index);
    if (carrier?.key === key) return { carrier, index, layer, text };
  }
  return undefined;
}

/* The list of items, for the screen and the command line. */

const ITEMS_AT_A_TIME = 60;

/** `giveWay` lets other work have its turn. */
export async function formatView(
  view: ContextView,
  { session, time }: Pick<ContextItems, "session" | "time">,
  giveWay: () => Promise<unknown>,
): Promise<ContextItems> {
  const { entries, pinnedBefore, request, tokens } = view;
  // Only what is shown is looked at closely: a long session has thousands of results.
  const largest = entries
    .map((entry) => ({ entry, measured: measure(entry, view) }))
    .sort((a, b) => b.measured.tokens - a.measured.tokens)
    .slice(0, MOST_ITEMS);
  const items: ContextItem[] = [];
  for (const [at, { entry, measured }] of largest.entries()) {
    if (at % ITEMS_AT_A_TIME === 0) await giveWay();
    items.push(planItem(entry, view, measured));
  }
  items.push(...pinnedBefore.map((one) => planPinnedBefore(one, view)));
  const shown = items.sort((a, b) => b.tokens - a.tokens).slice(0, MOST_ITEMS);
  const omitted = entries.length + pinnedBefore.length - shown.length;
  return { v: 1, session, time, tokens, budget: request.budgetTokens, omitted, items: shown };
}

function planPinnedBefore({ file = "", text }: KnownDecision, { bytesOf }: ContextView): ContextItem {
  const { id, name } = readPinnedName(text);
  const tokens = Math.ceil((bytesOf(file) ?? 0) / CHARACTERS_PER_TOKEN);
  const kind = Object.entries(LETTERS).find(([, letter]) => id.startsWith(`${letter}-`))?.[0] ?? "result";
  return {
    ...{ id, kind: kind as Entry["kind"], turn: 0, name, tokens, wholeTokens: tokens, age: 0 },
    ...{ state: "cut", isPinned: true, actions: { unpin: FREE }, file },
  };
}

export const formatPinnedName = (id: string, name: string): string => `${id} ${name}`;

export function readPinnedName(text = ""): { id: string; name: string } {
  const [id = "", ...name] = text.split(" ");
  return { id, name: name.join(" ") };
}
