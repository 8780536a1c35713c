/**
 * The embedder of `recall.embeddings`: an endpoint, its cache and its bounds.
 *
 *     entries    secrets out → cache → backoff → budget → endpoint, in batches, in the background
 *     a query    the same, but answered within a second or not at all; one at a time
 *
 * What is sent to another machine counts for the daily budget, of which at most half may be used: the rest is for the
 * calls that write memories. A local endpoint costs nothing.
 */
import { formatError } from "../base/error.js";
import { inSlices, type Sliced } from "../base/slices.js";
import type { Config } from "../config/schema.js";
import { type Clock, waitAtMost } from "../io/clock.js";
import type { Files } from "../io/files.js";
import type { Log } from "../io/log.js";
import { type Embedder, formatWordsOnly } from "../recall/embedder.js";
import { redactSecrets } from "../text/secrets/secrets.js";
import { type Backoff, type Budget, createBackoff, createBudget } from "./budget.js";
import { type Client, Refusal } from "./client.js";
import type { Answer } from "./endpoint.js";
import { createVectorCache } from "./vector-cache.js";

export interface EndpointEmbedder extends Pick<Embedder, "embed"> {
  embedQuery(text: string): Promise<Float32Array | undefined>;
  /** Resolves when the cache is written. Never rejects. */
  onIdle(): Promise<void>;
}

export interface EndpointEmbedderOptions {
  background: Config["background"];
  client: Client;
  clock: Clock;
  files: Files;
  log: Log;
  isLocal: boolean;
  /** Folder of the daily budget. */
  budgetFolder: string;
  /** Path of the cache of this model. */
  cachePath: string;
  instance: string;
}

/** Characters of a text that are sent: small models read 512 tokens, and refuse more or ignore it. */
const MOST_CHARACTERS = 1_500;
/** Characters scanned beyond: half a secret goes unrecognised. */
const LONGEST_SECRET = 500;
const QUERY_MS = 1_000;
const MOST_QUERIES = 50;

export function createEndpointEmbedder(options: EndpointEmbedderOptions): EndpointEmbedder {
  const { cachePath, clock, files, log } = options;
  const cache = createVectorCache({ clock, files, log, path: cachePath });
  const ask = createAsking(options);
  const queries = new Map<string, Float32Array>();
  let asking: Promise<Float32Array | undefined> | undefined;

  return {
    async embed(texts) {
      await cache.open();
      const clean = await inSlices(clock, cleanAll(texts));
      const missing = [...new Set(clean)].filter((text) => text !== "" && !cache.get(text));
      if (missing.length > 0) {
        const { vectors } = await ask("embed memories", missing);
        for (const [n, text] of missing.entries()) cache.put(text, vectors[n] as Float32Array);
      }
      return clean.map((text) => cache.get(text));
    },

    async embedQuery(query) {
      const [text = ""] = await inSlices(clock, cleanAll([query]));
      const known = queries.get(text);
      if (known || text === "" || asking) return known;
      asking = askQuery(text).finally(() => {
        asking = undefined;
      });
      const waited = await waitAtMost(clock, QUERY_MS, () => asking);
      return waited.kind === "done" ? waited.value : undefined;
    },

    onIdle: cache.save,
  };

  /** A vector that comes too late serves the next such query. Never rejects. */
  async function askQuery(text: string): Promise<Float32Array | undefined> {
    try {
      const [vector] = (await ask("embed a query", [text])).vectors;
      if (!vector) return undefined;
      if (queries.size >= MOST_QUERIES) queries.delete([...queries.keys()][0] ?? "");
      queries.set(text, vector);
      return vector;
    } catch (thrown) {
      log.warn("recall", formatWordsOnly(thrown));
      return undefined;
    }
  }
}

/** The texts as they are sent: without secrets, and cut. */
function* cleanAll(texts: readonly string[]): Sliced<string[]> {
  const clean: string[] = [];
  for (const text of texts) {
    yield;
    const { text: without } = redactSecrets(text.slice(0, MOST_CHARACTERS + LONGEST_SECRET));
    clean.push(without.slice(0, MOST_CHARACTERS).trim());
  }
  return clean;
}

type Ask = (purpose: string, texts: readonly string[]) => Promise<Answer>;

/** Rejects with the same error until the backoff is over, so that it is logged once. */
function createAsking(options: EndpointEmbedderOptions): Ask {
  const { background, budgetFolder, client, clock, isLocal } = options;
  const backoff = createBackoff(clock);
  const half = (limit: number): number => Math.floor(limit / 2);
  const budget = createBudget({
    ...options,
    config: {
      ...background,
      dailyCalls: half(background.dailyCalls),
      dailyTokens: half(background.dailyTokens),
    },
    folder: budgetFolder,
    instance: `${options.instance}-embeddings`,
  });
  let last: unknown;

  return async (purpose, texts) => {
    if (background.enabled === false)
      throw new Refusal("background.enabled is false, so nothing is sent to recall.embeddings.url");
    if (backoff.why() !== undefined) throw last;
    const tokens = texts.reduce((sum, text) => sum + text.length, 0);
    const settle = isLocal ? undefined : await reserve(budget, purpose, tokens);
    try {
      const answer = await client.ask(texts);
      backoff.noteAnswer();
      await settle?.(answer.tokens ?? Math.ceil(tokens / 4));
      return answer;
    } catch (thrown) {
      last = thrown;
      noteFailure(backoff, thrown);
      throw thrown;
    }
  };
}

async function reserve(
  budget: Budget,
  purpose: string,
  tokens: number,
): Promise<(input: number) => Promise<void>> {
  const reservation = await budget.reserve({ purpose, session: "", tokens });
  if (reservation.kind === "refused")
    throw new Refusal(
      reservation.isUsedUp
        ? "their half of the daily budget of background calls is used up"
        : reservation.why,
    );
  return (input) => reservation.settle({ input, output: 0, cacheRead: 0 });
}

function noteFailure(backoff: Backoff, thrown: unknown): void {
  const status = thrown instanceof Refusal ? thrown.status : undefined;
  backoff.noteFailure({ reason: formatError(thrown), ...(status !== undefined && { status }) });
}
