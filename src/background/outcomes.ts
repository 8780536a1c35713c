/** What comes of a model call: its cost in the ledger, its end in the log, and whether the answer can be used. */
import { formatCount } from "../format.js";
import type { Log } from "../record/log.js";
import { type NewSavingsRecord, priceNet, type Rates, type Savings } from "../record/savings.js";
import type { Generated, UsedTokens } from "../seams/host.js";
import type { Backoff } from "./backoff.js";
import { estimateTokens } from "./cost.js";
import type { GenerationRequest, GenerationResult } from "./generation-request.js";

export interface Outcomes {
  take(request: GenerationRequest, generated: Generated, model: AskedModel): GenerationResult;
}

export interface AskedModel {
  /** For people. */
  name: string;
  rates: Rates;
}

export interface OutcomesOptions {
  backoff: Backoff;
  /** Aborted when the plugin ends: a call that fails by it is no failure of the model. */
  end: AbortSignal;
  log: Log;
  savings: Pick<Savings, "record">;
}

const SOURCE = "background";

export function createOutcomes({ backoff, end, log, savings }: OutcomesOptions): Outcomes {
  return {
    take(request, generated, { name, rates }) {
      const { maxCharacters, purpose } = request;
      // Failed calls cost as well.
      const estimate = { input: estimateTokens(request), output: 0, cacheRead: 0 };
      savings.record(describeCall(request, generated.tokens ?? estimate, rates));
      if (generated.kind === "failed") return fail(purpose, generated);
      backoff.noteAnswer();
      const { text, tokens } = generated;
      const used = `${formatUsed(tokens)}, ${name}`;
      if (maxCharacters !== undefined && text.length > maxCharacters) {
        const why = `the answer has ${formatCount(text.length)} characters, ${formatCount(maxCharacters)} are allowed`;
        log.warn(SOURCE, `${purpose}: ${why} (${used})`);
        return { kind: "failed", why };
      }
      log.info(SOURCE, `${purpose}: written (${used})`);
      return { kind: "text", text, tokens };
    },
  };

  function fail(purpose: string, failure: Generated & { kind: "failed" }): GenerationResult {
    const { reason: why, status, tokens } = failure;
    if (end.aborted) return { kind: "failed", why };
    const pauseMs = backoff.noteFailure({ reason: why, ...(status !== undefined && { status }) });
    const said = status === undefined ? why : `${status} ${why}`;
    const used = tokens ? formatUsed(tokens) : "tokens not known, an estimate is counted";
    log.warn(SOURCE, `${purpose}: ${said} (${used}); no model call for ${formatCount(pauseMs / 1_000)} s`);
    return { kind: "failed", why: said };
  }
}

/** A call in the savings ledger. */
export function describeCall(
  { purpose, sessionID }: GenerationRequest,
  { cacheRead, input, output }: UsedTokens,
  rates: Rates,
): NewSavingsRecord {
  return {
    session: sessionID,
    layer: SOURCE,
    event: "background",
    reason: purpose,
    backgroundTokens: input + output + cacheRead,
    ...priceNet(-(input * rates.written + cacheRead * rates.cached + output * rates.answered), rates),
  };
}

function formatUsed({ input, output, cacheRead }: UsedTokens): string {
  return `tokens in ${formatCount(input)}, out ${formatCount(output)}, cached ${formatCount(cacheRead)}`;
}
