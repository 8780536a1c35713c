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
const DEPARTURES = ["cleared", "cut", "rewritten", "extended"];

export function createView(options: ViewOptions): Layer {
  const { accounts, clock, decisions, files, keeper, log, requests, savings, savingsFolder, sizes, windows } =
    options;
  const known = new Set<string>();
  const told = new Set<string>();

  return {
    name: LAYER,
    cost: 0,
    handlers: {
      async context(request) {
        const { history, sessionID } = request;
        const waited = await waitAtMost(clock, READ_WITHIN_MS, () => prepare(request));
        if (waited.kind !== "done") {
          const why =
            waited.kind === "failed" ? formatError(waited.thrown) : `it took more than ${READ_WITHIN_MS} ms`;
          log.error(LAYER, `cannot read what was decided earlier, or write down a break: ${why}`);
        }
        const view = request.show();
        sizes.observe(sessionID, history.messages, request.showSent);
        if (request.isCompaction) return view;
        accounts.open(request);
        for (const result of history.results(request.shownFrom())) {
          const standing = decisions.find(result.key);
          const decision = standing?.cleared ?? standing?.judged;
          if (decision) keeper.keep(sessionID, result, decision);
        }
        return view;
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

  async function prepare(request: ContextRequest): Promise<void> {
    const { history, isCompaction, model, sessionID } = request;
    await decisions.load(history.days);
    if (isCompaction) return;
    const found = findHostBreak(history, model, clock.now());
    if (found) await tell(sessionID, found.key, found.reason);
    if (!known.has(sessionID)) await lookForLostState(request);
    known.add(sessionID);
  }

  async function tell(session: string, key: string, reason: string): Promise<void> {
    const name = `${session} ${key}`;
    if (told.has(name)) return;
    told.add(name);
    log.info(LAYER, `the prompt cache of ${session} breaks: ${reason}`);
    await savings.recordNow({ session, layer: LAYER, event: "break", reason, key });
  }

  /** Somebody may have deleted the machine state: what was sent by it is then sent in another form. */
  async function lookForLostState({ history, sessionID }: ContextRequest): Promise<void> {
    if (history.lastAnswer === -1) return;
    const isKnown = [...history.messages.keys()].some((index) => hasDecision(history.keyOf(index)?.key));
    if (isKnown || history.results().some(({ key }) => hasDecision(key))) return;
    const path = `${savingsFolder}/${sessionID}.jsonl`;
    const { records } = await readJsonLines(files, path, parseSavingsRecord);
    if (!records.some(({ event }) => DEPARTURES.includes(event))) return;
    const last = history.messages[history.lastAnswer]?.info.time?.created;
    await tell(sessionID, `lost after ${last}`, "the machine state was deleted, so results are decided anew");
  }

  function hasDecision(key: string | undefined): boolean {
    return key !== undefined && decisions.find(key) !== undefined;
  }
}
