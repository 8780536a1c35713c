import { estimateTokens } from "../../src/context/context-size.js";
import { decide } from "../../src/context/decisions.js";
import type { ContextRequest } from "../../src/context/request.js";
import type { Withdrawal } from "../../src/kernel/hooks.js";
import type { LayerContext } from "../../src/kernel/layer-context.js";
import { isSummary } from "../../src/messages/history.js";
import { composeCut } from "./cut-text.js";
import { composeSummary } from "./summary-text.js";

/** Rewrites the texts that replace history and the host's summary without what the user has taken back since. */
export type ReviseHistory = (
  request: ContextRequest,
  withdrawal: Withdrawal,
) => Promise<Withdrawal | undefined>;

const LAYER = "full-compact";

export function createReviseHistory(context: LayerContext): ReviseHistory {
  return async (request, withdrawal) => {
    const found = [await reviseCut(request, withdrawal), await reviseSummary(request, withdrawal)];
    const revisions = found.flatMap((one) => (one ? [{ ...one, layer: LAYER }] : []));
    if (revisions.length === 0) return undefined;
    return { ...withdrawal, revisions: [...withdrawal.revisions, ...revisions] };
  };

  async function reviseCut(request: ContextRequest, { isStale }: Withdrawal) {
    const { find, history } = request;
    const index = request.shownFrom();
    const key = index > 0 ? history.keyOf(index) : undefined;
    const cut = key && find(key.key)?.cut;
    if (!key || !cut || !isStale(cut.at)) return undefined;
    const tailTokens = estimateTokens(history.messages.slice(index));
    const text = await composeCut(context, request, { index, tailTokens });
    return text === cut.text ? undefined : decide(key, { outcome: "revised", of: "cut", text });
  }

  async function reviseSummary(request: ContextRequest, { isStale }: Withdrawal) {
    const { find, history } = request;
    const index = history.messages.findLastIndex(isSummary);
    const [summary, key] = [history.messages[index], history.keyOf(index)];
    const rewritten = key && find(key.key)?.rewritten;
    if (!summary || !key || !rewritten || !isStale(rewritten.at)) return undefined;
    const { text } = await composeSummary(context, request, summary);
    return text === rewritten.text ? undefined : decide(key, { outcome: "revised", of: "rewritten", text });
  }
}
