/** Notes that a session has begun here, and what of it was decided before: elsewhere, or by a state now deleted. */
import { readJsonLines } from "../../src/record/json-lines.js";
import { parseSavingsRecord, type Savings } from "../../src/record/savings.js";
import type { Files } from "../../src/seams/files.js";
import type { ContextSizes } from "../../src/view/context-size.js";
import type { Decisions } from "../../src/view/decisions.js";
import type { ContextRequest } from "../../src/view/request.js";
import type { BreakWatch } from "./break-watch.js";

export interface SessionStartOptions {
  files: Files;
  decisions: Pick<Decisions, "begin">;
  sizes: ContextSizes;
  breaks: Pick<BreakWatch, "lookAtHost" | "tellLoss">;
  savings: Pick<Savings, "record">;
  savingsFolder: string;
  /** As in the savings ledger. */
  layer: string;
}

/** Events of the ledger whose loss shows in the bytes; anything else is decided again with the same outcome. */
const DEPARTURES = ["cleared", "cut", "compacted", "extended", "inherited"];

/** To be called for each request, before anything is decided about it. */
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
   * The session is not new, yet nothing was decided in it. Either the machine state was deleted, and what was sent by it
   * is sent in another form; or it is a fork, in which its parent's decisions hold.
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
      return breaks.tellLoss(request, `lost after ${last}`, why);
    }
    const results = countDeparted(request);
    if (results === 0) return;
    const reason = "it is a fork: what was decided before in its parent holds in it too";
    savings.record({ session: sessionID, layer, event: "inherited", reason, results });
  }
}

/** Messages and results that are shown in another form. */
function countDeparted({ find, history }: ContextRequest): number {
  const keys = [...history.messages.keys()].map((index) => history.keyOf(index)?.key);
  const decided = [...keys, ...history.results().map(({ key }) => key)].map((key) => key && find(key));
  return decided.filter((one) => one && (one.cleared ?? one.cut ?? one.rewritten ?? one.extended)).length;
}
