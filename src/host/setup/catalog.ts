/** Sizes and prices of the models, from the host's catalogue. Read in the background; a request waits for the first. */
import type { ModelName } from "../../conversation/message.js";
import type { ModelPrices } from "../../record/prices.js";
import { isRecord, type PlainRecord } from "../../records.js";
import { type Clock, waitAtMost } from "../../seams/clock.js";
import type { Models } from "../../seams/host.js";
import type { ModelWindow } from "../../view/windows.js";
import { readPrices } from "../prices.js";
import { readList, readObject } from "./stored.js";

export interface KnownModel {
  window: ModelWindow;
  prices?: ModelPrices;
}

export interface Catalog {
  /** Waits shortly for the first read, and reads again for a model that is not known. Never rejects. */
  find(model: ModelName): Promise<KnownModel | undefined>;
  /** The default model, as far as known. */
  models(): Models;
  /** Never rejects. */
  read(): Promise<void>;
}

export interface CatalogOptions {
  clock: Clock;
  list: (() => unknown) | undefined;
  findDefault: (() => unknown) | undefined;
}

const READ_WITHIN_MS = 5_000;
const WAIT_MS = 500;
/** A model that the catalogue lacks is not asked for with every request. */
const AGAIN_MS = 60_000;

export function createCatalog({ clock, findDefault, list }: CatalogOptions): Catalog {
  let known = new Map<string, KnownModel>();
  let main: string | undefined;
  let reading: Promise<void> | undefined;
  let readMs = Number.NEGATIVE_INFINITY;

  return {
    async find(model) {
      const name = nameOf(model);
      if (!known.has(name) && clock.now() - readMs >= AGAIN_MS) await waitAtMost(clock, WAIT_MS, read);
      return known.get(name);
    },
    models: () => ({ ...(main !== undefined && { main }) }),
    read,
  };

  function read(): Promise<void> {
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function readAll(): Promise<void> {
    readMs = clock.now();
    const [models, chosen] = await Promise.all([ask(list), ask(findDefault)]);
    const all = readList(models)?.flatMap(readModel);
    if (all) known = new Map(all);
    const model = readObject(chosen);
    if (typeof model?.providerID === "string" && typeof model.id === "string")
      main = `${model.providerID}/${model.id}`;
  }

  async function ask(call: (() => unknown) | undefined): Promise<unknown> {
    if (!call) return undefined;
    const waited = await waitAtMost(clock, READ_WITHIN_MS, call);
    return waited.kind === "done" ? waited.value : undefined;
  }
}

const nameOf = ({ modelID, providerID }: ModelName): string => `${providerID}/${modelID}`;

function readModel(value: unknown): [string, KnownModel][] {
  if (!isRecord(value) || !isRecord(value.limit)) return [];
  const { cost, id, limit, providerID } = value;
  const { context, input, output } = limit;
  if (typeof id !== "string" || typeof providerID !== "string") return [];
  if (typeof context !== "number" || typeof output !== "number") return [];
  const prices = readCost(cost);
  const window = {
    contextTokens: context,
    outputTokens: output,
    ...(typeof input === "number" && { inputTokens: input }),
  };
  return [[`${providerID}/${id}`, { window, ...(prices && { prices }) }]];
}

/** A list of prices; those with a `tier` hold for prompts beyond its size. OpenCode 1 has the same in `tiers`. */
function readCost(cost: unknown): ModelPrices | undefined {
  if (!Array.isArray(cost)) return undefined;
  const all: PlainRecord[] = cost.filter(isRecord);
  const first = all.find(({ tier }) => tier === undefined);
  return readPrices(first && { ...first, tiers: all.filter(({ tier }) => tier !== undefined) });
}
