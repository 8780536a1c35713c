/** Applies what people asked for to a session's next request, and says in the log what became of it. */
import { formatError } from "../../../src/base/error.js";
import { STEERING } from "../../../src/context/replay.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { type ContextRequestLine, planItemsPath } from "../../../src/status/context-items.js";
import { createContextRequests } from "../../../src/status/context-requests.js";
import { type Acted, createAct } from "./act.js";
import { createList, formatListing } from "./list-items.js";

export interface Applying {
  /** Reads the log again. Rejects with the system's error. */
  read(): Promise<void>;
  isWaiting(sessionID: string): boolean;
  /**
   * Applies what waits for the request's session; returns whether decisions were made. Rejects if a file, the ledger or a
   * decision cannot be written, or the signal is aborted; what was not applied by then waits for the next request.
   */
  apply(request: ContextRequest, signal: AbortSignal): Promise<boolean>;
}

export interface ApplyingOptions extends KernelContext {
  /** Path of the log. */
  locate(): Promise<string>;
}

export function createApplying(context: ApplyingOptions): Applying {
  const { background, log, toasts } = context;
  const requests = createContextRequests(context);
  const act = createAct(context);
  const waiting = new Map<string, ContextRequestLine[]>();
  /** Requests that are settled, whether or not that could be written. */
  const settled = new Set<string>();

  return {
    async read() {
      const { waiting: lines } = await requests.read();
      waiting.clear();
      for (const line of lines)
        if (!settled.has(line.id)) waiting.set(line.session, [...(waiting.get(line.session) ?? []), line]);
    },

    isWaiting: (sessionID) => waiting.has(sessionID),

    async apply(request, signal) {
      const { sessionID } = request;
      let hasChanged = false;
      for (const line of waiting.get(sessionID) ?? []) {
        signal.throwIfAborted();
        const acted = await act(request, line, signal);
        if (!acted) continue;
        hasChanged ||= acted.outcome === "done";
        settle(line, acted);
      }
      return hasChanged;
    },
  };

  /** Behind the request: the decision is on disk by now, and asking for it again would change nothing. */
  function settle(line: ContextRequestLine, acted: NonNullable<Acted>): void {
    const { action, item, session } = line;
    settled.add(line.id);
    const left = (waiting.get(session) ?? []).filter(({ id }) => id !== line.id);
    if (left.length > 0) waiting.set(session, left);
    else waiting.delete(session);
    const what = acted.outcome === "done" ? acted.text : `${action} ${item} was not possible: ${acted.text}`;
    log.info(STEERING, `${session}: ${what}`);
    toasts.show(what, acted.outcome === "done" ? "info" : "warning");
    void background.add(async () => {
      try {
        await requests.settle(line, acted);
        await requests.tidy();
      } catch (thrown) {
        log.warn(STEERING, `cannot record what became of ${action} ${item}: ${formatError(thrown)}`);
      }
    });
  }
}

/* Writes what stands in a session's context, for the screen and the command line. Behind a request, never in its wait. */

/** Never rejects. */
export type WriteItems = (request: ContextRequest, atMs: number) => Promise<void>;

export function createWriteItems(context: KernelContext): WriteItems {
  const { files, folders, log } = context;
  const list = createList(context);
  return async (request, atMs) => {
    const { history, sessionID } = request;
    const path = planItemsPath(folders, sessionID);
    try {
      // By the next request all of this one is cached.
      const listing = await list(request, history.messages.length);
      const time = new Date(atMs).toISOString();
      const items = await formatListing(listing, { session: sessionID, time }, () => files.stat(path));
      await files.writeWhole(path, JSON.stringify(items));
    } catch (thrown) {
      log.warn("steering", `cannot write ${path}, the screen shows an earlier state: ${formatError(thrown)}`);
    }
  };
}
