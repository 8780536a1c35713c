/** What a replay came to, in figures. */

import { PRICE, priceUsage, type Rates } from "../../src/costs/savings.js";
import { BYTES_PER_TOKEN } from "../../src/trial/requests.js";
import { findCached } from "./look-back.js";
import type { Needs } from "./needs.js";
import { sum } from "./prices.js";
import type { Replay, RequestRecord } from "./request-record.js";

/** Sizes in tokens, prices in tokens of input at the usual rates, whatever the model is said to cost. */
export interface Figures {
  requests: number;
  sent: number;
  uncached: number;
  answered: number;
  price: number;
  /** The price if each answer that leans on what is gone had first looked it up again. */
  upperPrice: number;
  largestRequest: number;
  summaries: number;
  edits: number;
  blindEdits: number;
  /** Requests added because lines to edit were no longer in sight, and the price of these and their results. */
  looks: number;
  looksPrice: number;
  /** Answers that lean on identifiers that are gone, the number of those, and of all that earlier results had brought. */
  leaningAnswers: number;
  gone: number;
  known: number;
  /** Of what edits and repeated reads need, what their requests still showed. */
  needs: Needs;
  /** What the ledger claims. */
  claimed: number;
  seconds: number;
  hookSeconds: number;
}

/** A look-up is a short call. */
const LOOK_ANSWER_TOKENS = 60;
/** A result that was looked up is cleared again like any other; until then it goes along with about so many requests. */
const CARRIED_REQUESTS = 10;
/** A look shows at most so many characters. */
const LOOK_CHARACTERS = 25_000;

export function measureReplay({
  records,
  edits,
  blindEdits,
  needs,
  claimed,
  seconds,
  hookSeconds,
}: Replay): Figures {
  const price = priceReplay(records, PRICE);
  const leanings = records.flatMap(({ leaning }) => leaning ?? []);
  return {
    requests: records.length,
    sent: sum(records.map(({ sent }) => sent)),
    uncached: sum(records.map(({ sent, cached }) => sent - cached)),
    answered: sum(records.map(({ answered }) => answered)),
    price,
    upperPrice: price + sum(records.map((_, index) => priceOfLookingUp(records, index))),
    largestRequest: Math.max(0, ...records.map(({ sent }) => sent)),
    summaries: records.filter(({ kind }) => kind === "summary").length,
    edits,
    blindEdits,
    looks: records.filter(({ readAgain }) => readAgain.length > 0).length,
    looksPrice: sum(records.map((_, index) => priceOfLook(records, index))),
    leaningAnswers: leanings.filter(({ gone }) => gone.length > 0).length,
    gone: sum(leanings.map(({ gone }) => gone.length)),
    known: sum(leanings.map(({ known }) => known)),
    needs,
    claimed,
    seconds,
    hookSeconds,
  };
}

/** Price of all requests, with the cached tokens as the byte-prefix cache of the replay found them. */
export function priceReplay(records: readonly RequestRecord[], rates: Rates): number {
  return sum(records.map((record) => priceUsage(record, rates)));
}

/** The same with Anthropic's cache. */
export function priceWithLookBack(records: readonly RequestRecord[], rates: Rates): number {
  const cached = findCached(records);
  return sum(records.map((record, index) => priceUsage({ ...record, cached: cached[index] ?? 0 }, rates)));
}

/** A look that the agent made: its request, read from the cache, its answer, and its result, written once. */
function priceOfLook(records: readonly RequestRecord[], index: number): number {
  const record = records[index];
  if (!record || record.readAgain.length === 0) return 0;
  const request = { sent: record.sent, cached: record.sent, answered: record.answered };
  return priceUsage(request, PRICE) + (sum(record.readAgain) / BYTES_PER_TOKEN) * PRICE.written;
}

/** A look that the agent would have needed: as above, and its result read with the next requests. */
function priceOfLookingUp(records: readonly RequestRecord[], index: number): number {
  const record = records[index];
  const characters = record?.leaning?.carrierCharacters ?? 0;
  if (!record || characters === 0) return 0;
  const tokens = Math.min(characters, LOOK_CHARACTERS) / BYTES_PER_TOKEN;
  const request = { sent: record.sent, cached: record.sent, answered: LOOK_ANSWER_TOKENS };
  const later = Math.min(CARRIED_REQUESTS, records.length - index - 1);
  return priceUsage(request, PRICE) + tokens * (PRICE.written + later * PRICE.cached);
}
