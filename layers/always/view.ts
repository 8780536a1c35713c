/**
 * Runs for every request before the seven layers: notes that the session has begun, refreshes the result files that the
 * context names, and records why the prompt cache breaks.
 */
import { formatError } from "../../src/base/error.js";
import { readInputKey } from "../../src/context/replay.js";
import type { ContextRequest } from "../../src/context/request.js";
import { parseSavingsRecord } from "../../src/costs/savings.js";
import { waitAtMost } from "../../src/io/clock.js";
import { readJsonLines } from "../../src/io/json-lines.js";
import type { Layer } from "../../src/kernel/layer.js";
import type { KernelContext } from "../../src/kernel/layer-context.js";
import type { BreakWatch } from "./break-watch.js";
import type { RequestUsage } from "./request-usage.js";
import type { ResultRefresh } from "./result-refresh.js";

export interface ViewOptions extends KernelContext {
  breaks: BreakWatch;
  resultRefresh: ResultRefresh;
  usage: RequestUsage;
}

const LAYER = "view";
/** How long a turn waits for each; then the work continues in the background. */
const PREPARE_WITHIN_MS = 1_000;
const COMPARE_WITHIN_MS = 500;

export function createView(options: ViewOptions): Layer {
  const { usage, breaks, clock, resultRefresh, log, prices, requests, sizes, windows } = options;
  const begin = createSessionStart(options);

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
        usage.onEvent(event);
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

/* Notes that a session has begun in this instance, and records decisions inherited by a fork or lost with deleted state. */

/** Ledger events whose loss changes the bytes; other decisions are made again with the same outcome. */
const DEPARTURES = ["cleared", "cut", "compacted", "extended", "inherited", "dropped", "expanded", "uncut"];

/** Call for each request, before any decision about it. */
function createSessionStart(options: ViewOptions): (request: ContextRequest) => Promise<void> {
  const { breaks, decisions, files, folders, savings, sizes } = options;
  const known = new Set<string>();

  return async (request) => {
    const { history, isCompaction, sessionID } = request;
    const hadBegun = await decisions.begin(sessionID, history.days);
    if (!hadBegun && !known.has(sessionID)) await takeOver(request);
    known.add(sessionID);
    if (!isCompaction) await breaks.lookAtHost(request);
  };

  /**
   * The session is not new, but has no decisions. Either the machine state was deleted, and the history is sent in another
   * form than before; or the session is a fork, and its parent's decisions apply.
   */
  async function takeOver(request: ContextRequest): Promise<void> {
    const { history, sessionID } = request;
    if (history.lastAnswer === -1) return;
    const path = `${folders.savings}/${sessionID}.jsonl`;
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    if (records.some(({ event }) => DEPARTURES.includes(event))) {
      const last = history.messages[history.lastAnswer]?.info.time?.created;
      const why = "the machine state was deleted, so what was decided is decided anew";
      sizes.observe(sessionID, undefined, history.messages);
      return breaks.recordLoss(request, `lost after ${last}`, why);
    }
    const results = countDeparted(request);
    if (results === 0) return;
    const reason = "it is a fork: what was decided before in its parent holds in it too";
    savings.record({ session: sessionID, layer: LAYER, event: "inherited", reason, results });
  }
}

/** Number of messages, results and inputs that are shown in another form. */
function countDeparted({ find, history }: ContextRequest): number {
  const keys = [...history.messages.keys()].map((index) => history.keyOf(index)?.key);
  const ofCalls = history.results().flatMap((result) => [result.key, readInputKey(result).key]);
  const decided = [...keys, ...ofCalls].map((key) => key && find(key));
  return decided.filter(
    (one) => one && (one.cleared ?? one.cut ?? one.rewritten ?? one.extended ?? one.dropped),
  ).length;
}
