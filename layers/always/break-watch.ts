/**
 * Records in the savings ledger each break of the prompt cache that no decision of the plugin causes, before the request
 * is sent: what the host does to a session as a whole, and every message that it sends differently.
 *
 *     view     compares the view after recorded decisions with what was sent last   → break, "the host has changed …"
 *     layers   decide about more, and record their own breaks
 *     sent     asked last: stores what the next request is compared with
 */
import { formatCount } from "../../src/base/format.js";
import { findHostBreak } from "../../src/context/breaks.js";
import { type CachePolicy, findColdReason } from "../../src/context/cold.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Savings } from "../../src/costs/savings.js";
import type { Clock } from "../../src/io/clock.js";
import type { Log } from "../../src/io/log.js";
import type { Message } from "../../src/io/message.js";
import type { Layer } from "../../src/kernel/layer.js";
import { type Change, createDigestReader, findChange, formatChange } from "./digest.js";
import type { SentViews } from "./sent-views.js";

export interface BreakWatch {
  /** Records a break that the host causes with this request. */
  lookAtHost(request: ContextRequest): Promise<void>;
  /** Records a break by lost decisions. `key` identifies the loss, which is recorded once. */
  recordLoss(request: ContextRequest, key: string, reason: string): Promise<void>;
  /** The ledger already has the reason for a break with this request. */
  explain(request: ContextRequest): void;
  /** Records a break unless the view begins with everything that was sent last. */
  compare(request: ContextRequest, view: readonly Message[]): Promise<void>;
  /** Asked after all other layers. */
  readonly layer: Layer;
}

export interface BreakWatchOptions {
  clock: Clock;
  log: Log;
  savings: Savings;
  sentViews: SentViews;
  policy: CachePolicy;
}

const LAYER = "view";

export function createBreakWatch({ clock, log, policy, savings, sentViews }: BreakWatchOptions): BreakWatch {
  const readDigests = createDigestReader();
  const recorded = new Set<string>();
  /** Requests whose break is in the ledger; it covers all later messages. */
  const explained = new WeakSet<ContextRequest>();

  return {
    async lookAtHost(request) {
      const found = findHostBreak(request.history, request.model, clock.now());
      // Another agent may have the same prompt and tools, and its messages may still differ.
      if (found && (await recordOnce(request, found.key, found.reason)) && found.kind !== "agent")
        explained.add(request);
    },

    async recordLoss(request, key, reason) {
      await recordOnce(request, key, reason);
      explained.add(request);
    },

    explain(request) {
      explained.add(request);
    },

    async compare(request, view) {
      const { history, isCompaction, sessionID } = request;
      const isTurn = history.messages.at(-1)?.info.role === "user";
      const last = await sentViews.last(sessionID, { again: isTurn });
      if (isCompaction || !last || explained.has(request)) return;
      const change = findChange(last.digests, readDigests(view));
      if (!change) return;
      const isUnread = last.isUnread === true || !request.isReady();
      await recordChange(request, change, isUnread ? UNREAD : formatChange(change));
    },

    layer: {
      name: "sent",
      phase: "after",
      isIndispensable: true,
      servesForks: ["context", "event"],
      handlers: {
        context(request, view) {
          if (request.isCompaction) return undefined;
          const isUnread = !request.isReady();
          sentViews.note(request.sessionID, { digests: readDigests(view), ...(isUnread && { isUnread }) });
          return undefined;
        },

        event({ type, properties: { info } }) {
          const gone = type === "session.deleted" ? (info as { id?: unknown } | undefined)?.id : undefined;
          if (typeof gone === "string") sentViews.forget(gone);
          return undefined;
        },
      },
    },
  };

  /** Returns whether the break is new. */
  async function recordOnce({ sessionID }: ContextRequest, key: string, reason: string): Promise<boolean> {
    const name = `${sessionID} ${key}`;
    if (recorded.has(name)) return false;
    recorded.add(name);
    try {
      await recordBreak(sessionID, { key, reason });
    } catch (thrown) {
      recorded.delete(name);
      throw thrown;
    }
    return true;
  }

  /** No `net`: it would have cost the same without the plugin. */
  async function recordChange(request: ContextRequest, change: Change, what: string): Promise<void> {
    const { history, model, sessionID } = request;
    const key = `changed ${change.index} after ${history.messages[history.lastAnswer]?.info.time?.created} at ${clock.now()}`;
    const isCold = findColdReason(history, model, clock.now(), policy) !== undefined;
    const cacheLost = isCold ? 0 : change.tokens;
    const reason = `${what}: the ${formatCount(change.tokens)} tokens from there on are sent anew`;
    await recordBreak(sessionID, { key, reason, cacheLost });
  }

  async function recordBreak(
    session: string,
    found: { key: string; reason: string; cacheLost?: number },
  ): Promise<void> {
    log.info(LAYER, `the prompt cache of ${session} breaks: ${found.reason}`);
    await savings.recordNow({ session, layer: LAYER, event: "break", ...found });
  }
}

const UNREAD = "what was decided earlier could not be read in time, now or for the request before";
