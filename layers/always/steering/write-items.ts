/** Writes what stands in a session's context, for the screen and the command line. Behind a request, never in its wait. */
import { formatError } from "../../../src/base/error.js";
import type { ContextRequest } from "../../../src/context/request.js";
import type { KernelContext } from "../../../src/kernel/layer-context.js";
import { planItemsPath } from "../../../src/status/context-items.js";
import { createList, formatListing } from "./list-items.js";

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
