/**
 * Sizes and prices of the models. While plugins are set up the host knows only its own free models; the user's come
 * before the first request.
 */
import { each, isRecord, object, string } from "../../base/shape.js";
import { type Clock, waitAtMost } from "../../io/clock.js";
import type { ModelPrices, Models, ModelWindow } from "../../io/host.js";
import type { ModelName } from "../../io/message.js";
import { readPrices } from "../readings.js";
import type { ModelRef, SetupContext } from "./contract.js";

interface KnownModel {
  window: ModelWindow;
  prices?: ModelPrices;
}

const WAIT_MS = 500;

export type Catalog = ReturnType<typeof createCatalog>;

export function createCatalog({ agent, model: models }: SetupContext, clock: Clock) {
  let known = new Map<string, KnownModel>();
  let named: Models = {};
  /** Models that the last reading did not have: they are not asked for with every request. */
  let lacking = new Set<string>();

  return {
    /** Waits shortly for a model that is not known yet. Never rejects. */
    async find(model: ModelName): Promise<KnownModel | undefined> {
      const name = formatRef({ id: model.modelID, providerID: model.providerID });
      if (!known.has(name) && !lacking.has(name)) {
        await read();
        if (!known.has(name)) lacking.add(name);
      }
      return known.get(name);
    },
    /** The default model, as far as known. */
    models: (): Models => named,
    /** The host says that its models have changed. */
    changed(): void {
      lacking = new Set();
      void read();
    },
  };

  async function read(): Promise<void> {
    const [listed, main, title] = await Promise.all([
      ask(() => models.list()),
      ask(() => models.default()),
      // The host has no other small model than the one that writes titles.
      ask(() => agent.get({ agentID: "title" })),
    ]);
    if (Array.isArray(listed)) known = new Map(listed.flatMap(readModel));
    const small = isRecord(title) ? title.model : undefined;
    named = {
      ...(isModelRef(main) && { main: formatRef(main) }),
      ...(isModelRef(small) && { small: formatRef(small) }),
    };
  }

  async function ask(call: () => unknown): Promise<unknown> {
    const waited = await waitAtMost(clock, WAIT_MS, call);
    return waited.kind === "done" && isRecord(waited.value) ? waited.value.data : undefined;
  }
}

/** What the host keeps free before it summarises (2.0.15, measured); the first is the default of `compaction.buffer`. */
const RESERVED_TOKENS = 20_000;
const MOST_ANSWER_TOKENS = 32_000;

const formatRef = ({ id, providerID }: ModelRef): string => `${providerID}/${id}`;

const isModelRef = object<ModelRef>(each(string, "id", "providerID"));

function readModel(value: unknown): [string, KnownModel][] {
  if (!isModelRef(value) || !("limit" in value) || !isRecord(value.limit)) return [];
  const { context, input, output } = value.limit;
  if (typeof context !== "number" || typeof output !== "number") return [];
  const prices = readPrices("cost" in value ? value.cost : undefined);
  const free = context - Math.max(Math.min(output, MOST_ANSWER_TOKENS), RESERVED_TOKENS);
  const window = {
    contextTokens: context,
    outputTokens: output,
    ...(typeof input === "number" && { inputTokens: input }),
    usableTokens: typeof input === "number" ? Math.min(input - RESERVED_TOKENS, free) : free,
  };
  return [[formatRef(value), { window, ...(prices && { prices }) }]];
}
