/** All that stands in the context of a request, as a person sees it. */
import { CHARACTERS_PER_TOKEN } from "../../../src/context/context-size.js";
import type { KnownDecision } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { findCutPath } from "../../../src/context/result-files.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import type { ContextItem, ContextItems } from "../../../src/status/context-items.js";
import { MOST_ITEMS } from "../../../src/status/context-items.js";
import { type Entry, findEntries, gatherSurroundings, readKind, type Surroundings } from "./entries.js";
import { measure, planItem } from "./plan-item.js";

export interface Listing {
  /** In the order of the context. */
  entries: readonly Entry[];
  given: Surroundings;
  /** What is pinned and no longer among the messages that are sent. */
  pinnedBefore: readonly KnownDecision[];
}

export type List = (request: ContextRequest, cachedUntil: number) => Promise<Listing>;

/** Number of files whose sizes are remembered, and of names of entries. Neither changes. */
const MOST_KNOWN = 2_000;
/** Items that are looked at before other work has its turn. */
const ITEMS_AT_A_TIME = 20;

export function createList(context: KernelContext): List {
  const { decisions, files } = context;
  const sizes = new Map<string, number>();
  /** Leaving keys and passwords out of a name takes a millisecond. */
  const names = new Map<string, string>();
  const nameOnce = (id: string, read: () => string): string => {
    const name = names.get(id) ?? read();
    if (names.size > MOST_KNOWN) names.clear();
    names.set(id, name);
    return name;
  };

  return async (request, cachedUntil) => {
    const { find, history, sessionID, shownFrom } = request;
    const entries = findEntries({ find, history, shownFrom });
    const pinned = decisions.pinned(sessionID);
    await learnSizes([
      ...pinned.map(({ file }) => file),
      ...entries.map((entry) => findLongFile(entry, request)),
    ]);
    const bytesOf = (file: string): number | undefined => sizes.get(file);
    const pinnedTokens = pinned.reduce((sum, one) => sum + countTokens(one, bytesOf), 0);
    const given = gatherSurroundings(context, request, { bytesOf, cachedUntil, nameOnce, pinnedTokens });
    const keys = new Set(entries.map(({ key }) => key.key));
    return {
      given,
      entries,
      pinnedBefore: pinned.filter(({ file, key }) => file !== undefined && !keys.has(key)),
    };
  };

  async function learnSizes(paths: readonly (string | undefined)[]): Promise<void> {
    if (sizes.size > MOST_KNOWN) sizes.clear();
    for (const path of paths) {
      if (path === undefined || sizes.has(path)) continue;
      const stat = await files.stat(path);
      if (stat) sizes.set(path, stat.bytes);
    }
  }
}

/** The file of a result that the host has cut: only that is longer than what the host has. */
function findLongFile(entry: Entry, { find }: ContextRequest): string | undefined {
  if (entry.kind !== "result" || findCutPath(entry.result.part, entry.result.text) === undefined)
    return undefined;
  const standing = find(entry.key.key);
  return (standing?.cleared ?? standing?.judged)?.file;
}

const countTokens = ({ file }: KnownDecision, bytesOf: (file: string) => number | undefined): number =>
  Math.ceil((file === undefined ? 0 : (bytesOf(file) ?? 0)) / CHARACTERS_PER_TOKEN);

/** What is written for the screen. `giveWay` lets other work have its turn. */
export async function formatListing(
  { given, pinnedBefore, entries }: Listing,
  { session, time }: Pick<ContextItems, "session" | "time">,
  giveWay: () => Promise<unknown>,
): Promise<ContextItems> {
  const { budgetTokens, bytesOf, tokens } = given;
  const before = pinnedBefore.map((one) => planBefore(one, countTokens(one, bytesOf)));
  // Only what is shown is looked at closely: a long session has thousands of results.
  const largest = entries
    .map((entry) => ({ entry, tokens: measure(entry, given).tokens }))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, MOST_ITEMS);
  const planned: ContextItem[] = [];
  for (const { entry } of largest) {
    if (planned.length % ITEMS_AT_A_TIME === 0) await giveWay();
    planned.push(planItem(entry, given));
  }
  const items = [...planned, ...before].sort((a, b) => b.tokens - a.tokens).slice(0, MOST_ITEMS);
  return {
    ...{ v: 1, session, time, tokens, budget: budgetTokens },
    omitted: entries.length + before.length - items.length,
    items,
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
