/** Decides when a session gets its boot block: at its beginning, and again when the block is no longer shown. */

import type { Config } from "../../../src/config/schema.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { Clock } from "../../../src/io/clock.js";
import { isSummary } from "../../../src/messages/history.js";
import { planBoot } from "./boot.js";
import type { KnownMemories } from "./known-memories.js";
import { readShown, type ShownMemories } from "./shown.js";

export interface Beginnings {
  /** The block for a message of the user. */
  forMessage(request: ContextRequest, shown: ShownMemories): string | undefined;
  /** The block for a result: a turn may continue for hours after its beginning was cut, and may be the session's only one. */
  forResult(request: ContextRequest): string | undefined;
}

/** Relative to the project, where the agent works. */
const INDEX_PATH = ".opencode/memory/MEMORY.md";

export function createBeginnings(
  known: KnownMemories,
  { clock, config }: { clock: Clock; config: Pick<Config, "boot"> },
): Beginnings {
  /** Sessions that get the block once the memories are read. */
  const postponed = new Set<string>();
  /** Sessions that have had the block; they get it again if its message is deleted. */
  const begun = new Set<string>();

  return {
    forMessage: find,

    forResult(request) {
      const isDue = isShortened(request) || postponed.has(request.sessionID);
      return isDue ? find(request, readShown(request)) : undefined;
    },
  };

  function find(request: ContextRequest, { hasBoot }: ShownMemories): string | undefined {
    const { sessionID } = request;
    if (hasBoot) begun.add(sessionID);
    const isDue =
      isBeginning(request) || postponed.has(sessionID) || begun.has(sessionID) || isShortened(request);
    if (hasBoot || !isDue || !config.boot.enabled) return undefined;
    if (!known.isRead()) {
      postponed.add(sessionID);
      return undefined;
    }
    postponed.delete(sessionID);
    return planBoot(known.order(), {
      ...{ nowMs: clock.now(), indexPath: INDEX_PATH, shows: config.boot },
      ...known.notices(sessionID),
      doubts: known.doubts(),
    });
  }
}

/** Is the newest message the user's first one? */
export function isBeginning({ history: { messages } }: ContextRequest): boolean {
  return messages.findIndex(({ info }) => info.role === "user") === messages.length - 1;
}

/** Is the beginning of the session no longer shown? */
export function isShortened({ history, shownFrom }: ContextRequest): boolean {
  return shownFrom() > 0 || history.messages.some(isSummary);
}
