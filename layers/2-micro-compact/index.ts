/**
 * Layer 2: clears old tool results in one batch when that costs no prompt cache or pays back. Costs no model call.
 * Messages, reasoning, results of other tools and the newest results stay.
 *
 *     gather → plan → write the files → write the ledger → record the decisions → show the markers
 *
 * Each marker names the file with the whole result. On a failure nothing is cleared.
 */
import PQueue from "p-queue";
import { formatCount } from "../../src/format.js";
import type { LayerContext } from "../../src/layer-context.js";
import type { LayerDefinition, LayerParts } from "../../src/layer-definition.js";
import { recordBefore } from "../../src/record/record-before.js";
import { priceLostCache, type Rates } from "../../src/record/savings.js";
import { type DatedDecision, decide } from "../../src/view/decisions.js";
import { findCutPath } from "../../src/view/host-cut.js";
import type { ContextRequest } from "../../src/view/request.js";
import { defaults } from "./defaults.js";
import { type Clearable, gatherClearable } from "./gather.js";
import { formatMarker } from "./marker.js";
import { createOccasions } from "./occasions.js";
import { type ClearPlan, planClear } from "./plan.js";

const LAYER = "micro-compact";
const WRITTEN_AT_A_TIME = 8;
/** As in layer 1. */
const LARGEST_TAKEN_OVER_BYTES = 32_000_000;

export const microCompact: LayerDefinition = {
  name: LAYER,
  cost: 2,
  settings: { defaults, loadSchemas: async () => (await import("./settings.js")).schemas },
  files: [],
  loadProof: () => import("./proof.js"),
  create,
};

function create(context: LayerContext): LayerParts {
  const { config, decisions, files, host, log, resultFiles, savings } = context;
  const policy = config.microCompact;
  const occasions = createOccasions(context);

  return {
    withinMs: { context: 2_000 },
    handlers: {
      async context(request, messages, signal) {
        if (request.isCompaction || !request.isReady()) return undefined;
        const clearable = gatherClearable(request, messages, policy.keepRecent);
        if (clearable.length === 0) return undefined;
        const tokens = request.estimateTokens(messages);
        const rates = request.rates(tokens);
        const { occasion, reason } = occasions.find(request, tokens);
        const plan = planClear(clearable, occasion, { ...policy, rates });
        occasions.note(request.sessionID, occasion, plan);
        if (!plan) return undefined;
        await clear(request, { clearable, plan, rates, reason }, signal);
        return request.show();
      },
    },
  };

  interface Batch {
    clearable: readonly Clearable[];
    plan: ClearPlan;
    rates: Rates;
    reason: string;
  }

  async function clear(
    { sessionID }: ContextRequest,
    { clearable, plan, rates, reason }: Batch,
    signal: AbortSignal,
  ): Promise<void> {
    const lanes = new PQueue({ concurrency: WRITTEN_AT_A_TIME });
    const going = plan.chosen.map((index) => clearable[index]).filter((one) => one !== undefined);
    const stored = await Promise.all(going.map((one) => lanes.add(() => store(one))));
    const cleared = stored.filter((one) => one !== undefined);
    signal.throwIfAborted();
    const [first] = cleared;
    if (!first) return;
    const { cacheLost, tokensFreed } = plan;
    const results = cleared.length;
    const saved = {
      session: sessionID,
      layer: LAYER,
      event: "cleared",
      reason,
      key: `${sessionID} ${first.key}`,
      results,
      tokensFreed,
      cacheLost,
      ...priceLostCache(cacheLost, rates),
    };
    await recordBefore(savings, saved, () => decisions.record(sessionID, LAYER, cleared, signal));
    log.info(
      LAYER,
      `cleared ${results} results (${reason}): about ${formatCount(tokensFreed)} tokens free, ` +
        `${formatCount(cacheLost)} cached tokens to be written again`,
    );
  }

  /** Writes the file unless the result already has one; `undefined` if the marker would not be shorter. */
  async function store({ result, judged, shown, superseded }: Clearable): Promise<DatedDecision | undefined> {
    const content = judged?.file === undefined ? await readWhole(result) : undefined;
    const file = judged?.file ?? (await resultFiles.store(content ?? new Uint8Array()));
    const bytes = content?.byteLength ?? (await files.stat(file))?.bytes ?? Buffer.byteLength(result.text);
    const text = formatMarker({ part: result.part, bytes, file, directory: host.directory, superseded });
    const isShorter = Buffer.byteLength(text) < Buffer.byteLength(shown);
    return isShorter ? decide(result, { outcome: "cleared", text, file }) : undefined;
  }

  async function readWhole({ part, text }: Clearable["result"]): Promise<Uint8Array> {
    const cutPath = findCutPath(part, text);
    const found = cutPath === undefined ? undefined : await files.stat(cutPath);
    // A larger file is not copied while a turn waits; the stored text names it.
    const isTaken = found?.kind === "file" && found.bytes > 0 && found.bytes <= LARGEST_TAKEN_OVER_BYTES;
    const whole = cutPath !== undefined && isTaken ? await files.read(cutPath) : undefined;
    return whole ?? Buffer.from(text);
  }
}
