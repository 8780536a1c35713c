/** What a replay keeps of a request: its counts and blocks, without its text. */
import type { SavingsRecord } from "../../src/costs/savings.js";
import { forgetTexts, isSummarizing, type ModelRequest } from "../host/stage/model-request.js";
import { type Block, listBlocks } from "./blocks.js";
import type { Leaning } from "./identifiers.js";
import type { Needs } from "./needs.js";

export interface RequestRecord {
  /** A request of the session's agent, the host's for a summary, or one of another session. */
  kind: "agent" | "summary" | "other";
  /** When it arrived, in milliseconds by the replay's clock. */
  at: number;
  sent: number;
  cached: number;
  answered: number;
  blocks: Block[];
  /** Characters that were read again for the edits of this answer. */
  readAgain: number[];
  /** What the answer leans on; absent where the agent only looked again. */
  leaning?: Leaning;
}

/** What the agent of a replay saw. */
export interface Played {
  records: RequestRecord[];
  /** Number of edits, and of those that changed lines which nothing showed any more. */
  edits: number;
  blindEdits: number;
  needs: Needs;
}

/** One session played once. */
export interface Replay extends Played {
  id: string;
  /** From before the start of the host to the last answer. */
  seconds: number;
  /** How long the host waited for hooks. */
  hookSeconds: number;
  /** Saving that the plugin's own ledger claims, in tokens of input. */
  claimed: number;
  /** The records of the ledger. */
  ledger: readonly SavingsRecord[];
}

/** Records the requests of a replay while they come in. */

interface RequestRecorder {
  /** Records a request that is about to be answered. */
  open(request: ModelRequest, sessionID: string | undefined): RequestRecord;
  /** All records, once the last request is answered. */
  close(): RequestRecord[];
}

/** A request's tokens are counted after it is answered, so its record is completed when the next one comes. */
export function createRequestRecorder(): RequestRecorder {
  const records: RequestRecord[] = [];
  let last: { request: ModelRequest; record: RequestRecord } | undefined;

  function settle(): void {
    if (!last) return;
    const { promptTokens, cachedTokens, outputTokens } = last.request;
    Object.assign(last.record, { sent: promptTokens, cached: cachedTokens, answered: outputTokens });
    forgetTexts(last.request);
    last = undefined;
  }

  return {
    open(request, sessionID) {
      settle();
      const kind = isSummarizing(request) ? "summary" : request.sessionID === sessionID ? "agent" : "other";
      const counts = { at: request.at, sent: 0, cached: 0, answered: 0 };
      const record: RequestRecord = { kind, ...counts, blocks: listBlocks(request), readAgain: [] };
      records.push(record);
      last = { request, record };
      return record;
    },
    close() {
      settle();
      return records;
    },
  };
}
