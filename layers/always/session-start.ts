/** Notes that a session has begun in this instance, and records decisions inherited by a fork or lost with deleted state. */

import { readInputKey } from "../../src/context/call-input.js";
import type { ContextSizes } from "../../src/context/context-size.js";
import type { Decisions } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import { parseSavingsRecord, type Savings } from "../../src/costs/savings.js";
import type { Files } from "../../src/io/files.js";
import { readJsonLines } from "../../src/io/json-lines.js";
import type { BreakWatch } from "./break-watch.js";

export interface SessionStartOptions {
  files: Files;
  decisions: Pick<Decisions, "begin">;
  sizes: ContextSizes;
  breaks: Pick<BreakWatch, "lookAtHost" | "recordLoss">;
  savings: Pick<Savings, "record">;
  savingsFolder: string;
  /** Layer name in the savings ledger. */
  layer: string;
}

/** Ledger events whose loss changes the bytes; other decisions are made again with the same outcome. */
const DEPARTURES = ["cleared", "cut", "compacted", "extended", "inherited", "dropped", "expanded", "uncut"];

/** Call for each request, before any decision about it. */
export function createSessionStart(options: SessionStartOptions): (request: ContextRequest) => Promise<void> {
  const { breaks, decisions, files, layer, savings, savingsFolder, sizes } = options;
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
    const path = `${savingsFolder}/${sessionID}.jsonl`;
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
    savings.record({ session: sessionID, layer, event: "inherited", reason, results });
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
