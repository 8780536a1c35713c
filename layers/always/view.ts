/**
 * What is always done for a request, before any of the seven layers is asked: notes that the session has begun, looks
 * after the files that the context names, and writes down why the prompt cache breaks when it does.
 */
import type { Layer } from "../../src/dispatcher/layer.js";
import { formatError } from "../../src/error.js";
import { readJsonLines } from "../../src/record/json-lines.js";
import type { Log } from "../../src/record/log.js";
import { parseSavingsRecord, type Savings } from "../../src/record/savings.js";
import { type Clock, waitAtMost } from "../../src/seams/clock.js";
import type { Files } from "../../src/seams/files.js";
import type { ContextSizes } from "../../src/view/context-size.js";
import type { Decisions } from "../../src/view/decisions.js";
import type { ContextRequest, Requests } from "../../src/view/request.js";
import type { ModelWindows } from "../../src/view/windows.js";
import type { Accounts } from "./accounts.js";
import type { BreakWatch } from "./break-watch.js";
import type { FileKeeper } from "./file-keeper.js";

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
/** How long a turn waits for each of the two; the rest is done all the same. */
const PREPARE_WITHIN_MS = 1_000;
const COMPARE_WITHIN_MS = 500;
/** What leaves other bytes behind when its record is lost; the rest is decided again with the same outcome. */
const DEPARTURES = ["cleared", "cut", "compacted", "extended", "inherited"];

export function createView(options: ViewOptions): Layer {
  const {
    accounts,
    breaks,
    clock,
    decisions,
    files,
    keeper,
    log,
    requests,
    savings,
    savingsFolder,
    sizes,
    windows,
  } = options;
  const known = new Set<string>();

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

  async function begin(request: ContextRequest): Promise<void> {
    const { history, isCompaction, sessionID } = request;
    const hadBegun = await decisions.begin(sessionID, history.days);
    if (!hadBegun && !known.has(sessionID)) await takeOver(request);
    known.add(sessionID);
    if (!isCompaction) await breaks.lookAtHost(request);
  }

  /**
   * Nothing was decided in this session, although it is not new. Somebody has deleted the machine state: what was sent
   * by it is sent in another form. Or it is a fork: what was decided in its parent holds in it too.
   */
  async function takeOver(request: ContextRequest): Promise<void> {
    const { find, history, sessionID } = request;
    if (history.lastAnswer === -1) return;
    const path = `${savingsFolder}/${sessionID}.jsonl`;
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    if (records.some(({ event }) => DEPARTURES.includes(event))) {
      const last = history.messages[history.lastAnswer]?.info.time?.created;
      const why = "the machine state was deleted, so what was decided is decided anew";
      sizes.observe(sessionID, undefined, history.messages);
      return breaks.tellLoss(request, `lost after ${last}`, why);
    }
    const keys = [...history.messages.keys()].map((index) => history.keyOf(index)?.key);
    const standings = [...keys, ...history.results().map(({ key }) => key)].map((key) => key && find(key));
    const departed = standings.filter(
      (one) => one && (one.cleared ?? one.cut ?? one.rewritten ?? one.extended),
    );
    if (departed.length === 0) return;
    const reason = "it is a fork: what was decided before in its parent holds in it too";
    savings.record({
      session: sessionID,
      layer: LAYER,
      event: "inherited",
      reason,
      results: departed.length,
    });
  }
}
