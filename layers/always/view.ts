/**
 * Done for every request before any of the seven layers is asked: notes that the session has begun, keeps the files that
 * the context names, and records why the prompt cache breaks when it does.
 */
import type { Layer } from "../../src/dispatcher/layer.js";
import { formatError } from "../../src/error.js";
import type { Log } from "../../src/record/log.js";
import type { Savings } from "../../src/record/savings.js";
import { type Clock, waitAtMost } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import type { ContextSizes } from "../../src/view/context-size.js";
import type { Decisions } from "../../src/view/decisions.js";
import type { ContextRequest, Requests } from "../../src/view/request.js";
import type { ModelWindows } from "../../src/view/windows.js";
import type { Accounts } from "./accounts.js";
import type { BreakWatch } from "./break-watch.js";
import type { FileKeeper } from "./file-keeper.js";
import { createSessionStart } from "./session-start.js";

export interface ViewOptions {
  clock: Clock;
  files: Files;
  log: Log;
  decisions: Decisions;
  sizes: ContextSizes;
  windows: ModelWindows;
  keeper: FileKeeper;
  accounts: Accounts;
  requests: Requests;
  breaks: BreakWatch;
  savings: Savings;
  savingsFolder: string;
}

const LAYER = "view";
/** How long a turn waits for each; the work goes on in the background. */
const PREPARE_WITHIN_MS = 1_000;
const COMPARE_WITHIN_MS = 500;

export function createView(options: ViewOptions): Layer {
  const { accounts, breaks, clock, keeper, log, requests, sizes, windows } = options;
  const begin = createSessionStart({ ...options, layer: LAYER });

  return {
    name: LAYER,
    cost: 0.2,
    servesForks: ["context", "compacted", "compacting", "modelWindow", "event"],
    handlers: {
      async context(request) {
        const { history, sessionID } = request;
        await prepare(request);
        const view = request.show();
        await inTime(COMPARE_WITHIN_MS, "compare with what was sent last", () =>
          breaks.compare(request, view),
        );
        sizes.observe(
          sessionID,
          history.freshSummary === -1 ? request.showSent : undefined,
          history.messages,
        );
        accounts.open(request);
        if (request.isCompaction) return view;
        for (const result of history.results(request.shownFrom())) {
          const standing = request.find(result.key);
          const decision = standing?.cleared ?? standing?.judged;
          if (decision) keeper.keep(sessionID, result, decision);
        }
        return view;
      },

      /** Before anything is decided about the summary. */
      async compacted(request) {
        await prepare(request);
        return undefined;
      },

      compacting({ sessionID }) {
        requests.expectCompaction(sessionID);
        return undefined;
      },

      modelWindow({ model, window }) {
        windows.learn(model, window);
        return undefined;
      },

      event(event) {
        accounts.hear(event);
        return undefined;
      },
    },
  };

  async function inTime(withinMs: number, what: string, run: () => Promise<void>): Promise<void> {
    const waited = await waitAtMost(clock, withinMs, run);
    if (waited.kind === "done") return;
    const why = waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${withinMs} ms`;
    log.error(LAYER, `cannot ${what}: ${why}`);
  }

  function prepare(request: ContextRequest): Promise<void> {
    return inTime(PREPARE_WITHIN_MS, "note that a session has begun, or why the prompt cache breaks", () =>
      begin(request),
    );
  }
}
