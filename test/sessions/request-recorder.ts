/** Records the requests of a replay while they come in. */
import { forgetTexts, isSummarizing, type ModelRequest } from "../host/stage/model-request.js";
import { listBlocks } from "./blocks.js";
import type { RequestRecord } from "./request-record.js";

export interface RequestRecorder {
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
