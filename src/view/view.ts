/**
 * What is always done for a request, before any layer is asked: reads what has been decided, shows the history as that
 * wants it, looks after the files that the context names, and writes down why the prompt cache breaks when it does.
 *
 * It takes part as the cheapest layer of all, so that what was decided is shown whatever becomes of the others.
 */
import type { Layer } from "../dispatcher/layer.js";
import { formatError } from "../error.js";
import { readJsonLines } from "../record/json-lines.js";
import type { Log } from "../record/log.js";
import { parseSavingsRecord, type Savings } from "../record/savings.js";
import type { FileKeeper } from "../results/file-keeper.js";
import { type Clock, waitAtMost } from "../seams/clock.js";
import type { Files } from "../seams/files.js";
import type { Accounts } from "./accounts.js";
import { findHostBreak } from "./breaks.js";
import type { ContextSizes } from "./context-size.js";
import type { Decisions } from "./decisions.js";
import type { ContextRequest, Requests } from "./request.js";
import type { ModelWindows } from "./windows.js";

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
  savings: Savings;
  savingsFolder: string;
}

const LAYER = "view";
/** How long a turn waits for the records to be read; well below the hook's own deadline. */
const READ_WITHIN_MS = 1_500;
/** What leaves other bytes behind when its record is lost; the rest is decided again with the same outcome. */
const DEPARTURES = ["cleared", "cut", "compacted", "extended", "inherited"];

export function createView(options: ViewOptions): Layer {
  const { accounts, clock, decisions, files, keeper, log, requests, savings, savingsFolder, sizes, windows } =
    options;
  const known = new Set<string>();
  const told = new Set<string>();

  return {
    name: LAYER,
    cost: 0,
    servesForks: ["context", "compacted", "compacting", "modelWindow", "event"],
    handlers: {
      async context(request) {
        const { history, sessionID } = request;
        await prepareInTime(request);
        const view = request.show();
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
        await prepareInTime(request);
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

  async function prepareInTime(request: ContextRequest): Promise<void> {
    const waited = await waitAtMost(clock, READ_WITHIN_MS, () => prepare(request));
    if (waited.kind === "done") return;
    const why =
      waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${READ_WITHIN_MS} ms`;
    log.error(LAYER, `cannot read what was decided earlier, or write down a break: ${why}`);
  }

  async function prepare(request: ContextRequest): Promise<void> {
    const { history, isCompaction, model, sessionID } = request;
    // Two instances do not take turns in the middle of a turn; each look at the disk costs milliseconds in a busy host.
    await decisions.load(history.days, { again: history.messages.at(-1)?.info.role === "user" });
    const hadBegun = await decisions.begin(sessionID, history.days);
    if (!hadBegun && !known.has(sessionID)) await takeOver(request);
    known.add(sessionID);
    if (isCompaction) return;
    const found = findHostBreak(history, model, clock.now());
    if (found) await tell(sessionID, found.key, found.reason);
  }

  async function tell(session: string, key: string, reason: string): Promise<void> {
    const name = `${session} ${key}`;
    if (told.has(name)) return;
    told.add(name);
    log.info(LAYER, `the prompt cache of ${session} breaks: ${reason}`);
    await savings.recordNow({ session, layer: LAYER, event: "break", reason, key });
  }

  /**
   * Nothing was decided in this session, although it is not new. Somebody has deleted the machine state: what was sent
   * by it is sent in another form. Or it is a fork: what was decided in its parent holds in it too.
   */
  async function takeOver({ find, history, sessionID }: ContextRequest): Promise<void> {
    if (history.lastAnswer === -1) return;
    const path = `${savingsFolder}/${sessionID}.jsonl`;
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    if (records.some(({ event }) => DEPARTURES.includes(event))) {
      const last = history.messages[history.lastAnswer]?.info.time?.created;
      const why = "the machine state was deleted, so what was decided is decided anew";
      sizes.observe(sessionID, undefined, history.messages);
      return tell(sessionID, `lost after ${last}`, why);
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
