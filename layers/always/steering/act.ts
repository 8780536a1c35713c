/**
 * Carries out one request of a person: file, then ledger, then decision; then the messages are shown with it. Done again,
 * after a crash in between, it changes nothing.
 */
import { formatCount } from "../../../src/base/format.js";
import { findColdReason } from "../../../src/context/cold.js";
import type { DatedDecision } from "../../../src/context/decisions.js";
import { STEERING } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import { recordBefore } from "../../../src/costs/savings.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import {
  type Action,
  type ActionCost,
  type ContextItem,
  type ContextRequestLine,
  formatName,
} from "../../../src/status/context-items.js";
import type { ContextOutcomeLine } from "../../../src/status/context-requests.js";
import type { Entry } from "./entries.js";
import { createList, type Listing, readPinnedName } from "./list-items.js";
import { planItem } from "./plan-item.js";
import { createPrepare, type Prepared } from "./prepare.js";

/** What became of a request; `undefined` if it has to wait. */
export type Acted = Pick<ContextOutcomeLine, "outcome" | "text"> | undefined;

export type Act = (request: ContextRequest, line: ContextRequestLine, signal: AbortSignal) => Promise<Acted>;

/** Names of the ledger's records. */
const EVENTS = {
  drop: "dropped",
  pin: "pinned",
  unpin: "unpinned",
  expand: "expanded",
  "undo-cut": "uncut",
} as const satisfies Record<Action, string>;

export function createAct(context: KernelContext): Act {
  const { clock, config, decisions, savings } = context;
  const list = createList(context);
  const prepare = createPrepare(context);

  return async (request, line, signal) => {
    const listing = await list(request, request.history.lastAnswer);
    const entry = listing.entries.find(({ id }) => id === line.item);
    if (!entry) return line.action === "unpin" ? unpinBefore(request, line, listing, signal) : GONE;
    if (isTooEarly(line.action, entry)) return undefined;
    const item = planItem(entry, listing.given);
    const cost = item.actions[line.action];
    if (!cost)
      return {
        outcome: "refused",
        text:
          item.not?.[line.action] ??
          `it is ${item.isPinned ? "pinned" : item.state}, so that would change nothing`,
      };
    const prepared = await prepare(request, line.action, { item, entry, given: listing.given });
    if (!prepared) return undefined;
    if (prepared.length === 0)
      return { outcome: "refused", text: "it is no longer than the line that would stand for it" };
    signal.throwIfAborted();
    await record(request, line, { item, cost, prepared, signal });
    return { outcome: "done", text: formatDone(line.action, item, cost) };
  };

  async function record(
    request: ContextRequest,
    { action, id }: ContextRequestLine,
    { cost, item, prepared, signal }: Recorded,
  ): Promise<void> {
    const { history, model, sessionID } = request;
    const isCold = findColdReason(history, model, clock.now(), config.microCompact) !== undefined;
    const saved = {
      session: sessionID,
      layer: STEERING,
      event: EVENTS[action],
      reason: `the user asked for it: ${action} ${formatName(item)}`,
      key: `${sessionID} ${action} ${item.id} ${id}`,
      ...(item.kind === "input" ? { results: 0, inputs: 1 } : { results: 1 }),
      ...(item.tool !== undefined && { tool: item.tool }),
      tokensFreed: cost.frees,
      cacheLost: isCold ? 0 : cost.cacheLost,
    };
    await recordBefore(savings, saved, async () => {
      for (const { decided, layer } of prepared) await decisions.record(sessionID, layer, decided, signal);
    });
  }

  /** The notes show it; it is no longer among the messages. */
  async function unpinBefore(
    request: ContextRequest,
    line: ContextRequestLine,
    { pinnedBefore }: Listing,
    signal: AbortSignal,
  ): Promise<Acted> {
    const { history, sessionID } = request;
    const pinned = pinnedBefore.find(({ text = "" }) => readPinnedName(text).id === line.item);
    const day = history.keyOf(history.messages.length - 1)?.day;
    if (!pinned || day === undefined) return GONE;
    const decided: DatedDecision = { day, key: pinned.key, outcome: "unpinned" };
    await decisions.record(sessionID, STEERING, [decided], signal);
    return { outcome: "done", text: `unpinned ${readPinnedName(pinned.text ?? "").name}` };
  }
}

interface Recorded {
  item: ContextItem;
  cost: ActionCost;
  prepared: readonly Prepared[];
  signal: AbortSignal;
}

const GONE: Acted = { outcome: "refused", text: "it is no longer in the context" };

/** The turn may still go on. */
const isTooEarly = (action: Action, entry: Entry): boolean =>
  action === "drop" && entry.kind === "turn" && !entry.isOver;

function formatDone(action: Action, item: ContextItem, { frees }: ActionCost): string {
  const name = formatName(item);
  if (action === "pin") return `pinned ${name}`;
  if (action === "unpin") return `unpinned ${name}`;
  if (action === "drop") return `dropped ${name}: about ${formatCount(frees)} tokens fewer in each request`;
  const more = `about ${formatCount(-frees)} tokens more in each request`;
  return action === "expand" ? `brought back ${name}: ${more}` : `undid ${name}: ${more}`;
}
