/**
 * Runs for every request before the seven layers: notes that the session has begun, refreshes the result files that the
 * context names, and records why the prompt cache breaks.
 */

import { formatError } from "../../src/base/error.js";
import type { ContextSizes } from "../../src/context/context-size.js";
import type { Decisions } from "../../src/context/decisions.js";
import type { ContextRequest, Requests } from "../../src/context/request.js";
import type { ModelWindows } from "../../src/context/windows.js";
import type { KnownPrices } from "../../src/costs/prices.js";
import type { Savings } from "../../src/costs/savings.js";
import { type Clock, waitAtMost } from "../../src/io/clock.js";
import type { Files } from "../../src/io/files.js";
import type { Log } from "../../src/io/log.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { BreakWatch } from "./break-watch.js";
import type { RequestUsage } from "./request-usage.js";
import type { ResultRefresh } from "./result-refresh.js";
import { createSessionStart } from "./session-start.js";

export interface ViewOptions {
  clock: Clock;
  files: Files;
  log: Log;
  decisions: Decisions;
  sizes: ContextSizes;
  windows: ModelWindows;
  prices: KnownPrices;
  resultRefresh: ResultRefresh;
  usage: RequestUsage;
  requests: Requests;
  breaks: BreakWatch;
  savings: Savings;
  savingsFolder: string;
}

const LAYER = "view";
/** How long a turn waits for each; then the work continues in the background. */
const PREPARE_WITHIN_MS = 1_000;
const COMPARE_WITHIN_MS = 500;

export function createView(options: ViewOptions): Layer {
  const { usage, breaks, clock, resultRefresh, log, prices, requests, sizes, windows } = options;
  const begin = createSessionStart({ ...options, layer: LAYER });

  return {
    name: LAYER,
    phase: "before",
    servesForks: ["context", "compacted", "compacting", "modelWindow", "event"],
    handlers: {
      async context(request) {
        const { history, sessionID } = request;
        await inTime(PREPARE_WITHIN_MS, "read the models' prices", prices.load);
        await prepare(request);
        const view = request.show();
        await inTime(COMPARE_WITHIN_MS, "compare with the view sent last", () =>
          breaks.compare(request, view),
        );
        sizes.observe(
          sessionID,
          history.freshSummary === -1 ? request.showSent : undefined,
          history.messages,
        );
        usage.open(request);
        if (request.isCompaction) return view;
        resultRefresh.refresh(request);
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

      modelWindow(given) {
        windows.learn(given.model, given.window);
        if (given.prices) prices.learn(given.model, given.prices);
        return undefined;
      },

      event(event) {
        usage.hear(event);
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
    return inTime(PREPARE_WITHIN_MS, "record the session's start, or a break of the prompt cache", () =>
      begin(request),
    );
  }
}
