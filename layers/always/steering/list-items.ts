/** All that stands in the context of a request, as a person sees it. */

import type { KernelContext } from "../../../src/layer-context.js";
import type { ContextItem, ContextItems } from "../../../src/steering/context-items.js";
import { MOST_ITEMS } from "../../../src/steering/context-items.js";
import { findCutPath } from "../../../src/view/host-cut.js";
import type { KnownDecision } from "../../../src/view/known-decision.js";
import { CHARACTERS_PER_TOKEN } from "../../../src/view/learned-size.js";
import type { ContextRequest } from "../../../src/view/request.js";
import { planItem } from "./plan-item.js";
import { gatherSurroundings, type Surroundings } from "./surroundings.js";
import { findThings, readKind, type Thing } from "./things.js";

export interface Listing {
  /** With the item of each, in the order of the context. */
  things: readonly { thing: Thing; item: ContextItem }[];
  given: Surroundings;
  /** What is pinned and no longer among the messages that are sent. */
  pinnedBefore: readonly KnownDecision[];
}

export type List = (request: ContextRequest, cachedUntil: number) => Promise<Listing>;

/** Number of files whose sizes are remembered; their names follow from their contents. */
const MOST_SIZES = 2_000;

export function createList(context: KernelContext): List {
  const { decisions, files } = context;
  const sizes = new Map<string, number>();

  return async (request, cachedUntil) => {
    const { find, history, sessionID, shownFrom } = request;
    const things = findThings({ find, history, shownFrom });
    const pinned = decisions.pinned(sessionID);
    await learnSizes([
      ...pinned.map(({ file }) => file),
      ...things.map((thing) => findLongFile(thing, request)),
    ]);
    const bytesOf = (file: string): number | undefined => sizes.get(file);
    const pinnedTokens = pinned.reduce((sum, one) => sum + countTokens(one, bytesOf), 0);
    const given = gatherSurroundings(context, request, { bytesOf, cachedUntil, pinnedTokens });
    const keys = new Set(things.map(({ key }) => key.key));
    return {
      given,
      things: things.map((thing) => ({ thing, item: planItem(thing, given) })),
      pinnedBefore: pinned.filter(({ file, key }) => file !== undefined && !keys.has(key)),
    };
  };

  async function learnSizes(paths: readonly (string | undefined)[]): Promise<void> {
    if (sizes.size > MOST_SIZES) sizes.clear();
    for (const path of paths) {
      if (path === undefined || sizes.has(path)) continue;
      const stat = await files.stat(path);
      if (stat) sizes.set(path, stat.bytes);
    }
  }
}

/** The file of a result that the host has cut: only that is longer than what the host has. */
function findLongFile(thing: Thing, { find }: ContextRequest): string | undefined {
  if (thing.kind !== "result" || findCutPath(thing.result.part, thing.result.text) === undefined)
    return undefined;
  const standing = find(thing.key.key);
  return (standing?.cleared ?? standing?.judged)?.file;
}

const countTokens = ({ file }: KnownDecision, bytesOf: (file: string) => number | undefined): number =>
  Math.ceil((file === undefined ? 0 : (bytesOf(file) ?? 0)) / CHARACTERS_PER_TOKEN);

/** What is written for the screen. */
export function formatListing(
  { given, pinnedBefore, things }: Listing,
  { session, time }: Pick<ContextItems, "session" | "time">,
): ContextItems {
  const { budgetTokens, bytesOf, tokens } = given;
  const before = pinnedBefore.map((one) => planBefore(one, countTokens(one, bytesOf)));
  const items = [...things.map(({ item }) => item), ...before].sort((a, b) => b.tokens - a.tokens);
  return {
    ...{ v: 1, session, time, tokens, budget: budgetTokens },
    omitted: Math.max(0, items.length - MOST_ITEMS),
    items: items.slice(0, MOST_ITEMS),
  };
}

/** The notes show it whole. */
function planBefore({ file, text = "" }: KnownDecision, tokens: number): ContextItem {
  const { id, name } = readPinnedName(text);
  return {
    ...{ id, kind: readKind(id), turn: 0, name, tokens, wholeTokens: tokens, age: 0 },
    ...{ state: "cut", isPinned: true, actions: { unpin: { frees: 0, cacheLost: 0 } } },
    ...(file !== undefined && { file }),
  };
}

/** The text of a "pinned" decision. */
export const formatPinnedName = (id: string, name: string): string => `${id} ${name}`;

export function readPinnedName(text: string): { id: string; name: string } {
  const at = text.indexOf(" ");
  return at === -1 ? { id: text, name: "" } : { id: text.slice(0, at), name: text.slice(at + 1) };
}
